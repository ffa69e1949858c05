import Foundation
import Testing

/// What isn't compared, measured or read is never green without a word, call after call.
struct NeverGreenTests {
    /// A store of six simulated runs, and a run of a pull request whose Search loads 43 % slower.
    private static func shop() throws -> CommandFolder {
        let folder = try CommandFolder()
        try simulate(folder, "--runs", "6", "--started-at", "2026-11-01T03:00:00Z", "--out", "main")
        #expect(try folder.run("baseline", "update", "main").code == 0)
        try simulate(
            folder, "--seed", "8", "--started-at", "2026-11-19T03:00:00Z", "--inject", "Search=load:250", "--out", "pr")
        return folder
    }

    @discardableResult
    private static func simulate(_ folder: CommandFolder, _ arguments: String...) throws -> CommandFolder.Said {
        try simulate(folder, arguments)
    }

    @discardableResult
    private static func simulate(_ folder: CommandFolder, _ arguments: [String]) throws -> CommandFolder.Said {
        let said = try folder.run(["simulate"] + arguments)
        #expect(said.code == 0, "\(said.error)")
        return said
    }

    @Test func acceptingLiftsNoLimit() throws {
        let folder = try Self.shop()
        try folder.write("schema: 1\nmetrics: { ttil: { limit: 700 } }\n", to: "perfgate.yml")
        #expect(try folder.run("check", "pr").code == 2)
        let accepted = try folder.run(
            "baseline", "update", "pr", "--page", "Search", "--metric", "ttil", "--accept", "new map")
        #expect(accepted.code == 2 && accepted.output.contains("still fails: Search"), "\(accepted)")
        let again = try folder.run("check", "pr")
        #expect(again.code == 2 && again.output.contains("the limit is 700 ms"), "\(again)")
        #expect(again.output.contains("or break a limit are judged"), "\(again)")
        try folder.write("schema: 1\nmetrics: { ttil: { limit: 900 } }\n", to: "perfgate.yml")
        #expect(try folder.run("check", "pr").code == 0)
    }

    @Test func whatAFolderHidesIsReported() throws {
        let folder = try Self.shop()
        try Self.simulate(folder, "--seed", "9", "--started-at", "2026-11-20T03:00:00Z", "--out", "logs")
        #expect(try folder.run("check", "logs").code == 0)
        let link = folder.url.appending(path: "logs/second.ndjson")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "gone.ndjson")
        for command in [["check", "logs"], ["validate", "logs"], ["baseline", "update", "logs", "--dry-run"]] {
            let said = try folder.run(command)
            #expect(said.code == 66 && (said.output + said.error).contains("second.ndjson"), "\(command): \(said)")
        }
        try FileManager.default.removeItem(at: link)
        #expect(mkfifo(link.path, 0o600) == 0)
        let said = try folder.run("check", "logs")
        #expect(said.output.contains("neither files nor folders (second.ndjson)"), "\(said)")
    }

    @Test func aRenamedPageStaysPinned() throws {
        let folder = try Self.shop()
        #expect(try folder.run("baseline", "pin", "7.129").code == 0)
        let renamed = try folder.run("baseline", "rename", "Search", "Results")
        #expect(renamed.output.contains("renamed in 7.129: Search → Results"), "\(renamed)")
        let log = try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "pr").path)[0]
        try folder.write(
            try folder.text(of: "pr/\(log)").replacing(#""page":"Search""#, with: #""page":"Results""#),
            to: "new.ndjson")
        let said = try folder.run("check", "new.ndjson", "--against", "7.129")
        #expect(said.output.contains("Against 7.129, 1 of 50 got worse"), "\(said)")
        // A page that isn't measured any more is named.
        let other = try folder.run("check", "pr", "--against", "7.129")
        #expect(other.output.contains("7.129 also has pages that this run lacks: Results."), "\(other)")
    }

    @Test func anOlderRunIsNoRerun() throws {
        let folder = try Self.shop()
        for seed in ["21", "22"] {
            try Self.simulate(
                folder, "--seed", seed, "--started-at", "2026-10-\(seed)T03:00:00Z", "--out", "old/\(seed)")
        }
        let said = try folder.run("check", "pr", "--rerun-command", #"cp old/2*/* "{logs}"/"#)
        #expect(said.code == 65, "\(said)")
        #expect(said.output.contains("began before run sim-8-1, which it should repeat"), "\(said)")
    }

    @Test func aNightThatLosesAPageIsReported() throws {
        let folder = try Self.shop()
        try Self.simulate(folder, "--seed", "7", "--started-at", "2026-11-18T03:00:00Z", "--out", "night")
        let log = try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "night").path)[0]
        let lines = try folder.text(of: "night/\(log)").split(separator: "\n").filter {
            !$0.contains(#""page":"Search""#) && !$0.contains(#""type":"end""#)
        }
        let text = lines.map { $0.replacing(#""expects_end":true,"#, with: "") + "\n" }.joined()
        try folder.write(text, to: "night.ndjson")
        let said = try folder.run("baseline", "update", "night.ndjson", "--dry-run")
        #expect(said.code == 2 && said.output.contains("not measured: Search."), "\(said)")
        #expect(try folder.run("baseline", "update", "night.ndjson", "--dry-run", "--partial").code == 0)
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

    @Test(.timeLimit(.minutes(30))) func explainEndsWhereNothingVaries() throws {
        let folder = try CommandFolder()
        func log(_ run: String, _ day: Int) -> String {
            let head =
                #"{"type":"run","schema":1,"run_id":"\#(run)","app":"a","build":"Release","device":"d","os":"iOS 17","max_fps":60,"started_at":"2026-11-0\#(day)T00:00:00Z"}"#
            return
                ([head]
                + (0..<5).map {
                    #"{"type":"metric","page":"Search","iteration":\#($0),"metric":"leaks","unit":"MB","values":[0]}"#
                })
                .map { $0 + "\n" }.joined()
        }
        for day in 1...6 { try folder.write(log("n\(day)", day), to: "base/\(day).ndjson") }
        try folder.write(log("pr", 9), to: "pr.ndjson")
        try folder.write("schema: 1\nmetrics: { leaks: { gate: true, unit: MB, better: lower } }\n", to: "perfgate.yml")
        #expect(try folder.run("baseline", "update", "base").code == 0)
        let said = try folder.run("explain", "Search", "leaks", "pr.ndjson")
        #expect(said.output.contains("It fails if every sample is worse at all."), "\(said)")
    }

    @Test func aStartThatIsNoTimeIsRefused() throws {
        let folder = try Self.shop()
        try Self.simulate(folder, "--seed", "7", "--started-at", "2026-11-18T04:00:00Z", "--out", "night")
        let log = try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "night").path)[0]
        try folder.write(
            try folder.text(of: "night/\(log)").replacing("T04:00:00Z", with: "T04:00:00"), to: "night.ndjson")
        let checked = try folder.run("check", "night.ndjson")
        #expect(checked.error.contains("'2026-11-18T04:00:00', which isn't a time"), "\(checked)")
        let stored = try folder.run("baseline", "update", "night.ndjson")
        #expect(stored.code == 65 && stored.error.contains("write it with its zone"), "\(stored)")
    }

    @Test func limitsThatASimulatorBreaksAreNamed() throws {
        let folder = try CommandFolder()
        try Self.simulate(
            folder, "--simulator", "--runs", "6", "--started-at", "2026-11-01T03:00:00Z", "--out", "main")
        #expect(try folder.run("baseline", "update", "main").code == 0)
        try Self.simulate(
            folder, "--simulator", "--seed", "8", "--started-at", "2026-11-19T03:00:00Z", "--inject", "Search=drop:6",
            "--out", "pr")
        let said = try folder.run("check", "pr")
        #expect(said.code == 0 && said.output.contains("and break their limits: Search dropped_frames"), "\(said)")
    }

    /// A change that was reverted and comes back is the same change, however young the store is.
    @Test(arguments: [6, 8]) func aChangeThatComesBackIsRefusedAgain(settled: Int) throws {
        let folder = try CommandFolder()
        func night(_ day: Int, slow: Bool) throws -> Int32 {
            try Self.simulate(
                folder, "--seed", "\(300 + day)", "--run-noise", "2", "--page-noise", "2.5", "--started-at",
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
            try Self.simulate(
                folder, "--seed", "\(day)", "--name", "n\(day)", "--started-at", "2026-11-0\(day)T03:00:00Z",
                "--inject", day <= slow ? "Search=load:250" : "Search=load:0.001", "--out", "nights/\(day)")
            #expect(try folder.run("baseline", "update", "nights/\(day)").code == 0)
            guard day > 4 else { continue }
            try Self.simulate(
                folder, "--seed", "9", "--name", "pr\(day)", "--started-at", "2026-11-20T03:00:00Z", "--inject",
                "Search=load:500", "--out", "pr/\(day)")
            let said = try folder.run("check", "pr/\(day)")
            #expect(said.code == 2, "night \(day): \(said.output)")
        }
    }

    /// The run of a pull request is accepted after nights without the change: they don't stay beside it.
    @Test func anOlderRunIsAcceptedAlone() throws {
        let folder = try Self.shop()
        for day in 20...23 {
            try Self.simulate(
                folder, "--seed", "\(day)", "--name", "n\(day)", "--started-at", "2026-11-\(day)T03:00:00Z", "--out",
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
            try Self.simulate(
                folder, "--seed", "40", "--name", "later\(delay)", "--started-at", "2026-11-24T03:00:00Z", "--inject",
                "Search=load:\(delay)", "--out", "later\(delay)")
            let said = try folder.run("check", "later\(delay)")
            #expect(said.code == code, "\(said.output)")
        }
        let again = try folder.run(
            "baseline", "update", "pr", "--page", "Search", "--metric", "ttil", "--accept", "new map")
        #expect(!again.output.contains("dropped"), "\(again)")
    }

    @Test func aRefusedNightIsRefusedEachTime() throws {
        let folder = try Self.shop()
        #expect(try folder.run("baseline", "update", "pr").code == 2)
        let missing = try folder.run("doctor").output
        #expect(missing.contains("ttil of Search"), "\(missing)")
        let again = try folder.run("baseline", "update", "pr")
        #expect(again.code == 2 && again.output.contains("already stored, and refused for 1 cell"), "\(again)")
    }

    @Test func aFileThatWasConvertedBeforeStays() throws {
        let folder = try CommandFolder()
        try folder.write(#"{"type":"run""#, to: "bad.ndjson")
        for (input, form) in [("gone.json", "log"), ("bad.ndjson", "csv")] {
            try folder.write("precious", to: "out")
            #expect(try folder.run("convert", input, "--to", form, "--out", "out").code == 66)
            #expect(try folder.text(of: "out") == "precious")
        }
    }

    /// Two of five loads that take five times as long move no median, and no pair.
    @Test func slowLoadsInEachPairAreFound() throws {
        let folder = try CommandFolder()
        try folder.write(
            #"""
            { echo '{"type":"run","schema":1,"run_id":"'$PERFGATE_SIDE$PERFGATE_PAIR'","app":"a","build":"Release","device":"iPhone12,1","os":"iOS 17.5","max_fps":60}'
            for p in Search Cart Home; do for i in 0 1 2 3 4; do t=50$i
            [ $PERFGATE_SIDE$p = headSearch ] && [ $i -ge 3 ] && t=250$i
            echo '{"type":"pps","page":"'$p'","iteration":'$i',"visit_id":"'$p$i'","outcome":"loaded","duration_ms":8000,"ttfl_ms":40,"ttil_ms":'$t'}'
            done; done; } > $PERFGATE_OUT/log.ndjson
            """#, to: "run.sh")
        for (out, settings) in [("once", ""), ("again", "confirmation: rerun\n")] {
            try folder.write("schema: 1\n\(settings)", to: "perfgate.yml")
            let said = try folder.run("measure", "--base", "sh ./run.sh", "--head", "sh ./run.sh", "--out", out)
            #expect(said.code == 2 && said.output.contains("took more than 4 times the usual"), "\(said)")
        }
    }

    /// Simulates nights from 1 November on, each with its own arguments.
    private static func nights(_ nights: [[String]], in folder: CommandFolder, pages: Int = 3) throws -> [String] {
        try nights.enumerated().map { index, arguments in
            let name = "n\(index + 1)"
            try Self.simulate(
                folder,
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
        try Self.simulate(
            folder, ["--pages", "3", "--seed", "99", "--started-at", "2026-11-20T03:00:00Z", "--out", "pr"] + slow)
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

    /// Later runs of the build clear a suspect of the first one: that isn't silent, whoever measured them.
    @Test func logsThatClearASuspectSaySo() throws {
        let folder = try Self.shop()
        for (name, hour, delay) in [("again", "04", "0"), ("third", "05", "1")] {
            try Self.simulate(
                folder, "--seed", hour, "--started-at", "2026-11-19T\(hour):00:00Z", "--name", name, "--out", name,
                "--inject", "Search=load:\(delay)")
        }
        let said = try folder.run("check", "pr", "again", "third", "--confirmation", "rerun")
        #expect(said.code == 0, "\(said)")
        #expect(said.output.contains("In the first run, and cleared by 2 reruns: Search: time to"), "\(said)")
        #expect(!(try folder.run("check", "again", "--confirmation", "rerun").output.contains("In the first run")))
        // Another device that began before it is no reason to take its first run for a rerun.
        try Self.simulate(folder, "--started-at", "2026-11-19T02:00:00Z", "--device", "iPhone9,1", "--out", "other")
        let both = try folder.run("check", "other", "pr", "again", "third", "--confirmation", "rerun")
        #expect(both.output.contains("In the first run, and cleared by 2 reruns: Search: time to"), "\(both)")
    }

    /// A waiver that ended is followed by another one; the strictest of those that apply holds, so no second one is advised.
    @Test func onlyAnEndedWaiverIsFollowedByAnother() throws {
        let folder = try Self.shop()
        let waive = ["waive", "Search", "ttil", "pr", "--until", "2999-12-31", "--reason", "later"]
        #expect(try folder.run(waive).code == 0)
        #expect(try folder.run("check", "pr").code == 0)
        let file = try folder.text(of: "waivers.yml")
        try folder.write(file.replacing("2999-12-31", with: "2026-11-01"), to: "waivers.yml")
        #expect(try folder.run("check", "pr").output.contains("perfgate waive 'Search' 'ttil'"))
        #expect(try folder.run(waive).code == 0)
        #expect(try folder.run("check", "pr").code == 0)
        try folder.write(file.replacing(try Regex("ceiling: .*"), with: "ceiling: 1"), to: "waivers.yml")
        #expect(!(try folder.run("check", "pr").output.contains("perfgate waive")))
        #expect(try folder.run(waive).error.contains("covers it already"))
    }

    /// An improvement was taken back after two nights: both levels in the window are no noise of the page.
    @Test func anImprovementThatWasTakenBackHidesNothing() throws {
        let folder = try CommandFolder()
        let usual = ["--inject", "Search=load:400"]
        let nights = try Self.nights([usual, usual, usual, usual, [], [], usual, usual, usual], in: folder)
        for night in nights { _ = try folder.run("baseline", "update", night) }
        try Self.simulate(
            folder, "--pages", "3", "--seed", "99", "--started-at", "2026-11-20T03:00:00Z", "--out", "pr", "--inject",
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
        try Self.simulate(
            folder, ["--pages", "3", "--seed", "99", "--started-at", "2026-11-20T03:00:00Z", "--out", "pr"] + slow[0])
        #expect(try folder.run("check", "pr").code == 0)
    }

    /// The first nights were slow: an epoch accepted after four doesn't inherit both levels as noise.
    @Test func aYoungStorePassesOnLittleNoise() throws {
        let folder = try CommandFolder()
        func call(_ delay: String, _ name: String) throws -> String {
            try Self.simulate(
                folder, "--pages", "3", "--seed", "9", "--name", name, "--out", name, "--started-at",
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
        let folder = try Self.shop()
        let cart = "Baselines/\(try Self.file(of: "Cart", in: folder))"
        let before = try folder.text(of: cart)
        #expect(try folder.run("baseline", "update", "pr").code == 2)
        try folder.write(before, to: cart)
        let said = try folder.run("baseline", "update", "pr")
        #expect(said.code == 2 && said.output.contains("0 refused"), "\(said)")
        #expect(try folder.text(of: cart).contains("sim-8"))
    }

    /// A reader of JUnit alone sees each failure, also where no comparison fails.
    @Test func aCallThatJudgedNothingFailsInJUnit() throws {
        let folder = try CommandFolder()
        for run in ["1", "2"] {
            let head =
                #"{"type":"run","schema":1,"run_id":"\#(run)","app":"a","build":"Release","device":"d","os":"iOS 17","max_fps":60}"#
            let line =
                #"{"type":"metric","page":"Home","metric":"memory","values":[\#(run)00],"unit":"MB","better":"lower"}"#
            try folder.write("\(head)\n\(line)\n", to: "\(run).ndjson")
        }
        try folder.write("schema: 1\nmissing: warn\n", to: "warn.yml")
        let device = "perfgate simulate --seed 1$PERFGATE_PAIR --out {logs} >/dev/null"
        let calls: [(words: [String], headline: String)] = [
            (["compare", "1.ndjson", "--with", "2.ndjson"], "Nothing was judged: no gated metric"),
            (["measure", "--base", device, "--head", "false", "--config", "warn.yml"], "Nothing was judged: none of"),
        ]
        let program = try GoldenTests.executable().deletingLastPathComponent().path
        for (words, headline) in calls {
            let said = try folder.run(words + ["--junit", "j.xml"], ["PATH": "\(program):/usr/bin:/bin"])
            let junit = try folder.text(of: "j.xml")
            #expect(said.code == 5 && said.output.contains(headline), "\(said)")
            #expect(junit.contains(#"errors="1""#) && junit.contains(#"name="judged""#), "\(junit)")
        }
    }
}
