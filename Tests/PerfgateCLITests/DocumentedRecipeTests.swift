import Foundation
import Testing

/// The recipes of OtherTools.md work as gates: with files from these tools, worse ones fail and equal ones pass.
struct DocumentedRecipeTests {
    /// A tool's file of one test run; `load` scales its times and jank, 1 is normal.
    enum Tool: String, CaseIterable {
        case flutter, gfxinfo, macrobenchmark

        var flags: [String] { ["--app", "com.example.app", "--build", "profile", "--max-fps", "60"] + device }

        private var device: [String] {
            self == .macrobenchmark ? [] : ["--device", "Pixel 5", "--os", "Android 14"]
        }

        var name: String {
            switch self {
            case .flutter: "scroll.timeline_summary.json"
            case .gfxinfo: "frames.txt"
            case .macrobenchmark: "benchmarkData.json"
            }
        }

        /// Each run differs slightly, so no two are identical.
        func file(run: Int, jank: Double = 1, time: Double = 1) -> String {
            let (late, noise) = (Int(10 * jank) + run % 2, Double(run % 5) / 10 + Double(run) / 10_000)
            switch self {
            case .flutter:
                return """
                    {"average_frame_build_time_millis":4,"90th_percentile_frame_build_time_millis":\(6 * time + noise),
                    "missed_frame_build_budget_count":\(late),"average_frame_rasterizer_time_millis":4,
                    "90th_percentile_frame_rasterizer_time_millis":\(7 * time + noise),
                    "missed_frame_rasterizer_budget_count":\(late),"frame_count":\(600 + run)}
                    """
            case .gfxinfo:
                return """
                    Applications Graphics Acceleration Info:
                    Uptime: \(81_230 + run) Realtime: 81230

                    ** Graphics info for pid 2114 [com.example.app] **

                    Stats since: 6100000000\(run)ns
                    Total frames rendered: \(600 + run)
                    Janky frames: \(late) (1.00%)
                    50th percentile: 9ms
                    90th percentile: \(Int(16 * time) + run % 2)ms
                    95th percentile: 40ms
                    99th percentile: 44ms

                    Total ViewRootImpl   : 1

                    """
            case .macrobenchmark:
                let frames = (0..<20).map { "\((Double($0) / 4 + 4) * time + noise / 10)" }.joined(separator: ",")
                return """
                    {"context":{"build":{"model":"Pixel 5","version":{"sdk":34}}},"benchmarks":[
                    {"name":"scroll","className":"Shop","metrics":{
                    "timeToFullDisplayMs":{"runs":[\(700 * time + noise),\(701 * time),\(702 * time)]}},
                    "sampledMetrics":{"frameDurationCpuMs":{"runs":[[\(frames)],[\(frames)],[\(frames)]]}}}]}
                    """
            }
        }
    }

    private static func write(
        _ runs: Range<Int>, of tool: Tool, to folder: CommandFolder, _ name: String,
        jank: Double = 1, time: Double = 1
    ) throws {
        for run in runs {
            try folder.write(tool.file(run: run, jank: jank, time: time), to: "\(name)/\(run)/\(tool.name)")
        }
    }

    /// The logs of a folder: a pattern names files with any suffix.
    private static func check(_ name: String, of tool: Tool, in folder: CommandFolder) throws -> CommandFolder.Said {
        try folder.run(["check", "\(name)/*/\(tool.name)"] + tool.flags)
    }

    @Test func theQueryInTheDocumentationIsTheOneThatIsPrinted() throws {
        let folder = try CommandFolder()
        let absent = ["ttfl_ms", "sth_ms", "alt_ms", "rclt_ms", "hitch_ms", "hang_ms", "frame_count", "outcome"]
        try folder.write(
            "field: { columns: { \(absent.map { "\($0): ~" }.joined(separator: ", ")) } }\n", to: "perfgate.yml")
        let said = try folder.run(
            "field", "sql", "--dialect", "duckdb", "--table", "analytics.perf", "--since", "2026-11-01")
        let article = GoldenTests.root.appending(path: "Sources/PerfgateCLI/Documentation.docc/FieldWarehouse.md")
        #expect(try String(contentsOf: article, encoding: .utf8).contains("```sql\n\(said.output)```"), "\(said.error)")
    }

    /// The first commands of the page on real users, and its comparison of two releases, in a folder with a day in each
    /// folder of `events/`.
    @Test func theCommandsForRealUsersRunAsWritten() throws {
        let folder = try CommandFolder()
        let days = ["--days", "12", "--started-at", "2026-11-08T00:00:00Z"]
        let events = ["simulate", "--field", "--pages", "4", "--events", "2000", "--users", "600", "--out", "all"]
        #expect(try folder.run(events + days).code == 0)
        for day in 8...19 {
            let name = "2026-11-\(day < 10 ? "0" : "")\(day)"
            try folder.write(try folder.text(of: "all/\(name).ndjson"), to: "events/\(name)/events.ndjson")
        }
        let article = try String(
            contentsOf: GoldenTests.root.appending(path: "Sources/PerfgateCLI/Documentation.docc/FieldData.md"),
            encoding: .utf8)
        let blocks = article.components(separatedBy: "```sh\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        let chosen = blocks.filter { $0.hasPrefix("perfgate field rollup events/") }
        try #require(chosen.count == 2 && chosen[1].contains("perfgate field check"))
        for line in chosen.joined().split(separator: "\n").map(String.init) {
            let shell = Process()
            shell.executableURL = URL(filePath: "/bin/sh")
            shell.arguments = ["-ec", line]
            shell.currentDirectoryURL = folder.url
            let program = try GoldenTests.executable().deletingLastPathComponent().path
            shell.environment = ["PATH": "\(program):/usr/bin:/bin", "HOME": folder.url.path]
            shell.standardOutput = FileHandle.nullDevice
            shell.standardError = FileHandle.nullDevice
            try shell.run()
            shell.waitUntilExit()
            #expect(shell.terminationStatus == 0, "\(line)")
        }
        for name in ["trend.html", "field.csv", "release.html", "release.md", "release.xml", "release.json"] {
            #expect(folder.exists(name), "\(name)")
        }
    }

    @Test(arguments: Tool.allCases)
    func worseFailsAndEqualPasses(_ tool: Tool) throws {
        let folder = try CommandFolder()
        try Self.write(0..<12, of: tool, to: folder, "main")
        let update = try folder.run(["baseline", "update", "main/*/\(tool.name)"] + tool.flags)
        #expect(update.code == 0, "\(update.output)\(update.error)")
        try Self.write(20..<26, of: tool, to: folder, "equal")
        let equal = try Self.check("equal", of: tool, in: folder)
        #expect(equal.code == 0, "\(equal.output)\(equal.error)")
        try Self.write(30..<36, of: tool, to: folder, "slow", time: 2)
        let slow = try Self.check("slow", of: tool, in: folder)
        #expect(slow.code == 2, "\(slow.output)\(slow.error)")
        guard tool != .macrobenchmark else { return }
        try Self.write(40..<46, of: tool, to: folder, "janky", jank: 3)
        let janky = try Self.check("janky", of: tool, in: folder)
        #expect(janky.code == 2, "\(janky.output)\(janky.error)")
    }
}
