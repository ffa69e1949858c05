import Foundation
import Testing

/// The commands' output if nothing could be compared, or if a change is implausible.
struct NothingComparedCommandTests {
    private static func log(device: String, factor: Double = 1, pages: [String] = ["Home", "Search"]) -> String {
        """
        {"type":"run","schema":1,"run_id":"\(device)-\(factor)","app":"a","build":"Release","device":"\(device)",\
        "os":"iOS 17.5","max_fps":60,"started_at":"2026-11-10T10:00:00Z"}

        """
            + (0..<12).flatMap { iteration in
                pages.map { page in
                    """
                    {"type":"pps","page":"\(page)","visit_id":"\(page)\(iteration)","outcome":"loaded",\
                    "ttil_ms":\((500 + Double(iteration)) * factor),"iteration":\(iteration)}

                    """
                }
            }.joined()
    }

    private static func folder(_ configuration: String = "") throws -> CommandFolder {
        let folder = try CommandFolder()
        try folder.write("schema: 1\n\(configuration)\n", to: "perfgate.yml")
        for device in ["old", "new"] { try folder.write(log(device: device), to: "\(device).ndjson") }
        return folder
    }

    /// `compare` follows the rule of `check`: two devices have nothing in common.
    @Test(arguments: [
        ("", 5), ("no_baseline: fail", 5), ("no_baseline: warn", 0),
        ("expected_environments: [{ device: new, required: false }]", 0),
        ("expected_environments: [{ device: new, required: true }]", 5),
        ("expected_environments: [{ device: other, required: false }]", 5),
    ])
    func comparingDevicesIsNoPass(_ configuration: String, _ code: Int) throws {
        let folder = try Self.folder(configuration + "\nmissing: warn")
        let said = try folder.run("compare", "old.ndjson", "--with", "new.ndjson")
        #expect(said.code == code, "\(said.output)\(said.error)")
        #expect(try folder.run("baseline", "update", "old.ndjson", "--new-environment").code == 0)
        #expect(try folder.run("check", "new.ndjson").code == code)
        #expect(said.error.contains("There is no baseline for a, new"), "\(said.error)")
    }

    /// An empty list counted as a comparison, so a page without additional loads gave 0 of 5.
    @Test func anEmptyListWithoutABaselineIsNoComparison() throws {
        let folder = try Self.folder()
        let lists = Self.log(device: "new").replacing("\"ttil_ms\"", with: "\"alt_ms\":[],\"ttil_ms\"")
        try folder.write(lists, to: "new.ndjson")
        #expect(try folder.run("check", "new.ndjson").code == 5)
        #expect(try folder.run("baseline", "update", "old.ndjson").code == 0)
        let said = try folder.run("check", "new.ndjson")
        #expect(said.code == 5, "\(said.output)\(said.error)")
        try folder.write("schema: 1\nmetrics: { alt: { limit: 500 } }\n", to: "perfgate.yml")
        #expect(try folder.run("check", "new.ndjson").code == 0, "a limit that somebody set was kept")
    }

    /// A metric that is off everywhere, with a limit on one page: the limit had no effect.
    @Test func aLimitOfOnePageTakesItsMetricBackIntoTheGate() throws {
        let folder = try Self.folder("metrics: { ttil: { gate: false } }")
        let off = try folder.run("check", "old.ndjson")
        #expect(off.code == 5, "\(off.output)")
        let page = "pages: [{ match: Search, metrics: { ttil: { limit: 100 } } }]"
        try folder.write("schema: 1\nmetrics: { ttil: { gate: false } }\n\(page)\n", to: "perfgate.yml")
        let said = try folder.run("check", "old.ndjson")
        #expect(said.code == 2 && said.output.contains("worse: Search: time to initial load"), "\(said.output)")
        #expect(!said.output.contains("worse: Home"))
    }

    /// Without this error, values would be read in ms, ignoring the unit.
    @Test(arguments: [
        (
            "metrics: { ttil: { unit: us, limit: 500000 } }",
            "metrics.ttil.unit can't be us, because ttil and its limits are in ms"
        ),
        (
            "expected_environments: [{ os: iOS 17.5, required: true }]",
            "environment has os_major, without the minor version: write iOS 17"
        ),
    ])
    func whatCanMeanNothingIsRefused(_ configuration: String, _ problem: String) throws {
        let said = try Self.folder(configuration).run("check", "old.ndjson")
        #expect(said.code == 78 && said.error.contains(problem), "\(said.error)")
    }

    /// The limits that `init` writes let no check pass before something is stored, nor with a misspelt folder.
    @Test func afterInitSomethingMustBeStored() throws {
        let folder = try CommandFolder()
        for device in ["old", "new"] { try folder.write(Self.log(device: device), to: "\(device).ndjson") }
        #expect(try folder.run("init", "old.ndjson").code == 0)
        #expect(try folder.run("check", "old.ndjson").code == 5)
        #expect(try folder.run("baseline", "update", "old.ndjson").code == 0)
        try folder.write(Self.log(device: "old", factor: 1.001), to: "next.ndjson")
        #expect(try folder.run("check", "next.ndjson").code == 0)
        let misspelt = try folder.run("check", "next.ndjson", "--baselines", "Baseline")
        #expect(misspelt.code == 5 && misspelt.error.contains("Did you mean Baselines?"))
        // Who names no folder may judge by limits alone.
        try folder.write("metrics: { ttil: { limit: 900 } }\n", to: "limits.yml")
        try FileManager.default.removeItem(at: folder.url.appending(path: "Baselines"))
        #expect(try folder.run("check", "next.ndjson", "--config", "limits.yml").code == 0)
    }

    /// A configuration of an earlier version lets all of it pass, and no message said so.
    @Test func anOldWarnIsPointedOut() throws {
        let folder = try Self.folder("no_baseline: warn")
        _ = try folder.run("baseline", "update", "old.ndjson")
        let said = try folder.run("check", "new.ndjson")
        #expect(said.code == 0)
        #expect(said.error.contains("`no_baseline: warn` lets that pass: remove it from the configuration. [PG319]"))
        #expect(try !folder.run("check", "old.ndjson").error.contains("PG319"))
        let again = try folder.run("init")
        #expect(
            again.code == 73
                && again.error.contains("Remove its `no_baseline: warn`: with it, a check that compares nothing"))
        try folder.write("schema: 1\n", to: "perfgate.yml")
        #expect(try !folder.run("init").error.contains("no_baseline"))
    }

    /// Seconds instead of milliseconds, in a log that says "ms": everything looked a thousand times better.
    @Test(arguments: [(0.001, 0, "seconds for milliseconds?"), (1_000, 2, "microseconds for milliseconds?")])
    func aThousandfoldEverywhereIsAQuestion(_ factor: Double, _ code: Int, _ question: String) throws {
        let folder = try Self.folder()
        _ = try folder.run("baseline", "update", "old.ndjson")
        try folder.write(Self.log(device: "old", factor: factor), to: "pr.ndjson")
        let said = try folder.run("check", "pr.ndjson")
        #expect(said.code == code && said.error.contains(question), "\(said.output)\(said.error)")
        #expect(
            !said.output.contains("improved") && said.output.contains("can't tell") == (factor < 1), "\(said.output)")
        try folder.write("schema: 1\ninconclusive: fail\n", to: "perfgate.yml")
        #expect(try folder.run("check", "pr.ndjson").code == (factor < 1 ? 3 : 2))
    }

    /// No page is measured identically twice, so one page that differs by a tenth must not hide a wrong unit.
    @Test(arguments: [(0.001, "seconds for milliseconds?"), (1_000, "microseconds for milliseconds?")])
    func aThousandfoldThatStraysIsAQuestion(_ factor: Double, _ question: String) throws {
        let folder = try Self.folder()
        _ = try folder.run("baseline", "update", "old.ndjson")
        let fast = Self.log(device: "old", factor: factor * 0.9, pages: ["Home"]).split(separator: "\n")
        let slow = Self.log(device: "old", factor: factor * 1.3, pages: ["Search"]).split(separator: "\n").dropFirst()
        try folder.write((fast + slow).joined(separator: "\n") + "\n", to: "pr.ndjson")
        let said = try folder.run("check", "pr.ndjson")
        #expect(said.error.contains(question) && !said.output.contains("improved"), "\(said.output)\(said.error)")
    }

    /// If one page of two improved that much, it is an improvement and not a wrong unit.
    @Test func anImprovementStaysOne() throws {
        let folder = try Self.folder()
        _ = try folder.run("baseline", "update", "old.ndjson")
        let pages = Self.log(device: "old", factor: 0.001, pages: ["Home"]).split(separator: "\n")
        let rest = Self.log(device: "old", pages: ["Search"]).split(separator: "\n").dropFirst()
        try folder.write((pages + rest).joined(separator: "\n") + "\n", to: "pr.ndjson")
        let said = try folder.run("check", "pr.ndjson")
        #expect(said.code == 0 && !said.error.contains("PG318"), "\(said.output)\(said.error)")
    }
}
