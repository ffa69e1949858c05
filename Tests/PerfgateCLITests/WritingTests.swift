import ArgumentParser
import Foundation
import LibC
import PerfgateFiles
import Testing

@testable import PerfgateCLI

/// Every command that writes a file: after a failed write the exit code is 73, and every file is unchanged.
struct WritingTests {
    private static let check = "check @/pass.ndjson --quiet --soft-fail --baselines @/Baselines"

    /// The calls; `@` is their working directory.
    static let calls = [
        "\(check) --junit @/old", "\(check) --html @/old", "\(check) --html @/old --html-assets external",
        "\(check) --markdown @/old", "\(check) --json @/old", "\(check) --openmetrics @/old",
        "\(check) --summary @/old", "\(check) --json @/new --html @/old --junit @/link",
        "\(check) --rerun-list @/old --rerun-format json",
        "compare @/pass.ndjson --with @/other.ndjson --quiet --json @/old",
        "report @/result.json --quiet --html @/old", "calibrate --baselines @/Baselines --replace --patch @/old",
        "convert @/pass.ndjson --to csv --out @/old", "init --config @/new.yml",
        "waive Search ttil --result @/result.json --until 2999-12-31 --reason r --config @/perfgate.yml",
        "baseline update @/pass.ndjson --baselines @/Baselines",
        "baseline update @/pass.ndjson --baselines @/Elsewhere",
        "baseline import @/App.xcbaseline --baselines @/Baselines --os iOS",
        "baseline rename Home Start --baselines @/Baselines", "baseline pin 7 --baselines @/Baselines",
        "baseline merge @/one.json @/one.json @/one.json",
    ]

    private static let log = """
        {"type":"run","schema":1,"run_id":"r","app":"a","build":"Release","device":"d","os":"iOS 17.5","max_fps":60,\
        "started_at":"2026-11-10T10:00:00Z"}
        {"type":"pps","page":"Search","visit_id":"v","outcome":"loaded","ttil_ms":500}

        """

    private static let result = Result { try CommandFolder.report(of: "regression", code: 2) }

    private static func folder() throws -> CommandFolder {
        let folder = try CommandFolder()
        try folder.write(log, to: "pass.ndjson")
        try folder.write(log.replacing("\"run_id\":\"r\"", with: "\"run_id\":\"s\""), to: "other.ndjson")
        try folder.write(try result.get(), to: "result.json")
        try folder.copy("Baselines")
        let page = "Baselines/com-example-shop_iPhone12-1_iOS-17_60_Release-ae5e759c01fa/Home-8481ec8a526e.json"
        try folder.write(try folder.text(of: page), to: "one.json")
        try folder.write("old", to: "old")
        try folder.write("*.md text\n", to: ".gitattributes")
        try folder.write("schema: 1\n", to: "perfgate.yml")
        try folder.write("schema: 1\nwaivers:\n", to: "waivers.yml")
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.appending(path: "link").path, withDestinationPath: "real")
        try folder.write("real", to: "real")
        try xcbaseline(in: folder)
        return folder
    }

    private static func xcbaseline(in folder: CommandFolder) throws {
        let plist = { (body: String) in
            "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(body)</dict></plist>"
        }
        let average = "<dict><key>baselineAverage</key><real>0.5</real></dict>"
        let test = "<key>testA()</key><dict><key>com.apple.XCTPerformanceMetric_WallClockTime</key>\(average)</dict>"
        try folder.write(
            plist("<key>classNames</key><dict><key>Tests</key><dict>\(test)</dict></dict>"),
            to: "App.xcbaseline/A.plist")
        let device = "<key>targetDevice</key><dict><key>modelCode</key><string>iPhone12,1</string></dict>"
        try folder.write(
            plist("<key>runDestinationsByUUID</key><dict><key>A</key><dict>\(device)</dict></dict>"),
            to: "App.xcbaseline/Info.plist")
    }

    private static func arguments(of call: String, in folder: CommandFolder) -> [String] {
        call.split(separator: " ").map { String($0).replacing("@", with: folder.url.path) }
    }

    @Test(arguments: calls)
    func succeedsWhereNothingFails(_ call: String) throws {
        let folder = try Self.folder()
        let before = folder.content()
        #expect(try folder.run(Self.arguments(of: call, in: folder)).code == 0)
        let after = folder.content()
        #expect(after != before || call.hasPrefix("baseline merge"))
        #expect(after.keys.allSatisfy { !$0.contains(".perfgate-") })
    }

    /// The seam simulates a disk that is full or fails.
    @Test(arguments: calls, [FileCall.create, .write, .synchronise, .close, .rename])
    func aCallThatFailsChangesNothing(_ call: String, _ failing: FileCall) throws {
        let folder = try Self.folder()
        let before = folder.content()
        let place = folder.url.path
        let error = FileCall.$fault.withValue({ $0 == failing && $1.hasPrefix(place) ? ENOSPC : nil }) {
            Perfgate.error(of: Self.arguments(of: call, in: folder))
        }
        #expect(error.map { Perfgate.exitCode(for: $0).rawValue } == 73)
        #expect(folder.content() == before)
    }

    /// The second file of a call can't be written.
    @Test(arguments: ["init --config @/new.yml", "\(check) --json @/new --html @/old"], [FileCall.write, .close])
    func theFirstFileIsAsItWasToo(_ call: String, _ failing: FileCall) throws {
        let folder = try Self.folder()
        let before = folder.content()
        let second = folder.url.path + (call.hasPrefix("init") ? "/.gitattributes" : "/old")
        let error = FileCall.$fault.withValue({ $0 == failing && $1 == second ? EIO : nil }) {
            Perfgate.error(of: Self.arguments(of: call, in: folder))
        }
        #expect(error.map { Perfgate.exitCode(for: $0).rawValue } == 73)
        #expect(folder.content() == before)
    }

    /// Without the seam: the kernel refuses every byte.
    @Test(arguments: calls)
    func aProcessThatMayWriteNoByteSaysSo(_ call: String) throws {
        let folder = try Self.folder()
        let before = folder.content()
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments =
            ["-c", "ulimit -f 0; exec \"$@\"", "sh", try GoldenTests.executable().path]
            + Self.arguments(of: call, in: folder)
        process.currentDirectoryURL = folder.url
        process.standardOutput = FileHandle.nullDevice
        process.standardError = pipe
        try process.run()
        let said = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 73)
        #expect(said.contains("can't write: File too large; raise the limit"), "\(said)")
        #expect(folder.content() == before)
    }

    /// A wrong output path must be reported before hours of measuring.
    @Test(arguments: [
        "\(check) --json @/none/x", "\(check) --junit @/new --html @/old/x", "\(check) --rerun-list @/Baselines",
        "calibrate @/absent --patch @/none/x", "convert @/absent --out @/none/x", "init @/absent --config @/none/x.yml",
        "baseline update @/absent --baselines @/old",
    ])
    func aWrongPathIsFoundBeforeTheWork(_ call: String) throws {
        let folder = try Self.folder()
        let before = folder.content()
        let said = try folder.run(Self.arguments(of: call.replacing("pass", with: "absent"), in: folder))
        #expect(said.code == 73, "\(said.error)")
        #expect(folder.content() == before)
    }

    @Test func removingThatFailsIsReportedToo() throws {
        let folder = try Self.folder()
        let before = folder.content()
        let error = FileCall.$fault.withValue({ call, _ in call == .remove ? EROFS : nil }) {
            Perfgate.error(of: Self.arguments(of: "baseline prune Home --baselines @/Baselines", in: folder))
        }
        #expect(error.map { Perfgate.exitCode(for: $0).rawValue } == 73)
        #expect(folder.content() == before)
    }

    /// A file opened by the shell isn't replaced: the report goes to standard output, the summary to standard error.
    @Test(arguments: ["-", "/dev/stdout", "/dev/fd/1"])
    func standardOutputHasManyNames(_ name: String) throws {
        let folder = try Self.folder()
        let said = try folder.run("check", "pass.ndjson", "--soft-fail", "--json", name)
        #expect(said.code == 0 && !said.error.isEmpty)
        #expect(said.output.hasPrefix("{\n") && said.output.hasSuffix("}\n"))
    }
}

/// Standard output that refuses all bytes.
struct StandardOutputTests {
    private static func folder() throws -> CommandFolder {
        let folder = try CommandFolder()
        for path in ["Tests/Samples/pass.ndjson", "Tests/Samples/regression.ndjson", "Baselines"] {
            try folder.copy(path)
        }
        return folder
    }

    #if os(Linux)
    @Test(arguments: [
        "simulate", "simulate --field --days 3", "schema log", "validate pass.ndjson", "baseline show",
        "explain Search ttil regression.ndjson", "check pass.ndjson", "field sql --dialect duckdb --table t",
        "field export --grafana", "baseline update pass.ndjson --baselines New", "convert pass.ndjson --to csv",
        "--help", "--version", "help check",
    ])
    func aFullDiskIsNeverSuccess(call: String) throws {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let said = try Self.folder().run(call.split(separator: " ").map(String.init), output: full)
        #expect(said.code == 73)
        #expect(said.error.contains("perfgate: standard output: can't write: No space left on device"), "\(said.error)")
    }
    #endif

    @Test(arguments: ["check regression.ndjson": 2, "check pass.ndjson": 0, "baseline show": 0])
    func aReaderThatWentAwayChangesNoVerdict(call: String, code: Int32) throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let said = try Self.folder().run(call.split(separator: " ").map(String.init), output: pipe)
        #expect(said.code == code && said.error == "", "\(said.error)")
    }

    @Test func whatGoesOnForLongEndsWithItsReader() throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        #expect(try Self.folder().run(["simulate", "--field", "--days", "1000"], output: pipe).code == SIGPIPE)
    }
}
