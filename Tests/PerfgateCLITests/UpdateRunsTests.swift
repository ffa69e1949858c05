import Foundation
import Testing

/// `baseline update` with named logs: each run is judged separately.
struct UpdateRunsTests {
    /// A run of one page with these times.
    private static func log(
        _ run: String, day: Int?, _ times: [Double], device: String = "iPhone12,1", header: String = ""
    ) -> String {
        let start = day.map { #","started_at":"2026-01-\#($0 + 10)T03:00:00Z""# } ?? ""
        let head =
            #"{"type":"run","schema":1,"run_id":"\#(run)","app":"shop","build":"Release","device":"\#(device)","#
            + #""os":"iOS 17.5","max_fps":60\#(start)\#(header)}"#
        let lines = times.enumerated().map { iteration, time in
            #"{"type":"pps","page":"Search","iteration":\#(iteration),"visit_id":"\#(run)-\#(iteration)","#
                + #""outcome":"loaded","ttil_ms":\#(time)}"#
        }
        return ([head] + lines).joined(separator: "\n") + "\n"
    }

    private static let good = [500.0, 501, 502, 503, 504]

    @Test(arguments: 1...5)
    func oneSlowRunAmongFourGoodOnesIsRefused(_ slow: Int) throws {
        let folder = try CommandFolder()
        for day in 1...5 {
            let times = day == slow ? Self.good.map { 3 * $0 } : Self.good
            try folder.write(Self.log("n\(day)", day: day, times), to: "logs/\(day).ndjson")
        }
        let said = try folder.run("baseline", "update", "logs")
        #expect(said.code == 2 && said.output.contains("\n  refused: Search  time to initial load [ttil]  50"))
        #expect(said.output.contains("\n5 runs, 0 skipped: 9 cells were stored, 1 refused\n"))
        let shown = try folder.run("baseline", "show", "Search").output
        #expect(
            shown.contains(
                /time to initial load \[ttil\] +502 ms +(20 samples of 4|15 samples of 3) runs, held: 1 refused/))
    }

    /// Devices that measure separate builds, and logs without a start time.
    @Test func aMatrixOfBuildsAndRunsWithoutAStartAreTakenIn() throws {
        let folder = try CommandFolder()
        for day in 1...3 {
            for (device, commit) in [("iPhone12,1", "aaaa"), ("iPad1,1", "bbbb")] {
                let header = #","commit":"\#(commit)\#(day)","app_build":"\#(day)""#
                let run = Self.log("\(commit)-\(day)", day: day, Self.good, device: device, header: header)
                try folder.write(run, to: "logs/\(commit)-\(day).ndjson")
            }
        }
        try folder.write(Self.log("undated", day: nil, Self.good), to: "logs/undated.ndjson")
        #expect(try folder.run("baseline", "update", "logs").output.hasSuffix("14 cells were stored, 0 refused\n"))
        let again = try folder.run("baseline", "update", "logs")
        #expect(again.code == 0 && again.output.hasSuffix("7 runs, 7 skipped: 0 cells were stored, 0 refused\n"))
        #expect(try folder.run("baseline", "update", "--from-ci", "logs").code == 65)
    }

    @Test func aRunInDoubtIsReported() throws {
        let folder = try CommandFolder()
        for day in 1...3 { try folder.write(Self.log("n\(day)", day: day, Self.good), to: "logs/\(day).ndjson") }
        _ = try folder.run("baseline", "update", "logs")
        _ = try folder.run("baseline", "update", "logs", "--baselines", "Before")
        try folder.write(Self.log("n4", day: 4, [470, 590, 591, 592, 593]), to: "n4.ndjson")
        let said = try folder.run("baseline", "update", "n4.ndjson")
        #expect(said.code == 0 && said.output.contains("held: Search  time to initial load [ttil]  502 → 591 ms"))
        let shown = try folder.run("baseline", "show", "Search").output
        #expect(shown.contains("502 ms    15 samples of 3 runs, held: 1 doubtful\n"), "\(shown)")
        let diff = try folder.run("baseline", "diff", "Before").output
        #expect(diff.contains("  1 held\n"), "\(diff)")
        try folder.write(Self.log("pr", day: 8, Self.good), to: "pr.ndjson")
        #expect(try folder.run("check", "pr.ndjson").output.contains("None of 2 comparisons"))
        #expect(try folder.run("check", "n4.ndjson").output.contains("only 1 cell that wasn't stored is judged"))
        for day in 5...6 {
            try folder.write(Self.log("n\(day)", day: day, Self.good), to: "n\(day).ndjson")
            _ = try folder.run("baseline", "update", "n\(day).ndjson")
        }
        let after = try folder.run("baseline", "show", "Search").output
        #expect(after.contains("502 ms    25 samples of 5 runs, held: 1 doubtful\n"), "\(after)")
        let none = try folder.run("baseline", "reopen", "Search", "ttil")
        #expect(none.code == 66 && none.error.contains("no earlier epoch"), "\(none.error)")
        #expect(try folder.run("baseline", "release", "Search", "ttil").code == 64)
        let released = try folder.run("baseline", "release", "Search", "ttil", "--reason", "a slow server")
        #expect(released.code == 0 && released.output.hasPrefix("let in: 1 held run of ttil of Search"))
        #expect(try folder.run("baseline", "show", "Search").output.contains("30 samples of 6 runs\n"))
        #expect(try folder.run("baseline", "release", "Search", "ttil", "--reason", "again").code == 66)
    }

    @Test func aBadLogChangesNothing() throws {
        let folder = try CommandFolder()
        try folder.write(Self.log("n1", day: 1, Self.good), to: "logs/1.ndjson")
        try folder.write(Self.log("n2", day: 2, Self.good) + "{", to: "logs/2.ndjson")
        try folder.write("no log\n", to: "logs/3.ndjson")
        let said = try folder.run("baseline", "update", "logs")
        #expect(said.code == 65 && said.output == "Nothing was stored.\n" && !folder.exists("Baselines"))
    }
}
