import Foundation
import Testing

/// End to end: an app is simulated, its main branch becomes the baseline, and a change is judged.
struct SimulateCommandTests {
    private static let size = ["--pages", "30", "--iterations", "10"]

    /// The part of a report's comparison that these tests use.
    private struct Comparison: Decodable, Hashable {
        let page: String
        let metric: String
        let gated: Bool
        let verdict: String
    }

    private struct Report: Decodable {
        let comparisons: [Comparison]
    }

    /// Simulates changes against six runs of the main branch; returns the exit code and the failures.
    private static func judge(_ folder: CommandFolder, seed: String, _ changes: [String]) throws -> (Int32, Set<String>)
    {
        let arguments = ["--seed", seed] + changes.flatMap { ["--inject", $0] }
        let log = try folder.run(["simulate"] + size + arguments)
        try #require(log.code == 0, "\(log.error)")
        let check = try folder.run("check", "-", "--json", "report.json", "--quiet", input: log.output)
        let report = try JSONDecoder().decode(Report.self, from: Data(folder.bytes(of: "report.json")))
        let failed = report.comparisons.filter { $0.gated && ["regressed", "over_limit"].contains($0.verdict) }
        #expect(report.comparisons.count > 200)
        return (check.code, Set(failed.map { "\($0.page) \($0.metric)" }))
    }

    @Test func theGateNamesEachOf16ChangesAndNothingElse() throws {
        let folder = try CommandFolder()
        #expect(try folder.run(["simulate"] + Self.size + ["--runs", "6", "--out", "main"]).code == 0)
        #expect(try folder.run("baseline", "update", "main").code == 0)

        let same = try Self.judge(folder, seed: "1", [])
        #expect(same == (0, []))
        let slower = try Self.judge(
            folder, seed: "4",
            [
                "Search=load:200", "Cart=load:400", "Help=load:150", "Home=layout:30", "Login=layout:20",
                "Messages=append:300", "Map=append:300", "Deal=image:200",
            ])
        #expect(
            slower == (
                2,
                [
                    "Search ttil", "Cart ttil", "Help ttil", "Home ttfl", "Login ttfl", "Messages alt", "Map alt",
                    "Deal rclt",
                ]
            ))
        // A list that stalls for frames in each scroll also causes hitches and scroll thread hangs, by definition.
        let stalled = ["Orders", "Review", "Payment"].flatMap { page in
            ["dropped_frames", "hitch_ratio", "scroll_thread_hang"].map { "\(page) \($0)" }
        }
        let janky = try Self.judge(
            folder, seed: "5",
            [
                "Store=load:200", "Brand=load:300", "Product=layout:30", "Category=append:300", "Stores=image:300",
                "Orders=drop:3", "Review=drop:5", "Payment=drop:2",
            ])
        #expect(
            janky == (2, Set(["Store ttil", "Brand ttil", "Product ttfl", "Category alt", "Stores rclt"] + stalled)))
    }

    @Test func sameArgumentsGiveTheSameBytes() throws {
        let folder = try CommandFolder()
        let arguments = ["simulate", "--seed", "7", "--launches", "2", "--ticks", "--inject", "Cart=kill"]
        let first = try folder.run(arguments)
        #expect(first.code == 0)
        #expect(try folder.run(arguments).output == first.output)
        #expect(try folder.run("simulate", "--seed", "8").output != first.output)
    }

    @Test(arguments: ["-", "logs"])
    func aKillLeavesALogThatCanBeRead(out: String) throws {
        let folder = try CommandFolder()
        let log = try folder.run("simulate", "--launches", "2", "--inject", "Cart=kill", "--out", out)
        try folder.write(log.output, to: "stream.ndjson")
        let logs = out == "-" ? "stream.ndjson" : out
        let again = try folder.run(
            "simulate", "--launches", "2", "--inject", "Cart=kill", "--name", "b", "--out", out == "-" ? out : "b")
        try folder.write(again.output, to: "again.ndjson")
        let compare = try folder.run("compare", logs, "--with", out == "-" ? "again.ndjson" : "b")
        #expect(log.code == 0)
        #expect(compare.code == 0, "\(compare.error)")
        #expect(compare.error.contains("[PG104]") == (out == "logs"))
    }

    @Test func aKillBreaksAPromisedEnd() throws {
        let folder = try CommandFolder()
        let arguments = ["simulate", "--pages", "2", "--iterations", "2", "--out"]
        #expect(try folder.run(arguments + ["whole"]).code == 0)
        #expect(try folder.run("validate", "whole").code == 0)
        #expect(try folder.run(arguments + ["killed", "--inject", "Search=kill"]).code == 0)
        let compare = try folder.run("compare", "killed", "--with", "whole")
        #expect(compare.code == 65)
        #expect(compare.output.contains("promises an end line"), "\(compare.output)")
    }

    @Test func namesAreWhatTheFlagsSay() throws {
        let folder = try CommandFolder()
        let arguments = ["simulate", "--page", "Début", "--page", "Search", "--iterations", "1", "--commit", "4be1a09"]
        let one = try folder.run(arguments + ["--name", "nightly"]).output
        #expect(one.contains(#""run_id":"nightly","part":"launch-1","expects_end":true,"app":"com.example.shop""#))
        #expect(one.contains(#""commit":"4be1a09""#) && one.contains(#""page":"Début""#))
        #expect(!one.contains(#""page":"Home""#))
        #expect(try folder.run(arguments).output.replacing("sim-0-1", with: "nightly") == one)
        #expect(try folder.run(arguments + ["--name", "nightly", "--runs", "10", "--out", "logs"]).code == 0)
        let logs = try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "logs").path)
        #expect(logs.contains("nightly-01_launch-1.ndjson") && logs.contains("nightly-10_launch-1.ndjson"))
    }

    @Test func theEnvironmentIsWhatTheFlagsSay() throws {
        let folder = try CommandFolder()
        let log = try folder.run(
            "simulate", "--pages", "1", "--iterations", "1", "--app", "a", "--app-version", "2", "--build", "Debug",
            "--device", "iPhone17,1", "--os", "iOS 26.0", "--max-fps", "120", "--simulator", "--started-at",
            "2026-02-03T04:05:06+01:00")
        let head = try #require(log.output.split(separator: "\n").first)
        #expect(
            head.hasPrefix(
                #"""
                {"type":"run","schema":1,"run_id":"sim-0-1","part":"launch-1","expects_end":true,"app":"a",\#
                "app_version":"2",\#
                "build":"Debug","device":"iPhone17,1","simulator":true,"os":"iOS 26.0","max_fps":120,
                """#))
        #expect(head.hasSuffix(#""started_at":"2026-02-03T03:05:06Z"}"#))
    }

    @Test func aLogThatIsThereIsNotWrittenBeside() throws {
        let folder = try CommandFolder()
        let arguments = ["simulate", "--pages", "1", "--iterations", "1", "--out", "logs"]
        let first = try folder.run(arguments)
        #expect(first.output == "logs: 1 run, 1 iteration of 1 page each.\n")
        let second = try folder.run(arguments)
        #expect(second.code == 73)
        #expect(second.error.hasPrefix("perfgate: logs/sim-0-1_launch-1.ndjson already exists."))
        #expect(try folder.run("simulate", "--out", "/dev/null/logs").code == 73)
    }

    @Test(arguments: [
        (["--pages", "2", "--page", "Home"], "Give --pages or --page, not both."),
        (["--page", "Home", "--page", "Home"], "Each --page needs a different name."),
        (["--name", ""], "'--name' needs a name."),
        (["--pages", "0"], "'--pages 0' is not from 1 to 10000."),
        (["--runs", "10001"], "'--runs 10001' is not from 1 to 10000."),
        (["--inject", "Search=fly"], "'--inject Search=fly' is not a change."),
        (["--inject", "Nowhere=kill"], "'--inject Nowhere=kill': none of the 5 pages has this name."),
        (["--max-fps", "0"], "'--max-fps 0.0' is not from 1 to 1000."),
        (["--started-at", "yesterday"], "'--started-at yesterday' isn't a time like 2026-01-01T00:00:00Z"),
    ])
    func wrongArgumentsAreQuoted(arguments: [String], message: String) throws {
        let said = try CommandFolder().run(["simulate"] + arguments)
        #expect(said.code == 64)
        #expect(said.error.contains(message), "\(said.error)")
    }
}
