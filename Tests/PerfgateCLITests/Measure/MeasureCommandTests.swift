import Foundation
import Testing

/// `perfgate measure` with a script that plays simulated pages; `Tests/Judges/judge-measure.py` has the error rates, kills
/// and every way in which a run can fail.
struct MeasureCommandTests {
    /// Measures the pages that it is asked for, head's Search with another time.
    private static func device(_ simulate: String) -> String {
        """
        #!/bin/sh
        set -e
        n=$((PERFGATE_PAIR * 2)); [ "$PERFGATE_SIDE" = head ] && n=$((n + 1))
        set --
        if [ -n "$PERFGATE_PAGES_FILE" ]; then
            while IFS= read -r page; do set -- "$@" --page "$page"; done < "$PERFGATE_PAGES_FILE"
        else
            set -- --page Home --page Search --page Cart --page Profile
        fi
        if [ "$PERFGATE_SIDE" = head ] && [ -n "$INJECT" ]; then set -- "$@" --inject "$INJECT"; fi
        if [ "$PERFGATE_SIDE" = "$CRASHES" ]; then echo "no device" >&2; exit 3; fi
        echo "$PERFGATE_SIDE $PERFGATE_PAIR ${PERFGATE_ITERATIONS:--}" >> calls
        if [ "$PERFGATE_PROFILE" = 1 ]; then
            sed 's/^# perfgate /&page=Search /' "$PROFILES/$PERFGATE_SIDE/Search/$PERFGATE_PAIR.folded" \
                > "$PERFGATE_OUT/1.folded"
            eval "${ENDS:-exit 0}"
        fi
        if [ -n "$COMMIT" ]; then set -- "$@" --commit "$COMMIT"; fi
        exec sh '\(simulate)' "$PERFGATE_OUT" "$@" --seed "$n" --name "run-$n"
        """
    }

    private func folder() throws -> CommandFolder {
        let folder = try CommandFolder()
        try folder.write(Self.device(try SimulatedDevice.script.get()), to: "device.sh")
        return folder
    }

    private func measure(
        _ folder: CommandFolder, _ options: [String] = [], _ variables: [String: String] = [:]
    ) throws -> CommandFolder.Said {
        try folder.run(["measure", "--base", "sh device.sh", "--head", "sh device.sh"] + options, variables)
    }

    @Test func anUnchangedHeadPassesAndSaysWhatItWouldHaveFound() throws {
        let folder = try folder()
        let said = try measure(folder, ["--iterations", "5", "--markdown", "r.md"])
        #expect(said.code == 0, "\(said.error)")
        #expect(said.output.contains("would be found with a probability of .9"))
        #expect(said.error.contains("pair 1 of at most 20, base"))
        #expect(try folder.text(of: "r.md").contains("pairs of runs took"))
        let calls = try folder.text(of: "calls").split(separator: "\n")
        #expect(calls.prefix(4) == ["base 1 5", "head 1 5", "head 2 5", "base 2 5"])
    }

    @Test func commitsNeedACommandThatMeasuresThem() throws {
        let folder = try folder()
        _ = try folder.run(["simulate", "--page", "Home", "--out", "logs"])
        for words in [["init", "-q"], ["add", "device.sh"], ["commit", "-qm", "First"]] {
            let git = Process()
            git.executableURL = URL(filePath: "/usr/bin/env")
            git.arguments = ["git", "-c", "user.name=a", "-c", "user.email=a@localhost"] + words
            git.currentDirectoryURL = folder.url
            try git.run()
            git.waitUntilExit()
            try #require(git.terminationStatus == 0)
        }
        let said = try folder.run("measure", "--base", "HEAD", "--head", "HEAD")
        #expect(said.code == 64 && said.error.contains("give --run-command"), "\(said)")
        #expect(!folder.exists("perfgate-measure"))
    }

    @Test func fewPairsCantAccuseATime() throws {
        let folder = try folder()
        let said = try measure(folder, ["--pairs", "3"], ["INJECT": "Search=load:250"])
        #expect(said.output.contains("3 pairs can't show that a time got worse: give --pairs 6 or more."), "\(said)")
        #expect(!said.output.contains("would be found"))
    }

    @Test func aSlowerPageFailsAndTheKeptLogsGiveTheSameVerdict() throws {
        let folder = try folder()
        let said = try measure(folder, ["--json", "r.json", "--html", "r.html"], ["INJECT": "Search=load:200"])
        #expect(said.code == 2, "\(said.error)")
        #expect(said.output.contains("Search: time to initial load") && said.output.contains("%)\n"))
        #expect(try folder.text(of: "r.html").contains("<title>pair 1: "))
        let again = try folder.run(
            "compare", "perfgate-measure/base/", "--with", "./perfgate-measure/head", "--json", "c.json")
        #expect(again.code == 2)
        func comparisons(_ name: String) throws -> NSArray? {
            let report = try JSONSerialization.jsonObject(with: Data(folder.bytes(of: name))) as? [String: Any]
            return report?["comparisons"] as? NSArray
        }
        #expect(try comparisons("c.json") == comparisons("r.json") && comparisons("c.json")?.count ?? 0 > 10)
        let why = try folder.run("explain", "Search", "ttil", "--result", "r.json")
        #expect(why.output.contains("Pairs in turn, looked at one by one"))
    }

    /// Hours of measuring leave a report, also if no option asks for one.
    @Test func theReportIsKeptBesideTheLogs() throws {
        let folder = try folder()
        let said = try measure(folder, [], ["INJECT": "Search=load:200"])
        let explain = "perfgate explain 'Search' 'ttil' --result 'perfgate-measure/result.json'"
        #expect(said.code == 2 && said.output.contains(explain), "\(said)")
        let why = try folder.run("explain", "Search", "ttil", "--result", "perfgate-measure/result.json")
        #expect(why.code == 0 && why.output.contains("Pairs in turn"), "\(why)")
    }

    @Test func aWorseHeadIsRecordedInTurnAndTheFunctionNamed() throws {
        let folder = try folder()
        let profiles = GoldenTests.root.appending(path: "Tests/Samples/profiles").path
        let said = try measure(folder, ["--profile"], ["INJECT": "Search=load:200", "PROFILES": profiles])
        #expect(said.code == 2 && said.output.contains("Why: Search.decodeThumbnail(_:) +189 ms"), "\(said)")
        let calls = try folder.text(of: "calls").split(separator: "\n").suffix(8)
        let order = ["base 1", "head 1", "head 2", "base 2", "base 3", "head 3", "head 4", "base 4"]
        #expect(calls.map { String($0.dropLast(2)) } == order)
        let clean = try self.folder()
        #expect(try measure(clean, ["--profile", "--iterations", "5"], ["PROFILES": profiles]).code == 0)
        #expect(try !clean.text(of: "calls").contains("head 3 -"), "Nothing got worse, so nothing is recorded.")
    }

    /// Hours of measuring keep their verdict, whatever ends the recording after them.
    @Test(arguments: ["exit 7", "kill -INT $PPID; sleep 1; exit 1"])
    func aRecordingThatEndsLeavesTheVerdict(_ end: String) throws {
        let folder = try folder()
        let profiles = GoldenTests.root.appending(path: "Tests/Samples/profiles").path
        let said = try measure(
            folder, ["--profile", "--json", "r.json"],
            ["INJECT": "Search=load:200", "PROFILES": profiles, "ENDS": end])
        #expect(said.code == 2 && said.error.contains("warning: No function is named: "), "\(said)")
        #expect(try folder.text(of: "r.json").contains("\"verdict\": \"regressed\""))
    }

    @Test func headThatCrashesFailsAndBaseIsBadData() throws {
        let head = try folder()
        let crash = try measure(head, ["--json", "r.json", "--junit", "r.xml"], ["CRASHES": "head"])
        #expect(crash.code == 2 && crash.error.contains("head's run in pair 1 failed: its command ended with code 3"))
        #expect(crash.output.contains("2 runs of head failed, and 0 of base."))
        #expect(
            crash.output.contains("2 runs of head failed, pair 1 since its command ended with code 3"),
            "\(crash.output)")
        #expect(try head.text(of: "r.json").contains("\"detail\": \"crashed\""))
        #expect(try head.text(of: "r.xml").contains("2 runs of head failed"))
        let base = try measure(try folder(), ["--junit", "r.xml"], ["CRASHES": "base"])
        #expect(base.code == 65 && base.error.contains("base's run failed twice in pair 1"))
    }

    @Test func aMeasurementIsNotOverwrittenAndGoesOnOnlyWithTheSameCommands() throws {
        let folder = try folder()
        #expect(try measure(folder, ["--resume"]).code == 66)
        #expect(try measure(folder, ["--pairs", "2"]).code == 0)
        let before = folder.content()
        let again = try measure(folder)
        #expect(
            again.code == 73 && again.error.contains("--resume") && again.error.contains("(rm -r 'perfgate-measure')"))
        let other = try folder.run(["measure", "--base", "true", "--head", "sh device.sh", "--resume"])
        #expect(other.code == 64 && other.error.contains("Give the same again"))
        #expect(folder.content().filter { !$0.key.hasSuffix(".perfgate-lock") } == before)
        // What was measured in pairs can't be judged in part, or together with other logs.
        let compare = ["compare", "perfgate-measure/base", "--with", "perfgate-measure/head"]
        #expect(try folder.run(compare).code == 0)
        _ = try folder.run(["simulate", "--name", "more", "--out", "more"])
        let mixed = try folder.run(compare + ["more"])
        #expect(mixed.code == 65 && mixed.error.contains("was measured in pairs"), "\(mixed)")
        let more = try measure(folder, ["--resume", "--pairs", "4"])
        #expect(more.code == 0 && more.error.contains("going on after 4 runs"))
        for log in folder.content().keys where log.contains("perfgate-measure/head/02/") {
            try FileManager.default.removeItem(at: folder.url.appending(path: log))
        }
        for call in [compare, ["measure", "--base", "sh device.sh", "--head", "sh device.sh", "--resume"]] {
            let lost = try folder.run(call)
            #expect(lost.code == 65 && lost.error.contains("head/02: the logs of a finished run are gone"), "\(lost)")
        }
        try folder.write("mine", to: "full/notes.txt")
        #expect(try measure(folder, ["--out", "full"]).code == 73)
        #expect(try folder.text(of: "full/notes.txt") == "mine")
    }

    /// The first command is often wrong, and nothing is lost with it.
    @Test(arguments: [[], ["--resume"]])
    func aCallThatMeasuredNothingBeginsAgainWithOtherCommands(_ options: [String]) throws {
        let folder = try folder()
        let wrong = try folder.run(
            ["measure", "--base", "sh devise.sh", "--head", "sh device.sh", "--pairs", "2"])
        #expect(wrong.code == 65 && wrong.error.contains("base's run failed twice"), "\(wrong)")
        let right = try measure(folder, options)
        #expect(right.code == 0 && !right.error.contains("pair 3"), "\(right)")
    }

    @Test func twoCommitsAreCheckedOutBuiltOnceAndMeasuredByTheCallersScript() throws {
        let folder = try folder()
        func git(_ words: String...) throws {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments =
                ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"] + words
            process.currentDirectoryURL = folder.url
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "git \(words)")
        }
        try git("init", "-q", "-b", "main")
        try folder.write("0", to: "delay")
        try git("add", "delay")
        try git("commit", "-q", "-m", "one")
        try folder.write("300", to: "delay")
        try git("commit", "-q", "-am", "two")
        let script = "INJECT=Search=load:$(($(cat \"$PERFGATE_TREE/built\") + 1)) sh device.sh"
        let build = "cp \"$PERFGATE_TREE/delay\" \"$PERFGATE_TREE/built\"; echo \"$PERFGATE_SIDE\" >> builds"
        let said = try folder.run([
            "measure", "--base", "HEAD~1", "--head", "HEAD", "--build-command", build, "--run-command", script,
        ])
        #expect(said.code == 2 && said.output.contains("Search: time to initial load"), "\(said.error)")
        #expect(try folder.text(of: "builds") == "base\nhead\n")
        #expect(
            said.output.contains("perfgate waive 'Search' 'ttil' --result 'perfgate-measure/result.json'"),
            "\(said.output)")
        #expect(!said.output.contains("aren't measured"))
        // An installation that fails leaves base's app on the device.
        let stale = script.replacing("sh device.sh", with: "COMMIT=$(git rev-parse HEAD~1) sh device.sh")
        let wrong = try folder.run([
            "measure", "--base", "HEAD~1", "--head", "HEAD", "--build-command", build, "--run-command", stale, "--out",
            "stale",
        ])
        #expect(wrong.code == 65 && wrong.error.contains("its log says that it measured commit "), "\(wrong)")
        // Whoever hasn't committed the change compares a commit with itself.
        try folder.write("900", to: "delay")
        let same = try folder.run([
            "measure", "--base", "main", "--head", "HEAD", "--build-command", build, "--run-command", script, "--pairs",
            "2", "--out", "same",
        ])
        #expect(same.output.contains("are the same commit, ") && same.error.contains("warning: Base and head"))
        #expect(same.output.contains("Changes that aren't committed aren't measured."), "\(same.output)")
        #expect(!folder.exists("perfgate-measure/trees"))
        let unknown = try folder.run([
            "measure", "--base", "--all", "--head", "HEAD", "--run-command", script, "--out", "other",
        ])
        #expect(unknown.code == 64)
        let missing = try folder.run([
            "measure", "--base", "nowhere", "--head", "HEAD", "--run-command", script, "--out", "third",
        ])
        #expect(missing.code == 64 && missing.error.contains("git knows no commit 'nowhere' for --base"))
    }
}
