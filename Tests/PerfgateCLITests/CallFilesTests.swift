import Foundation
import Testing

/// No output replaces a file that the call reads, under any name, and every output may be `/dev/null`.
struct CallFilesTests {
    private static let baselines = "Baselines/com-example-shop_iPhone12-1_iOS-17_60_Release-ae5e759c01fa"
    private static let baseline = "\(baselines)/Home-8481ec8a526e.json"

    private static let result = Result { try CommandFolder.report(of: "pass", code: 0) }

    private static func folder() throws -> CommandFolder {
        let folder = try CommandFolder()
        let pass = try String(
            contentsOf: GoldenTests.root.appending(path: "Tests/Samples/pass.ndjson"), encoding: .utf8)
        try folder.write(pass, to: "L/c.ndjson")
        try folder.write(pass, to: "L/deeper/d.ndjson")
        try folder.copy("Baselines")
        try folder.write("schema: 1\nscore: { traffic: traffic.yml }\n", to: "perfgate.yml")
        try folder.write("schema: 1\nwaivers: []\n", to: "waivers.yml")
        try folder.write("Home: 1\n", to: "traffic.yml")
        try folder.write("{{name}}", to: "T/own.mustache")
        let manager = FileManager.default
        try manager.linkItem(at: folder.url.appending(path: "L/c.ndjson"), to: folder.url.appending(path: "hard"))
        try manager.createSymbolicLink(
            atPath: folder.url.appending(path: "soft").path, withDestinationPath: "L/c.ndjson")
        try manager.createSymbolicLink(atPath: folder.url.appending(path: "M").path, withDestinationPath: "L")
        try folder.write(try result.get(), to: "result.json")
        return folder
    }

    @Test(arguments: [
        "check L --junit L/c.ndjson", "check L --html L/deeper/d.ndjson", "check L --json hard", "check L --json soft",
        "check L --rerun-list L/c.ndjson", "check L --markdown M/c.ndjson", "check L --openmetrics L/new.ndjson",
        "check L --summary M/deeper/new.json", "check L/*.ndjson --junit L/c.ndjson",
        "check L --json \(baseline)", "check L --json \(baselines)/new.json", "check L --markdown perfgate.yml",
        "check L --markdown waivers.yml", "check L --markdown traffic.yml", "check L --html T/page.html --templates T",
        "check L --html x --junit x", "check L --json x --rerun-list ./x", "check L --json - --rerun-list /dev/stdout",
        "check L --html page.html --html-assets external --markdown report.css",
        "check L --against \(baselines)/.. --baselines none --json \(baselines)/x.json",
        "compare L/c.ndjson --with L/deeper/d.ndjson --json L/c.ndjson",
        "compare L/c.ndjson --with L/deeper/d.ndjson --rerun-list L/deeper/d.ndjson",
        "report result.json --json result.json", "report result.json --html ./result.json",
        "convert L/c.ndjson --to csv --out L/c.ndjson", "convert L --to csv --out perfgate.yml",
        "calibrate L --replace --patch perfgate.yml", "calibrate L --replace --patch L/c.ndjson",
        "calibrate --replace --patch \(baseline)", "init L --config L/new.json",
        "waive Home ttil --config broken.yml --until 2999-12-31 --reason r L",
    ])
    func isRefusedAndChangesNothing(_ call: String) throws {
        let folder = try Self.folder()
        try folder.write("schema: 1\nwaivers: L/c.ndjson\n", to: "broken.yml")
        let before = folder.content()
        let said = try folder.run(call.split(separator: " ").map(String.init))
        #expect([64, 78].contains(said.code) && (said.code == 64 || call.contains("broken.yml")), "\(said.error)")
        #expect(folder.content() == before)
    }

    /// The report of a failure doesn't replace these files either, nor those that a valid configuration would name.
    @Test(arguments: ["perfgate.yml", "waivers.yml", baseline, "L/c.ndjson"])
    func aBrokenConfigurationIsNoWayIn(_ output: String) throws {
        let folder = try Self.folder()
        try folder.write("schema: 1\nlimits: none\n", to: "perfgate.yml")
        let before = folder.content()
        #expect(try folder.run("check", "L", "--markdown", output).code == 64)
        #expect(folder.content() == before)
    }

    @Test func whatIsReadIsNamed() throws {
        let said = try Self.folder().run("check", "L", "--junit", "hard")
        #expect(said.error.contains("'--junit' would replace the log 'L/c.ndjson'. Give it another file."))
    }

    /// Files beside the inputs that aren't read may be written.
    @Test(arguments: ["L/report.xml", "Baselines/report.html", "Baselines/report.json", "T/../x", "logs.ndjson"])
    func othersAreWritten(_ output: String) throws {
        let folder = try Self.folder()
        #expect(try folder.run("check", "L", "--junit", output, "--quiet").code == 0)
        #expect(try folder.text(of: output).hasPrefix("<?xml"))
    }

    @Test func everyOutputMayBeNothing() throws {
        let folder = try Self.folder()
        let flags = ["junit", "html", "markdown", "json", "openmetrics", "summary", "rerun-list"]
        let said = try folder.run(["check", "L", "--quiet"] + flags.flatMap { ["--\($0)", "/dev/null"] })
        #expect(said.code == 0, "\(said.error)")
        #expect(try folder.run("convert", "L", "--to", "csv", "--out", "/dev/null").code == 0)
        #expect(try folder.run("calibrate", "L", "--patch", "/dev/null", "--replace").code == 0)
        #expect(try folder.run("report", "result.json", "--html", "/dev/null", "--json", "/dev/null").code == 0)
        var status = try FileManager.default.attributesOfItem(atPath: "/dev/null")
        #expect(status.removeValue(forKey: .type) as? FileAttributeType == .typeCharacterSpecial)
    }
}
