import ArgumentParser
import VerdictStudy

/// Prints the error rates and the power of the rule for releases.
struct ReleasesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "releases",
        abstract: "Draws pairs of releases, and counts the rule's false alarms and detections.")

    /// The tables.
    enum Table: String, CaseIterable, ExpressibleByArgument {
        /// False alarms, world by world.
        case worlds
        /// The detected changes.
        case changes
        /// Standard errors compared with a bootstrap over users.
        case users
    }

    @Argument(help: "The tables to print; default: all.")
    var tables = Table.allCases
    @Option(help: "The random seed.")
    var seed: UInt64 = 2_026
    @Option(help: "The number of pairs of releases per line, 1 or more.")
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
