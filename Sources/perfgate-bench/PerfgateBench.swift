import ArgumentParser
import VerdictStudy

/// Measures the parts of perfgate, and compares its rule with others. It isn't part of a product; no test asserts on a
/// number.
@main
struct PerfgateBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "perfgate-bench",
        abstract: "Measures perfgate's speed and the error rates of its rule.",
        discussion: "Times of a debug build are meaningless: swift run -c release perfgate-bench …",
        subcommands: [
            IngestCommand.self, ReadOnceCommand.self, FieldCommand.self, FieldOnceCommand.self, RecorderCommand.self,
            StatsCommand.self, VerdictsCommand.self, WorldsCommand.self, SharesCommand.self, RunsCommand.self,
            SeriesCommand.self,
            ReleasesCommand.self, DriftCommand.self,
        ])
}

/// The number of simulated runs. The documentation's article "Verdict" names the commands that made its tables.
struct DrawnRuns: ParsableArguments {
    @Option(help: "The random seed.")
    var seed: UInt64 = 2_026
    @Option(help: "The number of unchanged runs per number, 1 or more.")
    var runs = 1_000
    @Option(help: "The number of changed cells per number, 1 or more.")
    var changes = 1_000

    func validate() throws {
        guard runs > 0, changes > 0 else { throw ValidationError("Give --runs and --changes of 1 or more.") }
    }

    func printHead() {
        print("Seed \(seed), \(runs) runs without a change and \(changes) changed cells for each number; in percent.\n")
    }
}

/// Prints the false alarms and detections of the rule and others.
struct VerdictsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verdicts",
        abstract: "Draws runs, and counts the false alarms and detections of the rule and others.")

    @OptionGroup var drawn: DrawnRuns

    func run() throws {
        drawn.printHead()
        try StudyReport(Study(seed: drawn.seed, runs: drawn.runs, changes: drawn.changes)).write { print($0) }
    }
}

/// Prints the same for the rule alone, in worlds that differ from the documented one.
struct WorldsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worlds",
        abstract: "The rule's false alarms and detections in other worlds than the documented one.")

    @OptionGroup var drawn: DrawnRuns

    func run() throws {
        drawn.printHead()
        try SensitivityReport(seed: drawn.seed, runs: drawn.runs, changes: drawn.changes).write { print($0) }
    }
}

/// Prints the effect of comparing shares of counts.
struct SharesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shares", abstract: "The rule's false alarms and detections for counts, by ranks, and with shares."
    )

    @OptionGroup var drawn: DrawnRuns

    func run() throws {
        drawn.printHead()
        try ShareReport(seed: drawn.seed, runs: drawn.runs, changes: drawn.changes).write { print($0) }
    }
}

/// Prints the effect of subtracting the shift of runs.
struct RunsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs",
        abstract: "The rule with more or less different runs, pages that change together, and young baselines.")

    @OptionGroup var drawn: DrawnRuns
    @Option(help: "Print only one table: worlds, parts or young.")
    var table: RunReport.Table?

    func run() throws {
        drawn.printHead()
        let report = RunReport(seed: drawn.seed, runs: drawn.runs, changes: drawn.changes)
        for table in table.map({ [$0] }) ?? RunReport.Table.allCases { try report.write(table) { print($0) } }
    }
}

extension RunReport.Table: ExpressibleByArgument {}

/// Prints the findings of the rule and others in a series of measurements.
struct SeriesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "series", abstract: "The rules' findings in a series: numbers on standard input, one per line.")

    @Argument(help: "The indices of the marked changes in the series, from 0.")
    var changes: [Int] = []

    func run() throws {
        var values: [Double] = []
        while let line = readLine() {
            guard !line.isEmpty else { continue }
            guard let value = Double(line) else { throw ValidationError("'\(line)' is not a number.") }
            values.append(value)
        }
        SeriesReport.head.forEach { print($0) }
        print(try SeriesReport(values, changes: changes).row())
    }
}
