import Foundation
import Testing

/// The output of `baseline update` matches the store afterwards.
struct UpdateTextTests {
    private static func folder() throws -> CommandFolder {
        let folder = try CommandFolder()
        #expect(
            try folder.run(
                "simulate", "--pages", "1", "--runs", "12", "--started-at", "2026-02-01T00:00:00Z", "--out", "new"
            ).code == 0)
        #expect(
            try folder.run(
                "simulate", "--pages", "1", "--seed", "9", "--inject", "Home=load:900", "--out", "old"
            ).code == 0)
        #expect(try folder.run("baseline", "update", "--from-ci", "new").code == 0)
        return folder
    }

    /// A run older than the window isn't stored. The output said "accepted", but nothing was stored.
    @Test func whatTheWindowHasNoRoomForIsLeftOut() throws {
        let folder = try Self.folder()
        let before = folder.content()
        let said = try folder.run("baseline", "update", "old", "--accept", "new map")
        #expect(said.code == 2)
        #expect(said.output.contains("skipped: newer runs fill the window"), "\(said.output)")
        #expect(!said.output.contains("accepted") && !said.output.contains("taken in:"))
        #expect(folder.content() == before)
        #expect(try folder.run("baseline", "update", "old", "--accept", "new map", "--dry-run").code == 2)
    }

    /// No acceptance was requested, so nothing failed.
    @Test func anOldRunWithoutAReasonIsReportedOnly() throws {
        let folder = try CommandFolder()
        for (name, start) in [("new", "2026-02-01"), ("old", "2026-01-01")] {
            _ = try folder.run(
                "simulate", "--pages", "1", "--runs", name == "new" ? "10" : "1", "--name", name, "--started-at",
                "\(start)T00:00:00Z", "--out", name)
        }
        #expect(try folder.run("baseline", "update", "--from-ci", "new").code == 0)
        let said = try folder.run("baseline", "update", "old")
        #expect(said.code == 0 && said.output.contains("skipped: newer runs"), "\(said.output)")
    }

    @Test func nightsThatNewerOnesPushedOutAreNotCounted() throws {
        let folder = try CommandFolder()
        _ = try folder.run("simulate", "--pages", "1", "--runs", "12", "--out", "ci")
        let said = try folder.run("baseline", "update", "--from-ci", "ci")
        #expect(said.code == 0)
        #expect(
            said.output.contains("12 runs, 0 skipped: 180 cells were stored, 0 refused, 36 left out"),
            "\(said.output)")
    }

    /// Limits apply to accepted cells, too. The cell failed the next day, and the output hadn't announced it.
    @Test(arguments: [
        ("metrics: { ttil: { limit: 700 } }", "Search", "809.6 ms breaks its limit of 700 ms (perfgate.yml:2)"),
        ("pages:\n  - match: Search\n    metrics:\n      ttil: { limit: { any: 600 } }", "Search", "(perfgate.yml:5)"),
        ("metrics: { ttil: { limit: 2000 } }", "Search", nil), ("metrics: { ttil: { limit: 700 } }", "Home", nil),
    ])
    func whatStaysRedIsSaid(_ configuration: String, _ page: String, _ expected: String?) throws {
        let folder = try CommandFolder()
        try folder.copy("Tests/Samples/regression.ndjson")
        try folder.copy("Baselines")
        try folder.write("schema: 1\n\(configuration)\n", to: "perfgate.yml")
        let said = try folder.run(
            "baseline", "update", "regression.ndjson", "--accept", "new map", "--page", page, "--dry-run")
        #expect(said.output.contains("still fails: ") == (expected != nil), "\(said.output)")
        #expect(said.code == (expected == nil ? 0 : 2))
        guard let expected else { return }
        #expect(said.output.contains(expected), "\(said.output)")
        // The offered line is all that is missing.
        let line = try #require(said.output.split(separator: "\n").first { $0.hasPrefix("  - { match:") })
        let pages = configuration.hasPrefix("pages:") ? configuration : configuration + "\npages:"
        try folder.write("schema: 1\n\(pages)\n\(line)\n", to: "perfgate.yml")
        let again = try folder.run("baseline", "update", "regression.ndjson", "--accept", "new map", "--page", page)
        #expect(again.code == 0 && again.output.contains("accepted: Search"), "\(again)")
    }

    /// A page's limit of dropped frames is for 60 Hz: at 120 Hz, 5 frames need a limit of 3, which allows 6.
    @Test func theOfferedLimitFitsTheRefreshRate() throws {
        let folder = try CommandFolder()
        let pages = ["simulate", "--pages", "2", "--max-fps", "120"]
        #expect(try folder.run(pages + ["--runs", "5", "--out", "nights"]).code == 0)
        #expect(try folder.run("baseline", "update", "--from-ci", "nights").code == 0)
        let later = ["--seed", "9", "--started-at", "2026-02-01T00:00:00Z", "--inject", "Home=drop:5"]
        #expect(try folder.run(pages + later + ["--out", "new.ndjson"]).code == 0)
        let accept = ["baseline", "update", "new.ndjson", "--accept", "a new list", "--page", "Home"]
        let said = try folder.run(accept + ["--dry-run"])
        #expect(said.code == 2 && said.output.contains("the new level would be stored"), "\(said)")
        let lines = said.output.split(separator: "\n").filter { $0.hasPrefix("  - { match:") }
        #expect(lines.contains { $0.contains("\"dropped_frames\": { limit: 3 }") }, "\(said.output)")
        try folder.write("schema: 1\npages:\n\(lines.joined(separator: "\n"))\n", to: "perfgate.yml")
        let again = try folder.run(accept)
        #expect(again.code == 0, "\(again)")
    }

    /// 500 pages printed 8,781 lines.
    @Test func theLargestChangesAreReportedAndAllOnDemand() throws {
        let folder = try CommandFolder()
        try folder.copy("Tests/Samples/regression.ndjson")
        try folder.copy("Baselines")
        let said = try folder.run("baseline", "update", "regression.ndjson", "--dry-run")
        let lines = said.output.split(separator: "\n")
        #expect(
            lines.count == 16 && lines[0].hasPrefix("refused: Search  time to initial load [ttil]"), "\(said.output)")
        #expect(lines[11] == "… and 67 more; --details lists them" && lines[12].hasPrefix("77 cells would be"))
        let all = try folder.run("baseline", "update", "regression.ndjson", "--dry-run", "--details")
        #expect(all.output.split(separator: "\n").count == 82)
    }

    /// A refused row gave no reason and no next step.
    @Test func whatIsRefusedSaysWhyAndWhatToDo() throws {
        let folder = try CommandFolder()
        try folder.copy("Tests/Samples/regression.ndjson")
        try folder.copy("Baselines")
        let said = try folder.run("baseline", "update", "regression.ndjson")
        #expect(said.code == 2)
        let why = "(+242.4), because it got worse by more than its tolerance of 56.76 ms\n"
        #expect(said.output.contains(why), "\(said.output)")
        let next = "baseline update 'regression.ndjson' --page 'Search' --metric 'ttil' --accept 'why it is worth it'"
        #expect(said.output.hasSuffix("or accept what is intended:\n  perfgate \(next)\n"), "\(said.output)")
        let accepted = try folder.run(GoldenTests.words(of: next[...]))
        #expect(accepted.code == 0 && accepted.output.contains("1 cell was stored (1 accepted)"), "\(accepted)")
    }
}
