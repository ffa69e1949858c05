import Foundation
import PerfgateBaselines
import PerfgateModel
import Testing

/// Two branches update the baseline of a page, and git merges them with the driver.
struct MergeDriverTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-merge-\(UUID().uuidString)")

    private func shell(_ script: String) throws -> (code: Int32, output: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-ec", script]
        process.currentDirectoryURL = folder
        process.environment = [
            "PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": folder.path, "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@example.com", "PERFGATE": try GoldenTests.executable().path,
        ]
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    private func writeLog(_ id: String, day: Int, ttil: Double) throws {
        let lines = [
            #"{"type":"run","schema":1,"run_id":"\#(id)","app":"a","build":"Release","device":"d","os":"iOS 17.5","#
                + #""max_fps":60,"started_at":"2026-11-\#(day)T10:00:00Z"}"#,
            #"{"type":"pps","page":"Search","visit_id":"\#(id)","outcome":"loaded","ttil_ms":\#(ttil)}"#,
        ]
        try (lines.joined(separator: "\n") + "\n").write(
            to: folder.appending(path: "\(id).ndjson"), atomically: true, encoding: .utf8)
    }

    private func samples() throws -> [String: [Double]] {
        let baselines = try BaselineStore(folder: folder.appending(path: "Baselines").path).load()
        let file = try #require(baselines.entries.values.first?.file)
        return try #require(file.metrics["ttil"]?.samples)
    }

    /// Only a repository that asks for the driver lacks it.
    @Test func doctorNamesTheMissingDriver() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let driver = "git config merge.perfgate.driver 'perfgate baseline merge %O %A %B'"
        #expect(try !shell("git init -q; \"$PERFGATE\" doctor").output.contains(driver))
        let said = try shell("\"$PERFGATE\" init; mkdir a; cd a; \"$PERFGATE\" doctor | tr -s ' \\n' ' '")
        #expect(said.output.contains("git can't merge baselines here yet: \(driver)"), "\(said)")
        let after = try shell("\(driver); \"$PERFGATE\" doctor")
        #expect(after.output.contains("Missing        nothing"), "\(after)")
        try writeLog("r1", day: 10, ttil: 500)
        let update = "\"$PERFGATE\" baseline update r1.ndjson; rm .gitattributes"
        let without = try shell("\(update); \"$PERFGATE\" doctor | tr -s ' \\n' ' '")
        let line = "add the line 'Baselines/**/*.json merge=perfgate' to .gitattributes"
        #expect(without.output.contains("git can't merge baselines here yet: \(line)"), "\(without)")
    }

    private func prepare(driver: Bool) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (id, day, ttil) in [("r1", 10, 500.0), ("r2", 11, 501), ("r3", 12, 502)] {
            try writeLog(id, day: day, ttil: ttil)
        }
        let result = try shell(
            """
            git init -q -b main .
            echo '*.ndjson' > .gitignore
            \(driver ? "echo 'Baselines/**/*.json merge=perfgate' > .gitattributes" : "")
            git config merge.perfgate.driver "$PERFGATE baseline merge %O %A %B"
            $PERFGATE baseline update r1.ndjson
            git add -A && git commit -q -m base
            git checkout -q -b branch
            $PERFGATE baseline update r2.ndjson
            git commit -q -a -m two
            git checkout -q main
            $PERFGATE baseline update r3.ndjson
            git commit -q -a -m three
            """)
        try #require(result.code == 0, "\(result.output)")
    }

    @Test func twoUpdatesOfOnePageMerge() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try prepare(driver: true)
        let merge = try shell(
            "git merge -q -m merged branch >/dev/null && git status --porcelain && $PERFGATE baseline diff HEAD")
        #expect(merge.code == 0, "\(merge.output)")
        #expect(merge.output == "The baselines don't differ from HEAD.\n")
        #expect(try samples() == ["r1": [500], "r2": [501], "r3": [502]])
        let diff = try shell("$PERFGATE baseline diff HEAD~1")
        #expect(
            diff.output.contains(
                "2 cells moved within their noise or not at all; --details lists them; runs: 1 added\n"),
            "\(diff.output)")
    }

    /// A server merges without the driver: two branches that accept different pages must not touch the same files.
    @Test func acceptancesOfTwoPagesMergeWithoutTheDriver() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let simulate = "$PERFGATE simulate --page Home --page Search --iterations 5 >/dev/null"
        let result = try shell(
            """
            git init -q -b main . && echo logs > .gitignore
            \(simulate) --runs 5 --out logs/main && $PERFGATE baseline update logs/main >/dev/null
            git add -A && git commit -q -m base
            for page in Home Search; do
                git checkout -q -b $page main
                \(simulate) --seed 1 --name $page --started-at 2026-02-01T00:00:00Z --inject $page=load:300 --out logs/$page
                $PERFGATE baseline update logs/$page --page $page --metric ttil --accept "why $page"
                git commit -q -a -m $page
            done
            git checkout -q main && git merge -q -m one Home && git merge -q -m two Search
            grep -h '"reason"' Baselines/*/*.json && $PERFGATE baseline show Search
            """)
        #expect(result.code == 0, "\(result.output)")
        #expect(result.output.contains("1 cell was stored (1 accepted), 0 refused, "), "\(result.output)")
        #expect(result.output.contains("not stored; --all-passed stores those that passed"))
        #expect(result.output.contains(#""reason": "why Home""#) && result.output.contains(#""reason": "why Search""#))
    }

    @Test func acceptingWhatNoRunMeasuredIsAnError() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try prepare(driver: true)
        try writeLog("r4", day: 13, ttil: 9)
        let update = "$PERFGATE baseline update r4.ndjson --accept why"
        let absent = try shell("\(update) --page Search --metric ttfl")
        #expect(absent.code == 66 && absent.output.contains("No run measured the metric 'ttfl'"), "\(absent.output)")
        let said = try shell("\(update) --all-passed")
        #expect(said.code == 64 && said.output.contains("'--all-passed' adds to"), "\(said.output)")
    }

    @Test func aRenameBesideANightMerges() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try prepare(driver: true)
        let merge = try shell(
            """
            git checkout -q branch && $PERFGATE baseline rename Search 'Search results' && git add -A && git commit -q -m name
            git checkout -q main && git merge -q -m merged branch && $PERFGATE baseline show 'Search results'
            """)
        #expect(merge.code == 0, "\(merge.output)")
        #expect(try samples() == ["r1": [500], "r2": [501], "r3": [502]])
    }

    /// A folder of logs is no state of the baselines, but a branch of its name is.
    @Test func aFolderOfLogsIsNoStore() throws {
        try prepare(driver: true)
        let logs = try shell("mkdir logs && echo '{}' > logs/a.ndjson && $PERFGATE baseline diff logs")
        #expect(logs.code == 66, "\(logs.output)")
        let branch = try shell("git branch logs && $PERFGATE baseline diff logs")
        #expect(branch.code == 0 && branch.output.contains("don't differ from logs"), "\(branch.output)")
    }

    @Test func anEmptyBaselineOfARevisionIsNamed() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try prepare(driver: false)
        let said = try shell(
            "cd Baselines; f=$(git ls-files | head -1); cp \"$f\" ../kept; : > \"$f\"; git commit -q -am empty; cp ../kept \"$f\""
                + "; cd ..; $PERFGATE baseline diff")
        #expect(said.code == 78 && said.output.contains(".json"), "\(said)")
    }

    @Test func aShallowCloneNamesItsMissingHistory() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try prepare(driver: false)
        let head = try shell("git clone -q --depth 1 \"file://$PWD\" shallow; cd shallow; $PERFGATE baseline diff HEAD")
        #expect(head.code == 0 && head.output == "The baselines don't differ from HEAD.\n", "\(head.output)")
        let earlier = try shell("cd shallow; $PERFGATE baseline diff HEAD~1")
        #expect(earlier.code == 66)
        #expect(earlier.output.contains("This clone is shallow: fetch the revision first"), "\(earlier.output)")
        let whole = try shell("$PERFGATE baseline diff HEAD~9")
        #expect(whole.code == 66 && !whole.output.contains("shallow"), "\(whole.output)")
    }

    @Test func withoutTheDriverTheHalfMergedFileIsNamedWithItsLine() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try prepare(driver: false)
        #expect(try shell("git merge -q branch").code != 0)
        let shown = try shell("$PERFGATE baseline show")
        #expect(shown.code == 78)
        #expect(shown.output.contains(#/Search-[0-9a-f]+\.json:\d+: a merge left its conflict marker here/#))
    }

    @Test func samplesThatContradictEachOtherStayAConflict() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try prepare(driver: true)
        let change = try shell(
            """
            git checkout -q branch
            sed -i.bak 's/500/700/' Baselines/*/*.json && rm Baselines/*/*.bak && git commit -q -a -m edited
            git checkout -q main
            sed -i.bak 's/500/800/' Baselines/*/*.json && rm Baselines/*/*.bak && git commit -q -a -m edited
            """)
        try #require(change.code == 0, "\(change.output)")
        let merge = try shell("git merge branch")
        #expect(merge.code != 0)
        #expect(merge.output.contains("run r1 is stored with other samples of ttil"), "\(merge.output)")
    }
}
