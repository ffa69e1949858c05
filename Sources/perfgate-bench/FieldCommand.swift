import ArgumentParser
import Foundation
import LibC
import PerfgateField
import SeededRandom

/// Writes events, measures how fast they are rolled up, each time in a process of its own, and removes them.
struct FieldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "field",
        abstract: "How fast events are rolled up: processor seconds and the peak of memory, beside DuckDB's.",
        discussion: "DuckDB is asked through the python3 that is found, or that PERFGATE_PYTHON names.")

    @Argument(help: "The folder that the events are written into, and removed from.")
    var folder: String
    @Option(help: "How many events there are, 1,000 or more.")
    var events = 2_000_000
    @Option(help: "How many days they are of, a file a day, 1 or more.")
    var days = 1
    @Option(help: "An engine that rolls up the same, which is duckdb.")
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
        var size = 0
        for (day, file) in files.enumerated() { size += FieldEvents(day: day).write(events / days, to: file) }
        print("\(events) events, \(size / 1_000_000) MB, \(days == 1 ? "a file" : "\(days) files by day")")
        print(
            Table.row(["", "processor s", "wall s", "peak MB", "events a s"], widths: Self.widths, names: 1))
        let own = [CommandLine.arguments[0], "field-once"] + files
        measure("perfgate", own + ["--out", "\(place)/Field"])
        guard beside != nil else { return }
        let python = ProcessInfo.processInfo.environment["PERFGATE_PYTHON"] ?? "python3"
        let script = "\(place)/rollup.py"
        try DuckDBRollUp.script.write(toFile: script, atomically: true, encoding: .utf8)
        measure("DuckDB", [python, script, "\(place)/duckdb.csv"] + files)
    }

    private func measure(_ name: String, _ command: [String]) {
        let start = Date()
        guard let child = ChildProcess(command) else { fail("\(command.prefix(3)) failed") }
        let wall = Date().timeIntervalSince(start)
        let row = [
            name, Table.decimal(child.seconds, places: 2), Table.decimal(wall, places: 2),
            "\(child.peakBytes / 1_000_000)", "\(Int(Double(events) / max(child.seconds, 0.01)))",
        ]
        print(Table.row(row, widths: Self.widths, names: 1))
    }
}

/// What a child process of `field` does.
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

/// Events of a shop's users as flat rows, about 370 bytes each: 537 pages by Zipf's law, 13 releases by adoption, times
/// that are log-normal.
private struct FieldEvents {
    private static let pages = 537, releases = 13
    private static let devices = ["iPhone12,1", "iPhone13,2", "iPhone14,5", "iPhone15,4", "iPhone16,1", "iPhone17,3"]
    private static let systems = ["iOS 16.7", "iOS 17.5.1", "iOS 18.2", "iOS 26.0", "iOS 26.1"]
    private static let networks = ["wifi", "mobile", "mobile", "unknown"]

    private let day: Int
    private let popularity: [Double]
    private let adoption: [Double]

    init(day: Int) {
        self.day = day
        popularity = Self.shares((1...Self.pages).map { 1 / Double($0) })
        adoption = Self.shares((0..<Self.releases).map { exp(-pow(Double($0 - day % 7 - 3), 2) / 6) })
    }

    /// Writes so many events, and gives the size of the file.
    func write(_ count: Int, to path: String) -> Int {
        var random = SeededGenerator(seed: 2_026, stream: UInt64(day))
        guard let file = fopen(path, "w") else { fail("can't write \(path)") }
        defer { fclose(file) }
        var size = 0
        for _ in 0..<count {
            let line = line(&random)
            size += line.utf8.count
            fputs(line, file)
        }
        return size
    }

    private func line(_ random: inout SeededGenerator) -> String {
        let page = Self.draw(popularity, random.uniform())
        let second = Int(random.uniform() * 86_400)
        let time = [second / 3_600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        let duration = Self.time(12_000, 0.9, &random)
        let counts = [Int(random.uniform() * 4), Int(random.uniform() * 6)]
        let frames = Int(duration / 1_000 * (50 + 10 * random.uniform()))
        let date = day % 28 + 1 < 10 ? "0\(day % 28 + 1)" : "\(day % 28 + 1)"
        return #"{"at":"2026-11-\#(date)T\#(time.joined(separator: ":"))Z","app":"com.example.shop","#
            + #""app_version":"7.\#(117 + Self.draw(adoption, random.uniform()))","page":"Section\#(page % 40)/Page\#(page)","#
            + #""os":"\#(Self.pick(Self.systems, &random))","device":"\#(Self.pick(Self.devices, &random))","#
            + #""network":"\#(Self.pick(Self.networks, &random))","low_power_mode":\#(random.uniform() < 0.1),"#
            + #""user":"u\#(Int(random.uniform() * 500_000))","outcome":"\#(random.uniform() < 0.03 ? "error" : "loaded")","#
            + #""ttfl_ms":\#(Self.time(90, 0.4, &random)),"ttil_ms":\#(Self.time(700 + Double(page), 0.5, &random)),"#
            + #""sth_ms":\#(random.uniform() < 0.6 ? 0 : Self.time(60, 0.8, &random)),"#
            + #""alt_ms":\#(counts[0] == 0 ? 0 : Self.time(300, 0.6, &random)),"alt_count":\#(counts[0]),"#
            + #""rclt_ms":\#(counts[1] == 0 ? 0 : Self.time(500, 0.6, &random)),"rclt_count":\#(counts[1]),"#
            + #""hitch_ms":\#(Self.time(40, 1, &random)),"hang_ms":\#(random.uniform() < 0.9 ? 0 : Self.time(400, 0.5, &random)),"#
            + #""duration_ms":\#(duration),"frame_count":\#(frames)}"# + "\n"
    }

    /// A log-normal time in ms with a median and a spread, in tenths.
    private static func time(_ median: Double, _ spread: Double, _ random: inout SeededGenerator) -> Double {
        let normal = (-2 * log(max(random.uniform(), 1e-300))).squareRoot() * cos(2 * .pi * random.uniform())
        return (median * exp(spread * normal) * 10).rounded() / 10
    }

    private static func pick(_ texts: [String], _ random: inout SeededGenerator) -> String {
        texts[Int(random.uniform() * Double(texts.count))]
    }

    /// Weights as their running shares of the whole.
    private static func shares(_ weights: [Double]) -> [Double] {
        let sum = weights.reduce(0, +)
        return weights.reduce(into: []) { $0.append(($0.last ?? 0) + $1 / sum) }
    }

    private static func draw(_ shares: [Double], _ number: Double) -> Int {
        var (low, high) = (0, shares.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if shares[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The same roll-up T in DuckDB, in the fastest of the forms that were tried, unsorted and uncompressed: its script takes
/// the file to write and the files to read.
private enum DuckDBRollUp {
    static let script = #"""
        import sys
        import duckdb

        out, files = sys.argv[1], sys.argv[2:]
        columns = {name: "DOUBLE" for name in ("ttfl_ms ttil_ms sth_ms alt_ms alt_count rclt_ms rclt_count hitch_ms "
                                               "hang_ms duration_ms frame_count").split()}
        columns.update({name: "VARCHAR" for name in "at app app_version page outcome".split()})

        def quantum(column, scale=1000):
            value = f"floor({column} * {scale} + 0.5)"
            return f"CASE WHEN {value} >= 0 THEN least({value}, 3600000000.0) END"

        def quotient(number, other, factor, most):
            return (f"CASE WHEN {other} > 0 THEN least(floor((2.0 * {factor} * least({number}, {most}) + {other}) "
                    f"/ (2.0 * {other})), 3600000000.0) END")

        loads = "(outcome IS NULL OR outcome = 'loaded')"
        metrics = {
            "ttfl": "q_ttfl", "ttil": f"CASE WHEN {loads} THEN q_ttil END", "scroll_thread_hang": "q_sth",
            "alt": f"CASE WHEN {loads} THEN {quotient('q_alt', 'n_alt', 1, 3600000000.0)} END",
            "rclt": f"CASE WHEN {loads} THEN {quotient('q_rclt', 'n_rclt', 1, 3600000000.0)} END",
            "load_failures": "CASE WHEN outcome IS NOT NULL THEN CASE WHEN outcome = 'loaded' THEN 0.0 ELSE 1000.0 END END",
            "hitch_ratio_screen": quotient("q_hitch", "q_duration", 1000000, 3600000000.0),
            "hang_rate": quotient("q_hang", "q_duration", 360000, 3600000000.0),
            "fps_mean": quotient("n_frames", "q_duration", 1000000000, 4503597.0),
        }
        ladder = "CASE WHEN q < 128 THEN q " + " ".join(
            f"WHEN q < {128 << s} THEN {64 * s} + floor(q / {1 << s})" for s in range(1, 26)) + " END"
        names = ", ".join(f"'{name}'" for name in metrics)
        values = ", ".join(metrics.values())
        schema = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
        listed = ", ".join(f"'{file}'" for file in files)
        duckdb.sql(f"""
            COPY (
              SELECT app, page, app_version AS release, day, metric, CAST(sum(n) AS BIGINT) AS events,
                     CAST(sum(s) AS BIGINT) AS quanta,
                     string_agg(CAST(bucket AS INTEGER) || ':' || n, ' ') AS buckets
              FROM (SELECT app, page, app_version, day, metric, {ladder} AS bucket, count(*) AS n, sum(q) AS s
                    FROM (SELECT app, page, app_version, day, unnest([{names}]) AS metric, unnest([{values}]) AS q
                          FROM (SELECT app, page, app_version, substr("at", 1, 10) AS day, outcome,
                                       {quantum('ttfl_ms')} AS q_ttfl, {quantum('ttil_ms')} AS q_ttil,
                                       {quantum('sth_ms')} AS q_sth, {quantum('alt_ms')} AS q_alt,
                                       {quantum('alt_count', 1)} AS n_alt, {quantum('rclt_ms')} AS q_rclt,
                                       {quantum('rclt_count', 1)} AS n_rclt, {quantum('hitch_ms')} AS q_hitch,
                                       {quantum('hang_ms')} AS q_hang, {quantum('duration_ms')} AS q_duration,
                                       {quantum('frame_count', 1)} AS n_frames
                                FROM read_json([{listed}], format = 'newline_delimited', columns = {{{schema}}})))
                    WHERE q IS NOT NULL GROUP BY ALL)
              GROUP BY ALL
            ) TO '{out}' (HEADER)""")
        """#
}
