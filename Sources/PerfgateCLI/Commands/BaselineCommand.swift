import ArgumentParser
import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateFiles
import PerfgateModel

struct BaselineCommand: CommandGroup {
    static let configuration = CommandConfiguration(
        commandName: "baseline", abstract: "Manages the stored baselines.",
        subcommands: [
            BaselineUpdateCommand.self, BaselineShowCommand.self, BaselineDiffCommand.self,
            BaselinePruneCommand.self, BaselineRenameCommand.self, BaselinePinCommand.self, BaselineMergeCommand.self,
            BaselineImportCommand.self, BaselineReleaseCommand.self, BaselineReopenCommand.self,
        ])
}

struct BaselineMergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merges two versions of a baseline file: git's merge driver, set up by `perfgate init`.",
        discussion: """
            Writes the union of both versions' runs, cut to the window, to OURS.

            EXAMPLE
              git config merge.perfgate.driver 'perfgate baseline merge %O %A %B'
            """)

    @Argument(help: "The common ancestor; an empty file if both branches added the baseline.") var base: String
    @Argument(help: "Our version; receives the result.") var ours: String
    @Argument(help: "Their version.") var theirs: String
    @OptionGroup var file: ConfigurationOption

    func run() throws {
        let window = try file.load().window
        try CommandError.ending(with: .badData, on: BaselineError.self) {
            let common = try bytes(of: base)
            let merged = try BaselineFile.merge(
                base: common.isEmpty ? nil : try BaselineFile(reading: common, path: base),
                ours: try BaselineFile(reading: try bytes(of: ours), path: ours),
                theirs: try BaselineFile(reading: try bytes(of: theirs), path: theirs), window: window)
            try FileAccess.replace(ours, with: merged.bytes())
        }
    }

    private func bytes(of path: String) throws -> [UInt8] {
        try CommandError.ending(with: .noInput, on: FileError.self) {
            try FileAccess.read(path, limit: BaselineFile.mostBytes)
        }
    }
}

struct BaselinePinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin", abstract: "Copies the baselines under a name; check --against NAME compares with the copy.",
        discussion: """
            The rolling baseline takes in every new run, so a series of small regressions, each below its tolerance, \
            can go unnoticed. A pinned baseline doesn't change. The copy is stored in the folder .pinned of the \
            baselines; to undo it, remove its folder.

            EXAMPLE
              perfgate baseline pin 7.129
              perfgate check logs/ --against 7.129
            """)

    @Argument(help: "The name, of letters, digits, dots, dashes and underscores.") var name: String
    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard BaselineStore.canPin(as: name) else {
            throw ValidationError(
                "'\(name)' can't name a folder everywhere. Use letters, digits, dots, dashes and underscores.")
        }
    }

    func run() throws {
        let (_, store, _) = try options.open()
        let isPinned = try CommandError.ending(with: .cannotWrite, on: BaselineError.self) {
            try store.pin(as: name) > 0
        }
        guard isPinned else { throw store.nothingStored(options.repeated) }
        let count = try store.pinned(name).content().entries.count
        StandardStream.output.tell("pinned: \(Figure.count(count, "baseline")) as \(name)")
    }
}

struct BaselinePruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Removes the baselines of removed pages or metrics; runs no longer need to measure them.",
        discussion: """
            EXAMPLE
              perfgate baseline prune OldSearch --dry-run
              perfgate baseline prune Search --metric alt
              perfgate baseline prune --older-than 90
            """)

    @Argument(help: "The pages, by name or by baseline file name.") var pages: [String] = []
    @Option(help: .taking("identifier", "Remove only this metric of the pages; repeatable.")) var metric: [String] = []
    @Option(help: .taking("days", "Prune pages whose newest run is this many days older than the store's newest run."))
    var olderThan: Int?
    @Flag(help: "Show what would be removed, without removing it.") var dryRun = false
    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard pages.isEmpty == (olderThan != nil) else {
            throw ValidationError("Give either pages or '--older-than DAYS', to select the baselines to remove.")
        }
        guard metric.isEmpty || olderThan == nil else {
            throw ValidationError("'--metric' removes a metric of pages. Give pages instead of '--older-than'.")
        }
        if let olderThan, olderThan < 1 { throw ValidationError("'--older-than \(olderThan)' is less than a day.") }
    }

    func run() throws {
        let action = dryRun ? "would be removed:" : "removed:"
        for (page, metric) in pages.flatMap({ page in metric.map { (page, $0) } }) {
            try options.change(metric, of: page, dryRun: dryRun, without: "no baseline") { _, file, _ in
                (file.removing(metric), action)
            }
        }
        guard metric.isEmpty else { return }
        let (_, store, baselines) = try options.open()
        let places = try selection(of: baselines)
        for place in places {
            if !dryRun {
                try CommandError.ending(with: .cannotWrite, on: BaselineError.self) {
                    try store.prune(place, foundAt: baselines.entries[place]?.path)
                }
            }
            StandardStream.output.tell("\(action) \(place.page.name) in \(place.environment)")
        }
        if places.isEmpty { StandardStream.output.tell("No baseline is that old.") }
    }

    private func selection(of baselines: Baselines) throws -> [PageInEnvironment] {
        if let olderThan { return baselines.places(daysOlderThanNewest: olderThan) }
        return Set(try pages.flatMap { try baselines.places(named: $0, options.repeated) }).sorted()
    }
}

struct BaselineRenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Renames a page in all environments, with all its samples.",
        discussion: """
            If the page has newer runs under its new name already, or a merge kept both names, they become one baseline.

            EXAMPLE
              perfgate baseline rename Search 'Search results'
            """)

    @Argument(help: "The page, by name or by baseline file name.") var old: String
    @Argument(help: "Its new name.") var new: String
    @OptionGroup var options: StoreOptions

    func validate() throws {
        if new.allSatisfy(\.isWhitespace) { throw ValidationError("The new name is empty. Give the page a name.") }
    }

    func run() throws {
        let (configuration, store, baselines) = try options.open()
        let page = Page(new)
        let places = try baselines.places(named: old, options.repeated)
        let taken = places.first { place in
            let other = baselines[PageInEnvironment(page: page, environment: place.environment)]
            guard let other, let own = baselines[place], place.page != page else { return false }
            return !other.goesOn(with: own.renamed(to: page))
        }
        if let taken {
            throw CommandError(
                .usage,
                "A baseline of '\(new)' in \(taken.environment) already exists, and not all its runs are newer. "
                    + "Remove one of both with `perfgate baseline prune`, or choose another name.")
        }
        // Pinned copies take the name too: else `--against` would compare the page with nothing.
        let pinned = try store.pinnedNames().map { name in
            let copy = store.pinned(name)
            return (store: copy, baselines: try copy.content(), name: " in \(name)")
        }
        for (store, baselines, name) in [(store, baselines, "")] + pinned {
            for place in places where baselines[place] != nil {
                let isTaken = baselines[PageInEnvironment(page: page, environment: place.environment)] != nil
                if isTaken, !name.isEmpty { continue }
                try CommandError.ending(with: .cannotWrite, on: BaselineError.self) {
                    try store.rename(
                        place, to: page, foundAt: baselines.entries[place]?.path, window: configuration.window)
                }
                StandardStream.output.tell("renamed\(name): \(place.page.name) → \(new) in \(place.environment)")
            }
        }
    }
}

struct BaselineReleaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Lets the held runs of a metric into its baseline, for a reason.",
        discussion: """
            An update holds runs that regressed or may have: they are stored, and never compared with. A series that \
            was chance gets in by itself. This lets the rest in beside the settled runs, such as after nights with a \
            slow server that you know about. To accept a change, use `perfgate baseline update --accept`, which \
            starts an epoch without the old runs.

            EXAMPLE
              perfgate baseline release Search ttil --reason 'the staging server was slow'
            """)

    @Argument(help: "The page, by name or by baseline file name.") var page: String
    @Argument(help: "The identifier of the metric.") var metric: String
    @Option(help: .taking("why", "Why the runs belong to the baseline.")) var reason: String
    @OptionGroup var options: StoreOptions

    func validate() throws {
        if reason.allSatisfy(\.isWhitespace) { throw ValidationError("'--reason' is empty. Give a reason.") }
    }

    func run() throws {
        let now = Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970))
        try options.change(metric, of: page, without: "no held runs") { stored, file, window in
            guard !stored.held.isEmpty else { return nil }
            let count = Figure.count(stored.held.count, "held run")
            return (file.releasing(metric, reason: reason, at: now, window: window), "let in: \(count) of")
        }
    }
}

struct BaselineReopenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reopen", abstract: "Returns to the epoch that an improvement ended by itself.",
        discussion: """
            Two settled runs that are much faster (four, of a page that varies much) begin an epoch of their metric. \
            If the page wasn't faster, such as with an empty backend, this restores the earlier runs and removes the \
            runs since. The earlier epoch is kept until the new one fills the window.

            EXAMPLE
              perfgate baseline reopen Search ttil
            """)

    @Argument(help: "The page, by name or by baseline file name.") var page: String
    @Argument(help: "The identifier of the metric.") var metric: String
    @OptionGroup var options: StoreOptions

    func run() throws {
        let nothing = "no earlier epoch that is kept; if it is older, restore the file with git"
        try options.change(metric, of: page, without: nothing) { stored, file, window in
            guard let earlier = stored.earlier, let old = file.reopening(metric, window: window) else { return nil }
            let removed = Figure.count(stored.samples.count + stored.held.count, "run")
            return (old, "reopened: \(Figure.count(earlier.samples.count, "run")) again, \(removed) removed of")
        }
    }
}
