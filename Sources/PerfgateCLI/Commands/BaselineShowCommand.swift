import ArgumentParser
import PerfgateBaselines
import PerfgateCompare
import PerfgateKit
import PerfgateModel

struct BaselineShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows what the baselines contain: the pages, or one page's metrics, runs and accepted changes.",
        discussion: """
            EXAMPLE
              perfgate baseline show
              perfgate baseline show Search
            """)

    @Argument(help: "The page, by name or by baseline file name.") var page: String?
    @OptionGroup var options: StoreOptions

    func run() throws {
        let (configuration, store, baselines) = try options.open()
        guard !baselines.entries.isEmpty else { throw store.nothingStored(options.repeated) }
        let lines =
            try page.map { try self.lines(of: $0, in: baselines, configuration.policy) } ?? overview(of: baselines)
        lines.forEach(StandardStream.output.tell)
    }

    private func overview(of baselines: Baselines) -> [String] {
        baselines.environments.flatMap { environment in
            let rows = baselines.pages(in: environment).compactMap { page in
                baselines[PageInEnvironment(page: page, environment: environment)].map { file in
                    let newest = file.runs.last.map { "newest \($0.id) of \($0.startedAt.text)" } ?? ""
                    let counts = [Figure.count(file.metrics.count, "metric"), Figure.count(file.runs.count, "run")]
                    return [page.name] + counts + [newest]
                }
            }
            return ["\(environment)"] + TextColumns(rows).lines()
        }
    }

    private func lines(of word: String, in baselines: Baselines, _ policy: Policy) throws -> [String] {
        let places = try baselines.places(named: word, options.repeated)
        let cells = Dictionary(grouping: baselines.storedCells, by: \.cell.place)
        let reference = Reference(baselines)
        let drifts = try Judge(policy: policy).drift(in: reference)
        return places.flatMap { place in
            guard let file = baselines[place] else { return [String]() }
            return ["\(place.page.name) in \(place.environment)"] + metrics(cells[place] ?? [])
                + memory(of: place, reference, drifts) + ["", "  runs"] + runs(of: file) + accepted(in: file)
        }
    }

    private func metrics(_ cells: [StoredCell]) -> [String] {
        let rows = cells.map { stored in
            let center = stored.center.map { Figure.text($0, stored.metric.unit.symbol) } ?? "no sample"
            let limit = stored.limit.map { ["limit \(Figure.text($0, stored.metric.unit.symbol))"] } ?? []
            let held = stored.heldWords.map { ", held: \($0)" } ?? ""
            let counts = "\(Figure.count(stored.count, "sample")) of \(Figure.count(stored.runs.count, "run"))"
            return [MetricCatalog.name(of: stored.cell.metric), center, counts + held] + limit
        }
        return TextColumns(rows).lines()
    }

    private func memory(of place: PageInEnvironment, _ reference: Reference, _ drifts: [BaselineDrift]) -> [String] {
        let held = reference.held.filter { $0.key.place == place }.sorted { $0.key < $1.key }
            .map { [MetricCatalog.name(of: $0.key.metric), $0.value.words] }
        let drifted = drifts.compactMap { drift in
            drift.cell.flatMap { $0.place == place ? [MetricCatalog.name(of: $0.metric), drift.words] : nil }
        }
        let rows = held + drifted
        return rows.isEmpty ? [] : ["", "  not as the baseline says"] + TextColumns(rows).lines(indent: 4)
    }

    private func runs(of file: BaselineFile) -> [String] {
        let rows = file.runs.map { [$0.id, $0.startedAt.text, $0.commit ?? "", $0.tool ?? ""] }
        return TextColumns(rows).lines(indent: 4)
    }

    private func accepted(in file: BaselineFile) -> [String] {
        guard !file.accepted.isEmpty else { return [] }
        let rows = file.accepted.map { [MetricCatalog.name(of: $0.metric), $0.at.text, $0.reason] }
        return ["", "  accepted changes; each starts a new epoch"] + TextColumns(rows).lines(indent: 4)
    }
}

struct BaselineDiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Shows how the baselines differ from a git revision or another folder.",
        discussion: """
            EXAMPLE
              perfgate baseline diff
              perfgate baseline diff origin/main
              perfgate baseline diff ../release-7.128/Baselines
            """)

    @Argument(help: "A revision that git knows, or a folder of baselines.") var older = "HEAD"
    @Flag(help: "List every changed value, not only the 15 largest changes of each environment.") var details = false
    @OptionGroup var options: StoreOptions
    /// The most rows of an environment without `--details`.
    private static let most = 15

    func run() throws {
        let (_, store, new) = try options.open()
        let differences = BaselineDifference.between(try old(besides: store), new)
        let grouped = Dictionary(grouping: differences, by: \.cell.environment)
        for (environment, differences) in grouped.sorted(by: { $0.key < $1.key }) {
            (["\(environment)"] + table(of: differences)).forEach(StandardStream.output.tell)
        }
        let cells = Figure.count(differences.count, "cell")
        let verb = differences.count == 1 ? "differs" : "differ"
        StandardStream.output.tell(
            differences.isEmpty
                ? "The baselines don't differ from \(older)."
                : "\(cells) (page × metric × environment) \(verb) from \(older).")
    }

    private func old(besides store: BaselineStore) throws -> Baselines {
        let folder = store.other(older)
        // A folder of logs may have the name of a branch.
        let content = folder.isThere ? try folder.content() : nil
        if let content, !content.entries.isEmpty { return content }
        return try GitRevision(name: older, store: store).load()
    }

    /// What was accepted, with its reason, then what moved beyond its noise, the largest relative change first; cells
    /// that only took in runs, or moved within their noise, are counted.
    private func table(of differences: [BaselineDifference]) -> [String] {
        let ofValue = differences.filter(\.isOfValue)
        let changed = ofValue.filter { details || $0.accepted != nil || $0.isBeyondNoise }.sorted {
            ($0.accepted == nil ? 1 : 0, $1.size) < ($1.accepted == nil ? 1 : 0, $0.size)
        }
        var columns = TextColumns()
        if !changed.isEmpty { columns.add(["metric", "older → now", "change", "runs"]) }
        let shown = details ? changed[...] : changed.prefix(Self.most)
        columns.add(shown, by: \.cell.page, title: \.name, cells)
        let left = changed.count - shown.count
        let lines = columns.lines() + (left > 0 ? ["  … and \(left) more; --details lists them"] : [])
        let shownCells = Set(changed.map(\.cell))
        let same = differences.filter { !shownCells.contains($0.cell) }
        guard !same.isEmpty else { return lines }
        let count = Figure.count(same.count, changed.isEmpty ? "cell" : "more cell")
        let runs = Self.runs(
            added: Set(same.flatMap(\.addedRuns)).count, removed: Set(same.flatMap(\.removedRuns)).count)
        let what = details ? "with the same value" : "moved within their noise or not at all; --details lists them"
        return lines + ["  \(count) \(what)\(runs.isEmpty ? "" : "; runs: \(runs)")"]
    }

    private static func runs(added: Int, removed: Int, held: Int = 0) -> String {
        let counts = [(added, "added"), (removed, "removed"), (held, "held")].filter { $0.0 > 0 }
        return counts.map { "\($0) \($1)" }.joined(separator: ", ")
    }

    private func cells(of difference: BaselineDifference) -> [String] {
        let unit = (difference.new ?? difference.old)?.metric.unit.symbol ?? ""
        let sides = [difference.old, difference.new].map { side in
            side.map { $0.center.map { Figure.text($0) } ?? "no sample" } ?? "none"
        }
        let change = difference.change.map { change in
            let isCount = difference.new?.metric.isTime == false
            let share = difference.old?.center.flatMap { old -> String? in
                let share = change / abs(old)
                return abs(share) < 10 && (!isCount || old >= 1) ? " (\(Figure.percentage(share)))" : nil
            }
            let resolution = Figure.Resolution(of: [difference.old?.center, difference.new?.center])
            return Figure.signed(change, resolution) + (share ?? "")
        }
        let runs = Self.runs(
            added: difference.addedRuns.count, removed: difference.removedRuns.count,
            held: difference.new?.held.count ?? 0)
        return [
            MetricCatalog.name(of: difference.cell.metric),
            "\(sides[0]) → \(sides[1])\(unit.isEmpty ? "" : " \(unit)")", change ?? "",
            runs + (difference.accepted.map { "; accepted: \($0.reason)" } ?? ""),
        ]
    }
}

extension BaselineDifference {
    /// Whether more changed than the runs behind a value.
    fileprivate var isOfValue: Bool {
        old?.center.map { Figure.text($0) } != new?.center.map { Figure.text($0) } || old?.metric != new?.metric
            || old?.limit != new?.limit || (old == nil) != (new == nil) || old?.held != new?.held || accepted != nil
    }

    /// The change as a share of the greater value, 0…1; 2 for a cell that is new, gone or of another unit.
    fileprivate var size: Double {
        guard let change, let before = old?.center, let after = new?.center else {
            return old?.center == nil && new?.center == nil ? 0 : 2
        }
        return change == 0 ? 0 : abs(change) / max(abs(before), abs(after))
    }
}

/// Rows of text in aligned columns; every column but the last is padded.
struct TextColumns {
    private(set) var rows: [[String]] = []
    private var titles: Set<Int> = []

    init(_ rows: [[String]] = []) { for row in rows { add(row) } }

    mutating func add(_ cells: [String]) { rows.append(cells.map { CleanText.line($0, most: 120) }) }

    /// Adds items as rows below a title for each group, ordered by its first item.
    mutating func add<Item, Group: Hashable>(
        _ items: some Collection<Item>, by group: (Item) -> Group, title: (Group) -> String, _ cells: (Item) -> [String]
    ) {
        let groups = Dictionary(grouping: items, by: group)
        var added: Set<Group> = []
        for key in items.map(group) where added.insert(key).inserted {
            titles.insert(rows.count)
            add([title(key)])
            for item in groups[key] ?? [] { add(cells(item)) }
        }
    }

    /// The lines, indented by this many spaces; below titles by two more.
    func lines(indent: Int = 2) -> [String] {
        let aligned = rows.indices.filter { !titles.contains($0) }.map { rows[$0] }
        let widths = (0..<(aligned.map(\.count).max() ?? 0)).map { column in
            aligned.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.enumerated().map { number, row in
            let indent = indent + (titles.isEmpty || titles.contains(number) ? 0 : 2)
            let cells = row.enumerated().map { index, cell in
                index == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[index] - cell.count)
            }
            let line = String(repeating: " ", count: indent) + cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
