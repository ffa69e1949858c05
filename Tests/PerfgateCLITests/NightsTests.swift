import Foundation
import Testing

/// What happened in a store's nights hides no slowdown: refusals, acceptances, reverts, hot devices, and killed or repeated
/// updates.
struct NightsTests {
    @Test func aNightThatLosesAPageIsReported() throws {
        let folder = try CommandFolder.shop()
        try folder.simulate("--seed", "7", "--started-at", "2026-11-18T03:00:00Z", "--out", "night")
        let log = try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "night").path)[0]
        let lines = try folder.text(of: "night/\(log)").split(separator: "\n").filter {
            !$0.contains(#""page":"Search""#) && !$0.contains(#""type":"end""#)
        }
        let text = lines.map { $0.replacing(#""expects_end":true,"#, with: "") + "\n" }.joined()
        try folder.write(text, to: "night.ndjson")
        let said = try folder.run("baseline", "update", "night.ndjson", "--dry-run")
        #expect(said.code == 2 && said.output.contains("not measured: Search."), "\(said)")
        #expect(try folder.run("baseline", "update", "night.ndjson", "--dry-run", "--partial").code == 0)
        let accepting = try folder.run("baseline", "update", "night.ndjson", "--dry-run", "--accept", "all of it")
        #expect(accepting.code == 2 && accepting.output.contains("not measured: Search."), "\(accepting)")
        try folder.write("schema: 1\nmissing: warn\n", to: "warn.yml")
        let warned = try folder.run(
            "baseline", "update", "night.ndjson", "--dry-run", "--config", "warn.yml", "--baselines", "Baselines")
        #expect(warned.code == 0 && warned.output.contains("not measured: Search."), "\(warned)")
        // Another run of the call measures it.
        #expect(try folder.run("baseline", "update", "night.ndjson", "main", "--dry-run").code == 0)
        #expect(try folder.run("baseline", "update", "night.ndjson").code == 2)
        let again = try folder.run("baseline", "update", "night.ndjson")
        #expect(again.code == 2 && again.output.contains("not measured: Search."), "\(again)")
        #expect(try folder.text(of: "Baselines/\(try Self.file(of: "Cart", in: folder))").contains("sim-7-1"))
    }

    private static func file(of page: String, in folder: CommandFolder) throws -> String {
        try #require(folder.content().keys.first { $0.hasPrefix("Baselines/") && $0.contains("/\(page)") })
            .replacing("Baselines/", with: "")
    }

    /// A change that was reverted and comes back is the same change, however young the store is.
    @Test(arguments: [6, 8]) func aChangeThatComesBackIsRefusedAgain(settled: Int) throws {
        let folder = try CommandFolder()
        func night(_ day: Int, slow: Bool) throws -> Int32 {
            try folder.simulate(
                "--seed", "\(300 + day)", "--run-noise", "2", "--page-noise", "2.5", "--started-at",
                day < 10 ? "2026-11-0\(day)T03:00:00Z" : "2026-11-\(day)T03:00:00Z", "--inject",
                "Search=load:\(slow ? 600 : 200)", "--out", "n\(day)")
            return try folder.run("baseline", "update", "n\(day)").code
        }
        for day in 1...settled { #expect(try night(day, slow: false) == 0) }
        let codes = try (1...4).map { try night(settled + $0, slow: $0 != 2) }
        #expect(codes == [2, 0, 2, 2])
        #expect(try folder.run("check", "n\(settled + 4)").code == 2)
    }

    /// A first night that was slow, or runs before an improvement, make no page look noisy.
    @Test(arguments: [1, 2]) func aSlowBeginningHidesNothing(slow: Int) throws {
        let folder = try CommandFolder()
        for day in 1...7 {
            try folder.simulate(
                "--seed", "\(day)", "--name", "n\(day)", "--started-at", "2026-11-0\(day)T03:00:00Z",
                "--inject", day <= slow ? "Search=load:250" : "Search=load:0.001", "--out", "nights/\(day)")
            #expect(try folder.run("baseline", "update", "nights/\(day)").code == 0)
            guard day > 4 else { continue }
            try folder.simulate(
                "--seed", "9", "--name", "pr\(day)", "--started-at", "2026-11-20T03:00:00Z", "--inject",
                "Search=load:500", "--out", "pr/\(day)")
            let said = try folder.run("check", "pr/\(day)")
            #expect(said.code == 2, "night \(day): \(said.output)")
        }
    }

    /// A store that crept in steps that each passed fails what keeps its level, and not what takes it back.
    @Test func aDriftFailsUntilItIsTakenBack() throws {
        let folder = try CommandFolder()
        try folder.write("schema: 1\nbaseline_drift: fail\n", to: "perfgate.yml")
        func simulate(_ name: String, day: Int, load: Int) throws {
            let start = String(format: "2026-10-%02dT03:00:00Z", day)
            try folder.simulate(
                "--pages", "3", "--seed", "\(day)", "--name", name, "--started-at", start, "--inject",
                "Search=load:\(load)", "--out", "\(name)")
        }
        for day in 1...28 { try simulate("n\(day)", day: day, load: 200 + 8 * day) }
        #expect(try folder.run(["baseline", "update"] + (1...28).map { "n\($0)" }).code == 0)
        try simulate("same", day: 29, load: 432)
        let same = try folder.run("check", "same")
        #expect(same.code == 2 && same.output.contains("drifted"), "\(same.output)")
        let until = ["--until", "2026-11-20", "--reason", "the map is rebuilt", "--result", "same.json"]
        #expect(try folder.run("check", "same", "--json", "same.json").code == 2)
        #expect(try folder.run(["waive", "Search", "ttil"] + until, ["PERFGATE_TODAY": "2026-10-29"]).code == 0)
        let waived = try folder.run(["check", "same"], ["PERFGATE_TODAY": "2026-10-29"])
        #expect(waived.code == 0 && waived.output.contains("1 is waived"), "\(waived.output)")
        try simulate("fixed", day: 30, load: 200)
        let fixed = try folder.run("check", "fixed")
        #expect(fixed.code == 0 && fixed.output.contains("1 improved"), "\(fixed.output)")
    }

    /// The run of a pull request is accepted after nights without the change: they don't stay beside it.
    @Test func anOlderRunIsAcceptedAlone() throws {
        let folder = try CommandFolder.shop()
        for day in 20...23 {
            try folder.simulate(
                "--seed", "\(day)", "--name", "n\(day)", "--started-at", "2026-11-\(day)T03:00:00Z", "--out",
                "n\(day)")
            #expect(try folder.run("baseline", "update", "n\(day)").code == 0)
        }
        let accepted = try folder.run(
            "baseline", "update", "pr", "--page", "Search", "--metric", "ttil", "--accept", "new map")
        #expect(
            accepted.code == 0
                && accepted.output.contains("dropped 4 newer runs measured without the change"), "\(accepted)")
        let shown = try folder.run("baseline", "show", "Search").output
        #expect(shown.contains("5 samples of 1 run"), "\(shown)")
        for (delay, code) in [(250, 0), (750, 2)] {
            try folder.simulate(
                "--seed", "40", "--name", "later\(delay)", "--started-at", "2026-11-24T03:00:00Z", "--inject",
                "Search=load:\(delay)", "--out", "later\(delay)")
            let said = try folder.run("check", "later\(delay)")
            #expect(said.code == code, "\(said.output)")
        }
        let again = try folder.run(
            "baseline", "update", "pr", "--page", "Search", "--metric", "ttil", "--accept", "new map")
        #expect(!again.output.contains("dropped"), "\(again)")
    }

    @Test func aRefusedNightIsRefusedEachTime() throws {
        let folder = try CommandFolder.shop()
        #expect(try folder.run("baseline", "update", "pr").code == 2)
        let missing = try folder.run("doctor").output
        #expect(missing.contains("ttil of Search"), "\(missing)")
        let again = try folder.run("baseline", "update", "pr")
        #expect(again.code == 2 && again.output.contains("already stored, and refused for 1 cell"), "\(again)")
    }

    /// Simulates nights from 1 November on, each with its own arguments.
    private static func nights(_ nights: [[String]], in folder: CommandFolder, pages: Int = 3) throws -> [String] {
        try nights.enumerated().map { index, arguments in
            let name = "n\(index + 1)"
            try folder.simulate(
                ["--pages", "\(pages)", "--seed", "\(index + 1)", "--name", name, "--out", name, "--started-at"]
                    + ["2026-11-\(index < 9 ? "0" : "")\(index + 1)T03:00:00Z"] + arguments)
            return name
        }
    }

    /// Two nights in which the device was hot, and all pages slow, show nothing about a single page.
    @Test func hotNightsHideNothing() throws {
        let folder = try CommandFolder()
        let (hot, slow) = (["--slower", "60"], ["--inject", "Search=load:400"])
        let usual = Array(repeating: [String](), count: 5)
        let nights = try Self.nights(usual + [hot, [], [], hot, [], []] + [slow, slow, slow], in: folder)
        let said = try folder.run(["baseline", "update"] + nights + ["--details"])
        for night in nights.suffix(3) {
            #expect(said.output.contains(try Regex("\(night) of .*: 57 cells were stored, 1 refused")), "\(said)")
        }
        try folder.simulate(
            ["--pages", "3", "--seed", "99", "--started-at", "2026-11-20T03:00:00Z", "--out", "pr"] + slow)
        #expect(try folder.run("check", "pr").code == 2)
    }

    /// A slow night and a fast one after it aren't two usual ones.
    @Test func aFastNightClearsNoSlowOne() throws {
        let folder = try CommandFolder()
        let usual = Array(repeating: ["--inject", "Search=load:400"], count: 6)
        let nights = try Self.nights(usual + [["--inject", "Search=load:800"], []], in: folder)
        let said = try folder.run(["baseline", "update"] + nights)
        #expect(said.code == 2, "\(said)")
        let shown = try folder.run("baseline", "show", "Search").output
        #expect(shown.contains("35 samples of 7 runs, held: 1 refused"), "\(shown)")
    }

    /// An improvement was taken back after two nights: both levels in the window are no noise of the page.
    @Test func anImprovementThatWasTakenBackHidesNothing() throws {
        let folder = try CommandFolder()
        let usual = ["--inject", "Search=load:400"]
        let nights = try Self.nights([usual, usual, usual, usual, [], [], usual, usual, usual], in: folder)
        for night in nights { _ = try folder.run("baseline", "update", night) }
        try folder.simulate(
            "--pages", "3", "--seed", "99", "--started-at", "2026-11-20T03:00:00Z", "--out", "pr", "--inject",
            "Search=load:1011")
        let said = try folder.run("check", "pr")
        #expect(said.code == 2 && said.output.contains("Search"), "\(said)")
    }

    /// The first night of a change is accepted after so many others that they fill the window.
    @Test func anOldNightIsAcceptedForTheNewerOnes() throws {
        let folder = try CommandFolder()
        let slow = Array(repeating: ["--inject", "Search=load:400"], count: 13)
        let nights = try Self.nights([[], [], [], [], []] + slow, in: folder)
        #expect(try folder.run(["baseline", "update"] + nights).code == 2)
        let said = try folder.run(
            "baseline", "update", "n6", "--page", "Search", "--metric", "ttil", "--accept", "new map")
        #expect(said.code == 0 && said.output.contains("accepted: Search"), "\(said)")
        #expect(said.output.contains("settled: Search  ttil  10 held runs"), "\(said)")
        let again = try folder.run(
            "baseline", "update", "n6", "--page", "Search", "--metric", "ttil", "--accept", "new map")
        #expect(again.code == 0 && again.output.contains("already stored"), "\(again)")
        try folder.simulate(
            ["--pages", "3", "--seed", "99", "--started-at", "2026-11-20T03:00:00Z", "--out", "pr"] + slow[0])
        #expect(try folder.run("check", "pr").code == 0)
    }

    /// The first nights were slow: an epoch accepted after four doesn't inherit both levels as noise.
    @Test func aYoungStorePassesOnLittleNoise() throws {
        let folder = try CommandFolder()
        func call(_ delay: String, _ name: String) throws -> String {
            try folder.simulate(
                "--pages", "3", "--seed", "9", "--name", name, "--out", name, "--started-at",
                "2026-11-20T03:00:00Z", "--inject", "Search=load:\(delay)")
            return name
        }
        let slow = ["--inject", "Search=load:400", "--inject", "Home=load:400", "--inject", "Product=load:400"]
        for night in try Self.nights([slow, slow, [], []], in: folder) {
            #expect(try folder.run("baseline", "update", night).code == 0)
        }
        let accepted = try folder.run(
            "baseline", "update", call("1200", "new"), "--page", "Search", "--metric", "ttil", "--accept", "new map")
        #expect(accepted.code == 0, "\(accepted)")
        let file = try folder.text(of: "Baselines/\(try Self.file(of: "Search", in: folder))")
        #expect(file.contains(#""between_runs": 0.045"#), "\(file)")
        #expect(try folder.run("check", call("2600", "pr")).code == 2)
    }

    /// A killed call had written one page, which is refused: the rest passes, and the night doesn't.
    @Test func aHalfStoredNightIsRefusedAgain() throws {
        let folder = try CommandFolder.shop()
        let cart = "Baselines/\(try Self.file(of: "Cart", in: folder))"
        let before = try folder.text(of: cart)
        #expect(try folder.run("baseline", "update", "pr").code == 2)
        try folder.write(before, to: cart)
        let said = try folder.run("baseline", "update", "pr")
        #expect(said.code == 2 && said.output.contains("0 refused"), "\(said)")
        #expect(try folder.text(of: cart).contains("sim-8"))
    }
}
