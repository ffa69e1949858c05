import ArgumentParser
import VerdictStudy

/// Prints how often the rule for releases is wrong, and what it finds.
struct ReleasesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "releases",
        abstract: "Draws pairs of releases, and counts the false alarms and the finds of the rule for them.")

    /// What is printed.
    enum Table: String, CaseIterable, ExpressibleByArgument {
        /// False alarms, world by world.
        case worlds
        /// What is found of changes.
        case changes
        /// Standard errors beside a bootstrap over users.
        case users
    }

    @Argument(help: "Which tables are printed; all where none is named.")
    var tables = Table.allCases
    @Option(help: "The seed that repeats the numbers.")
    var seed: UInt64 = 2_026
    @Option(help: "How many pairs of releases are drawn for each line, 1 or more.")
    var runs = 150

    func validate() throws {
        guard runs > 0 else { throw ValidationError("Give --runs of 1 or more.") }
    }

    func run() {
        let study = ReleaseStudy(seed: seed, runs: runs)
        print("Seed \(seed), \(runs) pairs of releases for each line; in percent.\n")
        for table in tables {
            switch table {
            case .worlds: study.writeNull { print($0) }
            case .changes: study.writePower { print($0) }
            case .users: study.writeDesignEffects { print($0) }
            }
            print("")
        }
    }
}

/// Prints how often a series raises a false alarm, and what is found of a change.
struct DriftCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drift",
        abstract: "Draws daily series, and counts the false alarms and the finds of change points.")

    @Option(help: "The seed that repeats the numbers.")
    var seed: UInt64 = 2_026
    @Option(help: "How many series are drawn for each number, 1 or more.")
    var runs = 2_000

    func validate() throws {
        guard runs > 0 else { throw ValidationError("Give --runs of 1 or more.") }
    }

    func run() {
        print("Seed \(seed), \(runs) series for each number; in percent.\n")
        DriftStudy(seed: seed, runs: runs).write { print($0) }
    }
}
