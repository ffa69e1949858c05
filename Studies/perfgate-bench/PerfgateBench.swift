import ArgumentParser
import CAllocationCounter
import LibC
import PerfgateStats
import SeededRandom
import VerdictStudy

/// Measures the parts of perfgate, and compares its rule with others. It isn't part of a product; no test asserts on a
/// number.
@main
struct PerfgateBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "perfgate-bench",
        abstract: "Measures perfgate's speed and the error rates of its rule.",
        discussion: "Times of a debug build are meaningless: Studies/bench …",
        subcommands: [
            IngestCommand.self, ReadOnceCommand.self, StacksCommand.self, StacksOnceCommand.self, XMLOnceCommand.self,
            FieldCommand.self, FieldOnceCommand.self, RecorderCommand.self,
            StatsCommand.self, VerdictsCommand.self, WorldsCommand.self, SharesCommand.self, RunsCommand.self,
            StoresCommand.self, SeriesCommand.self, ReleasesCommand.self, ExperimentsCommand.self, DriftCommand.self,
            TrendCommand.self,
            WorkCommand.self,
            MeasureCommand.self, BisectCommand.self, WhyCommand.self, LivesCommand.self,
        ])
}

/// The number of simulated runs. The documentation's article "Trust" names the commands that made its tables.
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
        commandName: "shares", abstract: "The rule's false alarms and detections, by ranks, and with shares."
    )

    @OptionGroup var drawn: DrawnRuns
    @Flag(help: "Print the table of times instead.")
    var times = false

    func run() throws {
        drawn.printHead()
        let report = ShareReport(seed: drawn.seed, runs: drawn.runs, changes: drawn.changes)
        if times { try report.writeTimes { print($0) } } else { try report.write { print($0) } }
    }
}

/// Prints the effect of subtracting the shift of runs.
struct RunsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs",
        abstract: "The rule with more or less different runs, pages that change together, and young baselines.")

    @OptionGroup var drawn: DrawnRuns
    @Option(help: "Print only one table: worlds, parts, young or pairs.")
    var table: RunReport.Table?

    func run() throws {
        drawn.printHead()
        let report = RunReport(seed: drawn.seed, runs: drawn.runs, changes: drawn.changes)
        for table in table.map({ [$0] }) ?? RunReport.Table.allCases { try report.write(table) { print($0) } }
    }
}

extension RunReport.Table: ExpressibleByArgument {}

/// Prints the results of stores that nightly runs grow.
struct StoresCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stores",
        abstract: "Grows stores over 60 nights, and judges pull requests against them.")

    enum Team: String, CaseIterable, ExpressibleByArgument {
        /// M = 41, one page at 15 %.
        case small
        /// M = 501.
        case large
    }

    @Argument(help: "The tables to print; default: all.")
    var tables = StoreReport.Table.allCases
    @Option(help: "The random seed.")
    var seed: UInt64 = 2_026
    @Option(help: "The team: small (M = 41, one page at 15 %) or large (M = 501).")
    var team = Team.small
    @Flag(help: "Levels, spreads within runs and outliers differ more than in the documented world.")
    var rough = false
    @Option(help: "The number of stores per line, 1 or more.")
    var histories = 170
    @Option(help: "The number of unchanged pull requests per store in the table clean, 1 to 60.")
    var calls = 6

    func validate() throws {
        guard histories > 0, 1...60 ~= calls else {
            throw ValidationError("Give --histories of 1 or more, and --calls from 1 to 60.")
        }
    }

    func run() throws {
        print("Seed \(seed), \(histories) stores for each line; in percent, with standard errors.\n")
        let team = team == .small ? StoreTeam.small(isRough: rough) : .large(isRough: rough)
        let report = StoreReport(StoreStudy(histories: histories, seed: seed, calls: calls), team)
        for table in tables { try report.write(table) { print($0) } }
    }
}

extension StoreReport.Table: ExpressibleByArgument {}

/// Prints the error rates of base against head.
struct MeasureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure", abstract: "Base against head in turn: false alarms, detections, device time and cost.")

    @Argument(help: "The tables to print; default: all.")
    var tables = MeasureReport.Table.allCases
    @Option(help: "The random seed.")
    var seed: UInt64 = 7_120
    @Option(help: "The number of unchanged calls per number, 5 or more; a fifth of it have a change.")
    var calls = 5_000

    func validate() throws {
        guard calls >= 5 else { throw ValidationError("Give --calls of 5 or more.") }
    }

    func run() throws {
        print("Seed \(seed), \(calls) calls without a change; in percent, with standard errors.\n")
        for table in tables { try MeasureReport(seed: seed, calls: calls).write(table) { print($0) } }
    }
}

extension MeasureReport.Table: ExpressibleByArgument {}

/// Prints how often the right commit is named.
struct BisectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bisect",
        abstract: "The search for the commit that made a page slower, and the searches of others.")

    @Argument(help: "The tables to print; default: all.")
    var tables = BisectReport.Table.allCases
    @Option(help: "The random seed.")
    var seed: UInt64 = 2_026
    @Option(help: "The number of ranges per line, 2 or more.")
    var draws = 400
    @Flag(help: "Print the processor time of a step instead.")
    var speed = false

    func validate() throws {
        guard draws >= 2 else { throw ValidationError("Give --draws of 2 or more.") }
    }

    func run() throws {
        guard !speed else { return printSpeed() }
        print("Seed \(seed), \(draws) ranges for each line; in percent, with standard errors.\n")
        for table in tables { try BisectReport(seed: seed, draws: draws).write(table) { print($0) } }
    }
}

extension BisectReport.Table: ExpressibleByArgument {}

/// Prints how often a function is named, and the right one.
struct WhyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "The names of slower functions from recorded stacks, right and wrong.")

    @Argument(help: "The tables to print; default: all.")
    var tables = WhyReport.Table.allCases
    @Option(help: "The random seed.")
    var seed: UInt64 = 2_026
    @Option(help: "The number of pairs of base and head per line, 1 or more.")
    var pairs = 400

    func validate() throws { guard pairs > 0 else { throw ValidationError("Give --pairs of 1 or more.") } }

    func run() throws {
        print("Seed \(seed), \(pairs) pairs for each line; in percent, with standard errors.\n")
        for table in tables {
            WhyReport(seed: seed, pairs: pairs).write(table) { print($0) }
            print("")
        }
    }
}

extension WhyReport.Table: ExpressibleByArgument {}

extension BisectCommand {
    /// The posterior of 30 runs at 15 positions, and the next one.
    private func printSpeed() {
        print("| commits | one step, processor time |\n|---|---|")
        for commits in [64, 512, 4_096] {
            var generator = SeededGenerator(seed: seed)
            var prior = StepPrior(weights: Array(repeating: 1, count: commits))
            prior.change = 0.1
            let runs = (0..<30).map { run in
                let position = run % 15 * commits / 14
                return (position: position, value: 0.04 * generator.normal() + (2 * position > commits ? 0.1 : 0))
            }
            let taken = Measurement(rounds: 21) { _ = StepPosterior(runs, prior).next() }
            print("| \(commits) | \(Table.decimal(taken.median / 1e6, places: 2)) ms |")
        }
    }
}

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

/// The cost of one call, from many rounds of many calls.
struct Measurement {
    /// Nanoseconds of processor time per call: the median of the rounds, and the fastest of them, which is the least
    /// disturbed by other load.
    let median: Double, fastest: Double

    /// Allocations per call; `nil` if they can't be counted.
    let allocations: Double?

    /// Measures `round`, which makes `calls` calls; three additional rounds warm up.
    init<Failure: Error>(
        rounds: Int = 41, calls: Int = 1, clock: ProcessorClock = .process, round: () throws(Failure) -> Void
    ) throws(Failure) {
        for _ in 0..<3 { try round() }
        var times: [Double] = []
        times.reserveCapacity(rounds)
        let blocks = allocation_counter_total()
        for _ in 0..<rounds {
            let start = clock.nanoseconds
            try round()
            times.append((clock.nanoseconds - start) / Double(calls))
        }
        allocations = blocks < 0 ? nil : Double(allocation_counter_total() - blocks) / Double(rounds * calls)
        times.sort()
        median = times[rounds / 2]
        fastest = times[0]
    }
}

/// Counts processor time, so the cost of a call doesn't depend on other load.
enum ProcessorClock {
    /// The time of all threads of this process.
    case process
    /// The time of the calling thread.
    case thread

    /// The time used so far, in nanoseconds.
    var nanoseconds: Double {
        var time = timespec()
        clock_gettime(self == .process ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

/// The cost of a finished child process.
struct ChildProcess {
    /// Processor time in user and system mode, in seconds.
    private(set) var seconds: Double
    /// The wall-clock time, in seconds.
    private(set) var wall: Double
    /// The largest resident memory, in bytes.
    private(set) var peakBytes: Int

    /// Runs a command to its end; `nil` if it can't be started or fails.
    init?(_ arguments: [String]) {
        var strings = arguments.map { strdup($0) }
        defer { for string in strings { free(string) } }
        strings.append(nil)
        var process: pid_t = 0
        var usage = rusage()
        var status: Int32 = 0
        let start = ContinuousClock.now
        guard posix_spawnp(&process, arguments[0], nil, nil, strings, environ) == 0,
            wait4(process, &status, 0, &usage) == process, status == 0
        else { return nil }
        wall = (ContinuousClock.now - start) / .seconds(1)
        seconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
        #if canImport(Darwin)
        peakBytes = usage.ru_maxrss
        #else
        peakBytes = usage.ru_maxrss * 1_024
        #endif
    }

    /// Keeps the smaller figures of this and another run of the same command.
    mutating func take(least other: ChildProcess) {
        seconds = min(seconds, other.seconds)
        wall = min(wall, other.wall)
        peakBytes = min(peakBytes, other.peakBytes)
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }
}

enum Table {
    /// Cells side by side: the first `names` left-aligned, the others right-aligned.
    static func row(_ cells: [String], widths: [Int], names: Int = 1) -> String {
        zip(cells, widths).enumerated().map { column, pair in
            let space = String(repeating: " ", count: max(0, pair.1 - pair.0.count))
            return column < names ? pair.0 + space : space + pair.0
        }.joined()
    }

    /// A number (0 or more, and small enough for an `Int` when scaled), rounded to `places` decimal places, 1 or more.
    static func decimal(_ value: Double, places: Int) -> String {
        let digits = String(Int((value * pow(10, Double(places))).rounded()))
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return padded.dropLast(places) + "." + padded.suffix(places)
    }
}

/// Prints why nothing can be measured, and ends the process.
func fail(_ reason: String) -> Never {
    let text = Array("perfgate-bench: \(reason)\n".utf8)
    _ = write(STDERR_FILENO, text, text.count)
    exit(1)
}
