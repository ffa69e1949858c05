import ArgumentParser
import Foundation
import LibC
import PagePerformance
import PageSimulator
import PerfgateField
import VerdictStudy

/// Writes events, measures how fast they are rolled up, each time in a separate process, and removes them.
struct FieldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "field",
        abstract: "How fast events are rolled up: processor seconds and the peak of memory, beside DuckDB's.",
        discussion: "DuckDB runs in the python3 on PATH, or in the one that PERFGATE_PYTHON names.")

    @Argument(help: "The folder for the events, which are removed afterwards.")
    var folder: String
    @Option(help: "The number of events, 1,000 or more.")
    var events = 2_000_000
    @Option(help: "The number of days, with one file per day, 1 or more.")
    var days = 1
    @Option(help: "An engine to compare with: duckdb.")
    var beside: String?
    @Flag(help: "Leave the events and the roll-ups in the folder.")
    var keep = false

    private static let widths = [14, 12, 10, 12, 14]

    func validate() throws {
        guard events >= 1_000, days > 0 else {
            throw ValidationError("Give --events of 1,000 and --days of 1 or more.")
        }
        if let beside, beside != "duckdb" { throw ValidationError("'--beside \(beside)' is not duckdb.") }
    }

    func run() throws {
        let place = "\(folder)/perfgate-bench-field-\(getpid())"
        let files = (0..<days).map { "\(place)/events/\($0).ndjson" }
        try FileManager.default.createDirectory(atPath: "\(place)/events", withIntermediateDirectories: true)
        defer { if !keep { try? FileManager.default.removeItem(atPath: place) } }
        let size = try FieldEvents.write(events, days: days, to: files)
        print("\(events) events, \(size / 1_000_000) MB, \(days == 1 ? "a file" : "\(days) files by day")")
        print(
            Table.row(["", "processor s", "wall s", "peak MB", "events a s"], widths: Self.widths, names: 1))
        let own = [CommandLine.arguments[0], "field-once"] + files
        measure("perfgate", own + ["--out", "\(place)/Field"])
        guard beside != nil else { return }
        let python = ProcessInfo.processInfo.environment["PERFGATE_PYTHON"] ?? "python3"
        let (script, sql) = ("\(place)/rollup.py", "\(place)/rollup.sql")
        try DuckDBRollUp.script.write(toFile: script, atomically: true, encoding: .utf8)
        try DuckDBRollUp.sql(files).write(toFile: sql, atomically: true, encoding: .utf8)
        measure("DuckDB", [python, script, sql, "\(place)/duckdb.csv"])
    }

    private func measure(_ name: String, _ command: [String]) {
        guard let child = ChildProcess(command) else { fail("\(command.prefix(3)) failed") }
        let row = [
            name, Table.decimal(child.seconds, places: 2), Table.decimal(child.wall, places: 2),
            "\(child.peakBytes / 1_000_000)", "\(Int(Double(events) / max(child.seconds, 0.01)))",
        ]
        print(Table.row(row, widths: Self.widths, names: 1))
    }
}

/// The child process of `field`.
struct FieldOnceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "field-once", abstract: "Rolls up files as `perfgate field rollup` does.", shouldDisplay: false)

    @Argument(help: "The files.")
    var files: [String]
    @Option(help: "The folder of the roll-up.")
    var out: String

    func run() throws {
        let summary = try FieldRollUp.run(files, FieldOptions(), into: FieldStore(folder: out))
        guard summary.events > 0, summary.faults.isEmpty else { fail("nothing was rolled up") }
    }
}

/// The events to roll up: 537 pages and 13 releases of a shop, in the middle of four weeks.
private enum FieldEvents {
    static func write(_ count: Int, days: Int, to files: [String]) throws -> Int {
        var simulation = FieldSimulation(pages: SimulatedPage.shop(537), firstDay: 20_400)
        (simulation.days, simulation.events, simulation.users) = (28 + days, count / days, 500_000)
        simulation.releases = (117..<130).map { "7.\($0)" }
        let audience = simulation.audience()
        var size = 0
        for (day, path) in files.enumerated() {
            guard let file = fopen(path, "w") else { fail("can't write \(path)") }
            defer { fclose(file) }
            simulation.play(day: 14 + day, for: audience) { size += fwrite($0, 1, $0.count, file) }
        }
        return size
    }
}

/// The same roll-up T in DuckDB, with the SQL that perfgate prints, unsorted and uncompressed: the script takes the
/// SQL and the output file.
private enum DuckDBRollUp {
    static let script = #"""
        import sys
        import duckdb

        sql, out = sys.argv[1:]
        *settings, query = [one for one in open(sql).read().split(";\n") if one.strip()]
        for setting in settings:
            duckdb.sql(setting)
        duckdb.sql(f"COPY ({query}) TO '{out}' (HEADER)")
        """#

    /// The query over files of events.
    static func sql(_ files: [String]) throws -> String {
        let columns = LogKey.columns.map { column in
            "'\(column.rawValue)': '\(column == .at ? "BIGINT" : column.isMeasurement ? "DOUBLE" : "VARCHAR")'"
        }
        let list = files.map { "'\($0)'" }.joined(separator: ", ")
        let source =
            "SELECT * FROM read_json([\(list)], format = 'newline_delimited', columns = {\(columns.joined(separator: ", "))})"
        var query = FieldQuery(.duckdb, table: .sql(source))
        query.time = .milliseconds
        return try query.text(.days)
    }
}

/// Prints the error rates and the power of the rule for releases.
struct ReleasesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "releases",
        abstract: "Draws pairs of releases, and counts the rule's false alarms and detections.")

    enum Table: String, CaseIterable, ExpressibleByArgument {
        /// False alarms, world by world.
        case worlds
        /// The detected changes.
        case changes
        /// The detected changes of failures.
        case failures
        /// Standard errors compared with a bootstrap over users.
        case users
    }

    @Argument(help: "The tables to print; default: all.")
    var tables = Table.allCases
    @Option(help: "The random seed.")
    var seed: UInt64 = 2_026
    @Option(help: "The number of pairs of releases per line, 1 or more.")
    var runs = 150
    @Option(parsing: .upToNextOption, help: "The lines of the table of worlds, from 0; default: all.")
    var lines = Array(ReleaseStudy.worlds.indices)

    func validate() throws {
        guard runs > 0, lines.allSatisfy(ReleaseStudy.worlds.indices.contains) else {
            throw ValidationError(
                "Give --runs of 1 or more, and --lines from 0 to \(ReleaseStudy.worlds.count - 1).")
        }
    }

    func run() {
        let study = ReleaseStudy(seed: seed, runs: runs)
        print("Seed \(seed), \(runs) pairs of releases for each line; in percent.\n")
        for table in tables {
            switch table {
            case .worlds: study.writeNull(lines) { print($0) }
            case .changes: study.writePower { print($0) }
            case .failures: study.writeFailures { print($0) }
            case .users: study.writeDesignEffects { print($0) }
            }
            print("")
        }
    }
}

/// Prints the error rates and the power of experiments.
struct ExperimentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "experiments",
        abstract: "Draws experiments with equal arms and with slower ones, and counts false alarms and detections.")

    @Option(help: "The random seed.")
    var seed: UInt64 = 2_026
    @Option(help: "The number of experiments per line, 1 or more.")
    var runs = 300
    @Option(parsing: .upToNextOption, help: "The lines to print, from 0; default: all.")
    var lines = Array(ExperimentStudy.lines.indices)

    func validate() throws {
        guard runs > 0, lines.allSatisfy(ExperimentStudy.lines.indices.contains) else {
            throw ValidationError(
                "Give --runs of 1 or more, and --lines from 0 to \(ExperimentStudy.lines.count - 1).")
        }
    }

    func run() {
        print("Seed \(seed), \(runs) experiments for each number; in percent.\n")
        ExperimentStudy(seed: seed, runs: runs).write(lines) { print($0) }
    }
}

/// Prints the false alarm rate of series, and the detection rate of changes.
struct DriftCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drift",
        abstract: "Draws daily series, and counts the false alarms and detections of change points.")

    @Option(help: "The random seed.")
    var seed: UInt64 = 2_026
    @Option(help: "The number of series per number, 1 or more.")
    var runs = 2_000

    func validate() throws {
        guard runs > 0 else { throw ValidationError("Give --runs of 1 or more.") }
    }

    func run() {
        print("Seed \(seed), \(runs) series for each number; in percent.\n")
        DriftStudy(seed: seed, runs: runs).write { print($0) }
    }
}

/// Prints the false alarm and detection rates of the trends of runs and of users.
struct TrendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trends",
        abstract: "Draws histories of runs and of users, and counts the false alarms and detections of their trends.")

    @Argument(help: "The lines to print, from 0; default: all.")
    var lines = Array(TrendStudy.worlds.indices)
    @Option(help: "The random seed.")
    var seed: UInt64 = 2_026
    @Option(help: "The number of histories per line, 1 or more: half of them with 12 pages, half with 40.")
    var histories = 400

    func validate() throws {
        guard histories > 0, lines.allSatisfy(TrendStudy.worlds.indices.contains) else {
            throw ValidationError(
                "Give --histories of 1 or more, and lines from 0 to \(TrendStudy.worlds.count - 1).")
        }
    }

    func run() throws {
        print("Seed \(seed), \(histories) histories for each line; in percent, with standard errors.\n")
        try TrendStudy(seed: seed, histories: histories).write(lines) { print($0) }
    }
}
