import ArgumentParser
import Foundation
import LibC
import SeededRandom

/// Measures two builds of the program in turn at the same work, and writes the numbers as perfgate's own log: perfgate
/// gates itself.
struct WorkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "work",
        abstract: "Measures two builds of perfgate in turn, and writes a log of each, which perfgate compares.",
        discussion: """
            EXAMPLE
              Studies/bench work BEFORE/perfgate AFTER/perfgate --out work
              perfgate compare work/before.ndjson --with work/after.ndjson

            `Studies/gate COMMIT` builds both and calls these.
            """)

    @Argument(help: "The program of the earlier build.")
    var before: String
    @Argument(help: "The program of the later build.")
    var after: String
    @Option(help: "The folder for the logs.")
    var out: String
    @Option(help: "The number of iterations, 1 or more.")
    var iterations = 5

    func validate() throws {
        guard iterations > 0 else { throw ValidationError("Give --iterations of 1 or more.") }
    }

    func run() throws {
        let folder = "\(out)/inputs-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let items = try Self.items(in: folder)
        let sides = [("before", before), ("after", after)]
        var lines = sides.map { [Self.header(of: $0.0)] }
        for iteration in 0..<iterations {
            for item in items {
                // Every other iteration in reverse, so other load on the machine affects both.
                for side in iteration % 2 == 0 ? [0, 1] : [1, 0] {
                    guard let child = ChildProcess([sides[side].1] + item.arguments) else {
                        fail("\(sides[side].1) \(item.arguments.joined(separator: " ")) failed")
                    }
                    lines[side].append(Self.line(item.name, iteration, "cpu_time", "ms", 1_000 * child.seconds))
                    lines[side].append(
                        Self.line(item.name, iteration, "peak_memory", "MB", Double(child.peakBytes) / 1e6))
                }
            }
            print("iteration \(iteration + 1) of \(iterations)")
        }
        for (side, lines) in zip(sides, lines) {
            let text = (lines + [#"{"type":"end"}"#]).joined(separator: "\n") + "\n"
            try text.write(toFile: "\(out)/\(side.0).ndjson", atomically: true, encoding: .utf8)
        }
    }

    private static func header(of side: String) -> String {
        var name = utsname()
        uname(&name)
        func text(_ bytes: some Any) -> String {
            withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return #"{"type":"run","schema":1,"run_id":"\#(side)-\#(getpid())","part":"bench","expects_end":true,"#
            + #""app":"perfgate","build":"Release","device":"\#(text(name.machine))","os":"\#(text(name.sysname))"}"#
    }

    private static func line(_ page: String, _ iteration: Int, _ metric: String, _ unit: String, _ value: Double)
        -> String
    {
        #"{"type":"metric","page":"\#(page)","iteration":\#(iteration),"metric":"\#(metric)","unit":"\#(unit)","#
            + #""better":"lower","values":[\#(Table.decimal(value, places: 3))]}"#
    }
}

extension WorkCommand {
    /// A call of the program.
    private struct Item {
        let name: String
        let arguments: [String]
    }

    /// Writes the inputs, and returns the calls that read them.
    private static func items(in folder: String) throws -> [Item] {
        let reports = [
            "--junit", "o.xml", "--html", "o.html", "--markdown", "o.md", "--json", "o.json", "--openmetrics", "o.txt",
        ]
        .map { $0.hasPrefix("--") ? $0 : "\(folder)/\($0)" }
        func compared(pages: Int, metrics: Int) throws -> [String] {
            let names = (0..<6).map { "\(folder)/\(pages)-\($0).ndjson" }
            for (number, name) in names.enumerated() {
                try write(pages, metrics, iterations: 5, seed: UInt64(number), to: name)
            }
            return ["compare"] + names[..<5] + ["--soft-fail", "--quiet", "--with", names[5]]
        }
        let (few, many) = (try compared(pages: 12, metrics: 20), try compared(pages: 500, metrics: 35))
        let all = "\(folder)/all.ndjson"
        try write(100_000, 3, iterations: 1, seed: 9, to: all)
        let large = ["check", all, "--soft-fail", "--quiet", "--baselines", "\(folder)/none"]
        let events = "\(folder)/events.ndjson"
        LogShape.allCases[0].write(to: events, size: 200_000_000)
        return [
            Item(name: "version", arguments: ["--version"]),
            Item(name: "12 pages", arguments: few), Item(name: "12 pages, five reports", arguments: few + reports),
            Item(name: "500 pages", arguments: many), Item(name: "500 pages, five reports", arguments: many + reports),
            Item(name: "100 000 pages", arguments: large),
            Item(name: "100 000 pages, five reports", arguments: large + reports),
            Item(
                name: "a log of 200 MB",
                arguments: ["check", events, "--soft-fail", "--quiet", "--baselines", "\(folder)/none"]),
        ]
    }

    /// Writes a run with metrics of our own.
    private static func write(_ pages: Int, _ metrics: Int, iterations: Int, seed: UInt64, to path: String) throws {
        var random = SeededGenerator(seed: seed)
        var text =
            #"{"type":"run","schema":1,"run_id":"r-\#(seed)","app":"a","device":"d","started_at":"2026-11-1\#(seed)T03:00:00Z"}"#
            + "\n"
        for page in 0..<pages {
            for metric in 0..<metrics {
                let usual = Double(100 + 10 * ((7 * page + 3 * metric) % 50))
                for iteration in 0..<iterations {
                    let value = usual * Double.random(in: 0.95...1.05, using: &random)
                    text += line("Page \(page)", iteration, "m\(metric)", "ms", value) + "\n"
                }
            }
        }
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }
}
