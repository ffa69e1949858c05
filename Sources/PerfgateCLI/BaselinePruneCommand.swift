import ArgumentParser
import PerfgateBaselines
import PerfgateKit
import PerfgateModel
import PerfgateReport

/// `perfgate baseline prune`: removes the baselines of pages that are no more.
struct BaselinePruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Removes the baselines of pages that are no more; what is expected of a run goes with them.",
        discussion: """
            EXAMPLE
              perfgate baseline prune OldSearch --dry-run
              perfgate baseline prune --older-than 90
            """)

    @Argument(help: "The pages, by name or by the name of their baseline's file.")
    var pages: [String] = []

    @Option(help: "Prune pages whose newest run is so many days older than the store's newest run.")
    var olderThan: Int?

    @Flag(help: "Say what would go, and change nothing.")
    var dryRun = false

    @OptionGroup var folder: BaselineFolder
    @OptionGroup var file: ConfigurationOption

    func validate() throws {
        guard pages.isEmpty == (olderThan != nil) else {
            throw ValidationError("Give either pages or '--older-than DAYS': nothing else says what is to go.")
        }
        if let olderThan, olderThan < 1 { throw ValidationError("'--older-than \(olderThan)' is less than a day.") }
    }

    func run() throws {
        let store = folder.store(try file.load())
        let baselines = try store.content()
        let places = try selection(of: baselines)
        for place in places {
            if !dryRun { try remove(place, from: store, foundAt: baselines.entries[place]?.path) }
            StandardStream.output.write(
                CleanText.line("\(dryRun ? "would go" : "gone"): \(place.page.name) in \(place.environment)") + "\n")
        }
        if places.isEmpty { StandardStream.output.write("Nothing is that old.\n") }
    }

    private func selection(of baselines: Baselines) throws -> [PageInEnvironment] {
        guard let olderThan else { return Array(Set(try pages.flatMap(baselines.places(named:)))).sorted() }
        return baselines.places(daysOlderThanNewest: olderThan)
    }

    private func remove(_ place: PageInEnvironment, from store: BaselineStore, foundAt path: String?)
        throws(CommandError)
    {
        do {
            try store.prune(place, foundAt: path)
        } catch {
            throw CommandError(status: .cannotWrite, description: "\(error)")
        }
    }
}
