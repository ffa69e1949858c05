import ArgumentParser
import VerdictStudy

/// Measures the parts of perfgate, and plays its rule against others. It is in no product; no test asserts on a number.
@main
struct PerfgateBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "perfgate-bench",
        abstract: "Measures perfgate's own speed, and how often its rule is wrong.",
        discussion: "Times of a debug build say nothing: swift run -c release perfgate-bench …",
        subcommands: [
            IngestCommand.self, ReadOnceCommand.self, FieldCommand.self, FieldOnceCommand.self, RecorderCommand.self,
            StatsCommand.self, VerdictsCommand.self, WorldsCommand.self, SharesCommand.self, RunsCommand.self,
            SeriesCommand.self,
            ReleasesCommand.self, DriftCommand.self,
        ])
}

/// How many runs are drawn. The documentation's article "Verdict" names the commands that made its tables.
struct DrawnRuns: ParsableArguments {
    @Option(help: "The seed that repeats the numbers.")
    var seed: UInt64 = 2_026
    @Option(help: "How many runs without a change are drawn for each number, 1 or more.")
    var runs = 1_000
    @Option(help: "How many changed cells are drawn for each number, 1 or more.")
    var changes = 1_000

    func validate() throws {
        guard runs > 0, changes > 0 else { throw ValidationError("Give --runs and --changes of 1 or more.") }
    }

    func printHead() {
        print("Seed \(seed), \(runs) runs without a change and \(changes) changed cells for each number; in percent.\n")
    }
}

/// Prints how often the rule, and others, raise false alarms, and what they find.
struct VerdictsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verdicts",
        abstract: "Draws runs, and counts the false alarms and the finds of the rule and others.")

    @OptionGroup var drawn: DrawnRuns

    func run() throws {
        drawn.printHead()
        try StudyReport(Study(seed: drawn.seed, runs: drawn.runs, changes: drawn.changes)).write { print($0) }
    }
}

/// Prints the same of the rule alone, in worlds that differ from the documented one.
struct WorldsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worlds", abstract: "The rule's false alarms and finds in worlds other than the documented one.")

    @OptionGroup var drawn: DrawnRuns

    func run() throws {
        drawn.printHead()
        try SensitivityReport(seed: drawn.seed, runs: drawn.runs, changes: drawn.changes).write { print($0) }
    }
}

/// Prints what comparing shares adds to the rule for counts.
struct SharesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shares", abstract: "The rule's false alarms and finds of counts, by ranks, and by shares too.")

    @OptionGroup var drawn: DrawnRuns

    func run() throws {
        drawn.printHead()
        try ShareReport(seed: drawn.seed, runs: drawn.runs, changes: drawn.changes).write { print($0) }
    }
}

/// Prints what taking out the shift of runs comes to.
struct RunsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs",
        abstract: "The rule where runs differ by more or less, pages change together, or a baseline is young.")

    @OptionGroup var drawn: DrawnRuns
    @Option(help: "Print one table alone: worlds, parts or young.")
    var table: RunReport.Table?

    func run() throws {
        drawn.printHead()
        let report = RunReport(seed: drawn.seed, runs: drawn.runs, changes: drawn.changes)
        for table in table.map({ [$0] }) ?? RunReport.Table.allCases { try report.write(table) { print($0) } }
    }
}

extension RunReport.Table: ExpressibleByArgument {}

/// Prints what the rule and others find in a series of measurements.
struct SeriesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "series", abstract: "What the rules find in a series: numbers on standard input, one a line.")

    @Argument(help: "The places of the changes that people marked in the series, from 0.")
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
