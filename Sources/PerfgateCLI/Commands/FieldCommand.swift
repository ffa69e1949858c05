import ArgumentParser
import PerfgateCompare
import PerfgateField
import PerfgateKit
import PerfgateModel

struct FieldCommand: CommandGroup {
    static let configuration = CommandConfiguration(
        commandName: "field",
        abstract: "Rolls up events of real users, compares releases, and finds when a page became slower.",
        subcommands: [
            FieldRollUpCommand.self, FieldSQLCommand.self, FieldImportCommand.self, FieldCheckCommand.self,
            FieldTrendCommand.self, FieldExportCommand.self,
        ])
}

struct FieldRollUpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollup", abstract: "Rolls up files of events into the folder that the other commands read.",
        discussion: """
            Events are the lines of the perfgate log (pps, screen, frames, metric), or rows with the keys of your \
            table, one JSON object per line. A line's day is the UTC date of its "at", else of its run's started_at; \
            its release is app_version. A file given again isn't counted twice; late files update their days.

            EXAMPLE
              perfgate field rollup events/2026-11-19/ --out Field
              perfgate field rollup events/ --pair 7.117:7.129
              perfgate field rollup --via 'psql --csv -q' --dialect postgres --table perf

            Exit codes: 0 every file was counted, 64 usage, 65 a file of bad data was left out, 66 no input, 73 can't write, 78 \
            bad configuration or store.
            """)

    @Argument(help: "The files: paths, folders, patterns, or - for standard input.") var logs: [String] = []
    @Option(
        help: ArgumentHelp(
            "Let an engine roll up: sh runs this command with the SQL on its standard input; its output "
                + "replaces the days it contains.", valueName: "command"))
    var via: String?
    @OptionGroup(title: "Engine") var query: FieldQueryOptions
    @OptionGroup var folder: FieldOutput
    @OptionGroup var selection: FieldSelection
    @OptionGroup var days: FieldDays
    @Flag(name: .shortAndLong, help: "Print only problems.") var quiet = false

    func validate() throws {
        try ValidationError.refuse([
            "Give either files of events or '--via COMMAND'.": logs.isEmpty == (via == nil),
            "'--dialect' and '--table' need '--via COMMAND'. Give that too.": via == nil && query.isGiven,
        ])
        if via != nil { try query.require() }
    }

    func run() throws {
        let options = try selection.options(days)
        try folder.store.probe()
        if let via {
            let summary = try query.ask(via, options, into: folder.store)
            summary.tellImpossible()
            guard summary.rows > summary.impossibleRows else {
                throw CommandError(.noInput, "The engine counted no events. \(RollUpText.advice)")
            }
            if !quiet { summary.tell(of: folder.field) }
            return
        }
        let summary = try ReadingProgress.showing(unless: quiet) {
            try FieldRollUp.run(logs, options, into: folder.store, progress: $0)
        }
        ConsoleReport.tell(summary.diagnostics + summary.faults.map(Diagnostic.init))
        RollUpText.warn(about: summary.size)
        if !quiet { RollUpText.lines(summary, folder.field, options.pair).forEach(StandardStream.output.tell) }
        let faults = summary.faults.map { ExitStatus($0.fault) }
        let isEmpty = summary.events == 0 && summary.knownFiles.isEmpty && faults.isEmpty
        if isEmpty {
            let isChosen = [.otherDay, .condition].contains { summary.leftOut[$0, default: 0] > 0 }
            let advice = isChosen ? "--since, --until or --where exclude all events." : RollUpText.advice
            StandardStream.error.tell("perfgate: No events were counted. \(advice)")
        }
        try ExitStatus.mostUrgent(faults + (isEmpty ? [.noInput] : [])).end()
    }
}

struct FieldImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Imports a roll-up that an engine made into the folder.",
        discussion: """
            CSV with a header, or one JSON object per line. The columns, in any order, identify the roll-up:
              T      app,page,release,day,metric[,os][,device_class][,network][,low_power],events,quanta,buckets
              G      app,page,side,day,metric,bucket,n,w,w2
              users  app,page,release,day,metric,users,m,m2,s2,sm
            Give G and its users in one call with --pair; they replace their days.

            EXAMPLE
              perfgate field import rollup.csv
              perfgate field import g.csv users.csv --pair 7.117:7.129

            Exit codes: 0 everything was stored, 64 usage, 65 rows contradict each other, 66 no input, 73 can't \
            write, 78 bad configuration or store.
            """)

    @Argument(help: "The files, or - for standard input.") var files: [String]
    @OptionGroup var folder: FieldOutput
    @OptionGroup var selection: FieldSelection

    func run() throws {
        let options = try selection.options()
        try folder.store.probe()
        let summary = try FieldImport.run(files, options, into: folder.store)
        for path in summary.knownFiles { StandardStream.output.tell("already counted: \(path)") }
        summary.tellImpossible()
        summary.tell(of: folder.field)
        guard summary.rows == summary.impossibleRows else { return }
        throw CommandError(.noInput, "The files contain no rows. Check the query that wrote them.")
    }
}

extension FieldImport.Summary {
    func tell(of folder: String) {
        for (name, days) in [("T", days), ("G", pairDays)] where !days.isEmpty {
            let size = name == "T" ? RollUpText.text(of: size) : ""
            StandardStream.output.tell("\(folder): \(name) of \(RollUpText.text(of: days))\(size)")
        }
        RollUpText.warn(about: size)
    }

    func tellImpossible() {
        guard impossibleRows > 0 else { return }
        let message =
            "Rows of days that can't be, before 2015 or in the future, were left out: \(impossibleRows). Check the column "
            + "`at` and its unit."
        ConsoleReport.tell([Diagnostic(.impossibleTime, message)])
    }
}

enum RollUpText {
    static let advice = "Check that lines have at, page and app_version, or map them with field.columns."

    static func lines(_ summary: FieldRollUp.Summary, _ folder: String, _ pair: FieldPair?) -> [String] {
        var lines = summary.knownFiles.map { "already counted: \($0)" }
        if !summary.days.isEmpty {
            lines.append(
                "\(folder): \(Figure.count(summary.events, "event")) of \(Figure.count(summary.pages, "page")) on "
                    + text(of: summary.days) + text(of: summary.size))
        }
        if let pair, !summary.pairDays.isEmpty {
            lines.append("\(folder): \(pair.base) against \(pair.candidate) on \(text(of: summary.pairDays))")
        }
        for (pair, days) in summary.outdated {
            lines.append(
                "\(folder): \(pair.base) against \(pair.candidate) lacks events of \(text(of: days)): give all files "
                    + "of these days with --pair \(pair.base):\(pair.candidate)")
        }
        lines += summary.tags.sorted { $0.key < $1.key }.map { text(ofTag: $0.key, $0.value) }
        let leftOut = FieldOmission.allCases.compactMap { reason in summary.leftOut[reason].map(reason.text) }
        return lines + (leftOut.isEmpty ? [] : ["left out: \(leftOut.joined(separator: ", "))"])
    }

    private static let shownValues = 10

    private static func text(ofTag name: String, _ values: [String: Int]) -> String {
        let other = FieldTags.other
        let named = values.filter { $0.key != other }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let shown = named.prefix(shownValues)
        let rest = named.dropFirst(shown.count).reduce(values[other] ?? 0) { $0 + $1.value }
        let texts = shown.map { "\($0.key) \($0.value)" } + (rest > 0 ? ["\(other) \(rest)"] : [])
        return "tags.\(name): \(texts.joined(separator: ", "))"
    }

    /// The rows for each event; empty without events.
    static func text(of size: RollUpSize) -> String {
        size.rowsPerEvent.map { ", \(Figure.text($0)) rows per event" } ?? ""
    }

    /// Warns about a roll-up that is hardly smaller than its events.
    static func warn(about size: RollUpSize) {
        guard size.isLarge, let rows = size.rowsPerEvent else { return }
        let message =
            "The roll-up has \(Figure.text(rows)) rows per event, so it is hardly smaller than the events: group it by "
            + "fewer columns in field.by, or give devices classes in field.device_classes."
        ConsoleReport.tell([Diagnostic(.largeRollUp, message)])
    }

    static func text(of days: [CalendarDay]) -> String {
        guard let first = days.first, let last = days.last, first != last else { return days.first?.text ?? "no day" }
        return "\(Figure.count(days.count, "day")) (\(first) … \(last))"
    }
}

extension FieldOmission {
    fileprivate func text(_ count: Int) -> String {
        switch self {
        case .unreadable: "\(Figure.count(count, "line")) that can't be read"
        case .type: "\(Figure.count(count, "line")) of types that aren't rolled up"
        case .day: "\(Figure.count(count, "line")) without a day"
        case .page: "\(Figure.count(count, "line")) without a page"
        case .release: "\(Figure.count(count, "line")) without a release"
        case .checkpoint: "\(Figure.count(count, "checkpoint")) of visits outside of a run"
        case .continued: "\(Figure.count(count, "line")) of visits that an earlier part counts"
        case .inactive: "load times of \(Figure.count(count, "visit")) of an inactive app"
        case .empty: "\(Figure.count(count, "event")) without a value"
        case .value: Figure.count(count, "negative or unreadable value")
        case .impossibleDay: "\(Figure.count(count, "line")) of days that can't be"
        case .otherDay: "\(Figure.count(count, "line")) of other days"
        case .condition: "\(Figure.count(count, "line")) that --where excludes"
        }
    }
}
