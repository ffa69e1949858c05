import ArgumentParser
import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateModel

struct BaselineReleaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "Lets the held runs of a metric into its baseline, for a reason.",
        discussion: """
            An update holds runs that regressed or may have: they are stored, and never compared with. A series that \
            was chance gets in by itself. This lets the rest in beside the settled runs, such as after nights with a \
            slow server that you know about. To accept a change, use `perfgate baseline update --accept`, which \
            starts an epoch without the old runs.

            EXAMPLE
              perfgate baseline release Search ttil --reason 'the staging server was slow'
            """)

    @Argument(help: "The page, by name or by baseline file name.")
    var page: String

    @Argument(help: "The identifier of the metric.")
    var metric: String

    @Option(help: .taking("why", "Why the runs belong to the baseline."))
    var reason: String

    @OptionGroup var folder: BaselineFolder
    @OptionGroup var file: ConfigurationOption

    func validate() throws {
        if reason.allSatisfy(\.isWhitespace) { throw ValidationError("'--reason' is empty. Give a reason.") }
    }

    func run() throws {
        let configuration = try file.load()
        let now = Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970))
        let cells = StoredMetric(page: page, metric: metric, options: folder.repeated + file.repeated)
        try cells.change(in: folder.store(configuration), without: "no held runs") { stored, file in
            guard !stored.held.isEmpty else { return nil }
            let released = file.releasing(metric, reason: reason, at: now, window: configuration.window)
            return (released, "let in: \(Figure.count(stored.held.count, "held run")) of")
        }
    }
}

struct BaselineReopenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reopen",
        abstract: "Returns to the epoch that an improvement ended by itself.",
        discussion: """
            Two settled runs that are much faster (four, of a page that varies much) begin an epoch of their metric. \
            If the page wasn't faster, such as with an empty backend, this restores the earlier runs and removes the \
            runs since. The earlier epoch is kept until the new one fills the window.

            EXAMPLE
              perfgate baseline reopen Search ttil
            """)

    @Argument(help: "The page, by name or by baseline file name.")
    var page: String

    @Argument(help: "The identifier of the metric.")
    var metric: String

    @OptionGroup var folder: BaselineFolder
    @OptionGroup var file: ConfigurationOption

    func run() throws {
        let configuration = try file.load()
        let cells = StoredMetric(page: page, metric: metric, options: folder.repeated + file.repeated)
        let nothing = "no earlier epoch that is kept; if it is older, restore the file with git"
        try cells.change(in: folder.store(configuration), without: nothing) { stored, file in
            guard let earlier = stored.earlier, let old = file.reopening(metric, window: configuration.window) else {
                return nil
            }
            let removed = Figure.count(stored.samples.count + stored.held.count, "run")
            return (old, "reopened: \(Figure.count(earlier.samples.count, "run")) again, \(removed) removed of")
        }
    }
}

/// A metric of a page in all environments that store it.
struct StoredMetric {
    let page: String
    let metric: String
    let options: [SuggestedCommand.Argument]

    /// Changes the metric in each environment where there is something to change; throws if there is none. A baseline that
    /// becomes empty is removed.
    /// - Parameter nothing: What the metric lacks if nothing is changed, for the error.
    /// - Parameter change: The new file and the action in words; `nil` if there is nothing to change.
    func change(
        in store: BaselineStore, dryRun: Bool = false, without nothing: String,
        _ change: (BaselineMetric, BaselineFile) -> (file: BaselineFile, action: String)?
    ) throws {
        let baselines = try store.content()
        let places = try baselines.places(named: page, options)
        let known = Set(places.flatMap { baselines[$0].map { Array($0.metrics.keys) } ?? [] })
        guard known.contains(metric) else {
            let hint = Suggestion.nearest(to: metric, among: known.sorted()).map { " Did you mean '\($0)'?" } ?? ""
            throw CommandError(
                status: .noInput, description: CleanText.line("'\(page)' has no metric '\(metric)'.\(hint)"))
        }
        var changed = false
        for place in places {
            var action: String?
            let path = baselines.entries[place]?.path
            try CommandError.ending(with: .cannotWrite, on: BaselineError.self) {
                var isEmpty = false
                try store.update(place, foundAt: path) { file in
                    guard let file, let stored = file.metrics[metric], let new = change(stored, file) else {
                        return file ?? BaselineFile(place)
                    }
                    (action, isEmpty) = (new.action, new.file.isEmpty && !dryRun)
                    return dryRun ? file : new.file
                }
                if isEmpty { try store.prune(place, foundAt: path) }
            }
            guard let action else { continue }
            changed = true
            StandardStream.output.tell("\(action) \(metric) of \(place.page.name) in \(place.environment)")
        }
        guard changed else {
            throw CommandError(status: .noInput, description: CleanText.line("\(metric) of '\(page)' has \(nothing)."))
        }
    }
}
