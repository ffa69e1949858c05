import Foundation
import Testing

/// What a call doesn't compare, measure or read is never green without a word.
struct NeverGreenTests {
    @Test func acceptingLiftsNoLimit() throws {
        let folder = try CommandFolder.shop()
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

    /// Additional loads that usually take no time, and a count without a smallest change: the centre doesn't show them,
    /// or any change would count.
    @Test(arguments: [
        (2, 3, "5 loads took more than 80 ms"), (6, 2, "10 loads took more than 80 ms"), (0, 0, "None of"),
    ])
    func whatIsUsuallyZeroIsNotIgnored(_ slow: Int, _ code: Int32, _ text: String) throws {
        let folder = try CommandFolder()
        func write(_ id: String, _ day: Int, loads: Int, slow: Int) throws {
            let run =
                #"{"type":"run","schema":1,"run_id":"\#(id)","app":"a","build":"Release","device":"d","os":"iOS 17","#
                + #""max_fps":60,"started_at":"2026-11-\#(10 + day)T10:00:00Z"}"#
            let lines = (0..<loads).map { load in
                #"{"type":"pps","page":"Search","iteration":\#(load),"visit_id":"\#(load)","outcome":"loaded","#
                    + #""ttil_ms":\#(500 + load),"alt_ms":[\#(load < slow ? 800 : 0)]}"#
                    + "\n"
                    + #"{"type":"metric","page":"Search","iteration":\#(load),"metric":"leaks","unit":"count","better":"lower","values":["#
                    + "\(slow > 0 ? 5_000 : 0)]}"
            }
            try folder.write(([run] + lines).joined(separator: "\n") + "\n", to: "\(id).ndjson")
        }
        try folder.write(
            "schema: 1\nmetrics: { leaks: { gate: true, unit: count, better: lower } }\n", to: "perfgate.yml")
        for day in 0..<6 { try write("n\(day)", day, loads: 5, slow: 0) }
        #expect(try folder.run(["baseline", "update"] + (0..<6).map { "n\($0).ndjson" }).code == 0)
        try write("pr", 9, loads: slow > 3 ? 10 : 5, slow: slow)
        let said = try folder.run("check", "pr.ndjson")
        #expect(said.code == code && said.output.contains(text), "\(said.output)")
        #expect(said.output.contains("leaks") == (slow > 0), "\(said.output)")
        let night = try folder.run("baseline", "update", "pr.ndjson")
        for metric in ["leaks", "additional load time [alt]"] {
            #expect(night.output.contains("stored: Search  \(metric)") == (slow == 0), "\(night.output)")
        }
    }

    @Test func whatAFolderHidesIsReported() throws {
        let folder = try CommandFolder.shop()
        try folder.simulate("--seed", "9", "--started-at", "2026-11-20T03:00:00Z", "--out", "logs")
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
        let folder = try CommandFolder.shop()
        #expect(try folder.run("baseline", "pin", "7.129").code == 0)
        let renamed = try folder.run("baseline", "rename", "Search", "Results")
        #expect(renamed.output.contains("renamed in 7.129: Search → Results"), "\(renamed)")
        let log = try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "pr").path)[0]
        try folder.write(
            try folder.text(of: "pr/\(log)").replacing(#""page":"Search""#, with: #""page":"Results""#),
            to: "new.ndjson")
        let said = try folder.run("check", "new.ndjson", "--against", "7.129")
        #expect(said.output.contains("Against 7.129, 1 of 50 got worse"), "\(said)")
        try folder.write("schema: 1\ndrift: fail\n", to: "perfgate.yml")
        #expect(try folder.run("check", "new.ndjson", "--against", "7.129", "--json", "r.json").code == 2)
        let explained = try folder.run("explain", "Results", "--result", "r.json")
        #expect(explained.output.contains("Against 7.129 it is worse, which fails the run"), "\(explained)")
        // A page that isn't measured any more is named.
        let other = try folder.run("check", "pr", "--against", "7.129")
        #expect(other.output.contains("7.129 also has pages that this run lacks: Results."), "\(other)")
    }

    @Test func anOlderRunIsNoRerun() throws {
        let folder = try CommandFolder.shop()
        for seed in ["21", "22"] {
            try folder.simulate("--seed", seed, "--started-at", "2026-10-\(seed)T03:00:00Z", "--out", "old/\(seed)")
        }
        let said = try folder.run("check", "pr", "--rerun-command", #"cp old/2*/* "{logs}"/"#)
        #expect(said.code == 65, "\(said)")
        #expect(said.output.contains("began before run sim-8-1, which it should repeat"), "\(said)")
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
        let folder = try CommandFolder.shop()
        try folder.simulate("--seed", "7", "--started-at", "2026-11-18T04:00:00Z", "--out", "night")
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
        try folder.simulate("--simulator", "--runs", "6", "--started-at", "2026-11-01T03:00:00Z", "--out", "main")
        #expect(try folder.run("baseline", "update", "main").code == 0)
        try folder.simulate(
            "--simulator", "--seed", "8", "--started-at", "2026-11-19T03:00:00Z", "--inject", "Search=drop:6",
            "--out", "pr")
        let said = try folder.run("check", "pr")
        #expect(said.code == 0 && said.output.contains("and break their limits: Search dropped_frames"), "\(said)")
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

    /// Later runs of the build clear a suspect of the first one: that isn't silent, whoever measured them.
    @Test func logsThatClearASuspectSaySo() throws {
        let folder = try CommandFolder.shop()
        for (name, hour, delay) in [("again", "04", "0"), ("third", "05", "1")] {
            try folder.simulate(
                "--seed", hour, "--started-at", "2026-11-19T\(hour):00:00Z", "--name", name, "--out", name,
                "--inject", "Search=load:\(delay)")
        }
        let said = try folder.run("check", "pr", "again", "third", "--confirmation", "rerun")
        #expect(said.code == 0, "\(said)")
        #expect(said.output.contains("In the first run, and cleared by 2 reruns: Search: time to"), "\(said)")
        #expect(!(try folder.run("check", "again", "--confirmation", "rerun").output.contains("In the first run")))
        // Another device that began before it is no reason to take its first run for a rerun.
        try folder.simulate("--started-at", "2026-11-19T02:00:00Z", "--device", "iPhone9,1", "--out", "other")
        let both = try folder.run("check", "other", "pr", "again", "third", "--confirmation", "rerun")
        #expect(both.output.contains("In the first run, and cleared by 2 reruns: Search: time to"), "\(both)")
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
