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

/// Rows of text in aligned columns; every column but the last is padded.
struct TextColumns {
    private(set) var rows: [[String]] = []
    private var titles: Set<Int> = []

    init(_ rows: [[String]] = []) { for row in rows { add(row) } }

    mutating func add(_ cells: [String]) { rows.append(cells.map { CleanText.line($0, most: 120) }) }

    /// Adds items as rows below a title for each group, ordered by its first item.
    mutating func add<Item, Group: Hashable>(
        _ items: some Sequence<Item>, by group: (Item) -> Group, title: (Group) -> String, _ cells: (Item) -> [String]
    ) {
        var order: [Group] = []
        var groups: [Group: [Item]] = [:]
        for item in items {
            if groups[group(item)] == nil { order.append(group(item)) }
            groups[group(item), default: []].append(item)
        }
        for group in order {
            titles.insert(rows.count)
            add([title(group)])
            for item in groups[group] ?? [] { add(cells(item)) }
        }
    }

    /// The lines, indented by this many spaces; below titles by two more.
    func lines(indent: Int = 2) -> [String] {
        var widths: [Int] = []
        for (number, row) in rows.enumerated() where !titles.contains(number) {
            for (index, cell) in row.enumerated() {
                if index == widths.count { widths.append(0) }
                widths[index] = max(widths[index], cell.count)
            }
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
