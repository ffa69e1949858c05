import Foundation
import Testing

/// `baseline update --from-ci`: stores the artifacts of many nights at once.
struct UpdateFromCITests {
    /// A folder with one folder per run, like a server's artifacts.
    private static func nights(
        _ count: Int, in folder: CommandFolder, inject: [String] = []
    ) throws {
        for night in 1...count {
            let day = "2026-01-\(night < 10 ? "0" : "")\(night)T00:00:00Z"
            let said = try folder.run(
                [
                    "simulate", "--pages", "2", "--seed", "\(night)", "--started-at", day, "--out",
                    "ci/b\(count - night)/logs",
                ]
                    + (night == count ? inject : []))
            try #require(said.code == 0)
        }
    }

    private static func stored(in folder: CommandFolder) throws -> [String: String] {
        let root = folder.url.appending(path: "Baselines")
        let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(".json") }.reduce(into: [:]) { files, name in
            files[name] = try String(contentsOf: root.appending(path: name), encoding: .utf8)
        }
    }

    /// The result equals that of one call per night.
    @Test func takesInWhatOneCallANightWould() throws {
        let (all, single) = (try CommandFolder(), try CommandFolder())
        try Self.nights(4, in: all)
        try Self.nights(4, in: single)
        let said = try all.run("baseline", "update", "--from-ci", "ci")
        #expect(said.code == 0 && said.error.isEmpty)
        #expect(said.output.hasSuffix("4 runs, 0 skipped: 152 cells were stored, 0 refused\n"))
        for night in 1...4 { _ = try single.run("baseline", "update", "ci/b\(4 - night)") }
        #expect(try Self.stored(in: all) == Self.stored(in: single))
        #expect(try Self.stored(in: all).count == 2)
    }

    @Test func twiceChangesNothing() throws {
        let folder = try CommandFolder()
        try Self.nights(3, in: folder, inject: ["--inject", "Home=load:900"])
        let first = try folder.run("baseline", "update", "--from-ci", "ci")
        let stored = try Self.stored(in: folder)
        let second = try folder.run("baseline", "update", "--from-ci", "ci")
        #expect(first.code == 2 && first.output.contains("\n  refused: Home  time to initial load [ttil]"))
        #expect(second.code == 2 && second.output.contains("sim-1-1 of 2026-01-01T00:00:00Z: skipped: already stored"))
        #expect(try Self.stored(in: folder) == stored)
    }

    /// A run is identified by its lines, in whatever folders its shards are.
    @Test func shardsInSeveralFoldersAreOneRun() throws {
        let folder = try CommandFolder()
        for (index, page) in ["Home", "Search"].enumerated() {
            let header =
                #"{"type":"run","schema":1,"run_id":"night","started_at":"2026-01-01T00:00:00Z","shard":"\#(index + 1)/2"}"#
            let visit = #"{"type":"pps","page":"\#(page)","ttil_ms":500}"#
            try folder.write("\(header)\n\(visit)\n", to: "ci/shard-\(index)/log.ndjson")
        }
        let said = try folder.run("baseline", "update", "--from-ci", "ci")
        #expect(said.code == 0 && !said.error.contains("PG212"))
        #expect(said.output.hasSuffix("1 run, 0 skipped: 4 cells were stored, 0 refused\n"))
        let half = try folder.run("baseline", "update", "--from-ci", "ci/shard-0", "--baselines", "others")
        #expect(half.error.contains("Run night was spread over 2 shards; 2/2 isn't here"))
    }

    @Test func aDryRunWritesNothing() throws {
        let folder = try CommandFolder()
        try Self.nights(2, in: folder)
        let said = try folder.run("baseline", "update", "--from-ci", "ci", "--dry-run")
        #expect(said.code == 0 && said.output.contains("would be stored"))
        #expect(!folder.exists("Baselines"))
    }

    @Test func anUnreadableLogLeavesTheStoreAlone() throws {
        let folder = try CommandFolder()
        try Self.nights(2, in: folder)
        try folder.write("no log at all\n", to: "ci/b0/logs/broken.ndjson")
        let said = try folder.run("baseline", "update", "--from-ci", "ci")
        #expect(said.code == 65 && said.error.contains("ci/b0/logs/broken.ndjson: error: "))
        #expect(said.output == "Nothing was stored.\n" && !folder.exists("Baselines"))
        try folder.write("schema: 1\nbad_run: exclude\n", to: "perfgate.yml")
        let excluding = try folder.run("baseline", "update", "--from-ci", "ci")
        #expect(excluding.code == 0 && excluding.error.contains("broken.ndjson"))
        #expect(excluding.output.hasSuffix("2 runs, 0 skipped: 76 cells were stored, 0 refused\n"))
    }

    /// Unlike an unreadable log, an unfit run doesn't stop the others.
    @Test(arguments: [("fail", Int32(65)), ("exclude", 0)])
    func anUnfitRunIsRefusedAlone(_ policy: String, _ code: Int32) throws {
        let folder = try CommandFolder()
        try Self.nights(2, in: folder)
        let log = "ci/b0/logs/sim-2-1_launch-1.ndjson"
        try folder.write(
            try folder.text(of: log).replacing(#""thermal_state":"nominal""#, with: #""thermal_state":"critical""#),
            to: log)
        try folder.write(
            "schema: 1\nbad_run: \(policy)\nfit:\n  thermal_state: { critical: refuse }\n", to: "perfgate.yml")
        let said = try folder.run("baseline", "update", "--from-ci", "ci")
        #expect(said.code == code)
        #expect(said.output.contains("sim-2-1 of 2026-01-02T00:00:00Z: refused, see above\n"))
        #expect(said.output.hasSuffix("2 runs, 0 skipped: 38 cells were stored, 0 refused\n"))
        #expect(said.error.contains("critical"))
    }

    @Test func aRunWithoutAStartIsRefusedWithAWayOut() throws {
        let folder = try CommandFolder()
        try Self.nights(1, in: folder)
        let line = #"{"type":"metric","page":"Home","metric":"launch","unit":"ms","better":"lower","values":[1]}"#
        try folder.write(#"{"type":"run","schema":1,"run_id":"r"}"# + "\n\(line)\n", to: "ci/x.ndjson")
        let said = try folder.run("baseline", "update", "--from-ci", "ci")
        #expect(said.code == 65 && !folder.exists("Baselines"))
        #expect(said.error.contains("ci/x.ndjson: error: Run r doesn't say when it began"))
        #expect(said.error.contains("Write started_at"))
    }

    @Test(arguments: [["--from-ci", "ci", "logs"], []])
    func eitherLogsOrAFolder(_ arguments: [String]) throws {
        let said = try CommandFolder().run(["baseline", "update"] + arguments)
        #expect(said.code == 64 && said.error.contains("Give either logs or '--from-ci DIR'"))
    }

    @Test func anEmptyFolderIsNoInput() throws {
        let folder = try CommandFolder()
        try folder.write("", to: "ci/readme.txt")
        #expect(try folder.run("baseline", "update", "--from-ci", "ci").code == 66)
    }
}
