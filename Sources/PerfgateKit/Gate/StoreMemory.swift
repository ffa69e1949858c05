import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// What a store remembers beside the runs that it compares with: refused nights, slow drifts, and lost runs. A check
/// that passes against old runs, or in a series of small steps, must say so.
package struct StoreMemory {
    let reference: Reference, drifts: [BaselineDrift], policy: Policy

    package init(reference: Reference, drifts: [BaselineDrift], policy: Policy) {
        (self.reference, self.drifts, self.policy) = (reference, drifts, policy)
    }

    private static let mostNames = 10

    /// The gated cells that are refused, or in doubt for three runs or more; those with the most runs first.
    private func notable(_ isWanted: (Cell) -> Bool) -> [(key: Cell, value: HeldNights)] {
        reference.held.filter { cell, nights in
            isWanted(cell) && isGated(cell) && (nights.isRefused || nights.runs >= HeldNights.notable)
        }.sorted { ($1.value.runs, $0.key) < ($0.value.runs, $1.key) }
    }

    /// The diagnostics of some environments: refused, drifted and lost cells, and those that are in doubt for three runs
    /// or more, since a single doubtful run is mostly chance; the first ten of each. Cells that are held alike are one.
    package func diagnostics(in environments: [Environment]) -> [Diagnostic] {
        let all = Set(environments)
        let held = notable { all.contains($0.environment) }
        let lost = reference.lost.filter { all.contains($0.environment) && isGated($0) }.sorted()
        return Self.first(Self.alike(held)) { Diagnostic(.heldRuns, "On the main branch, \($0): \($1).") }
            + Self.first(drifts.filter { all.contains($0.environment) }) { drift in
                Diagnostic(
                    .baselineDrift, "\(drift.sentence): accept it with --accept, or find out when by trend LOGS.")
            }
            + Self.first(lost) { cell in
                Diagnostic(
                    .lostRuns,
                    "\(Self.name(cell)): an earlier version dropped its runs, so it has no baseline; baseline update "
                        + "--accept stores the next run.")
            }
    }

    /// What `doctor` names: refused cells, those held for three nights or more, drifted and lost ones, and gated cells with fewer than
    /// five settled runs on pages that have five.
    package var problems: [String] {
        let held = notable { _ in true }.map { "\(Self.name($0.key)): \($0.value.words)" }
        let lost = reference.lost.filter(isGated).sorted().map {
            "\(Self.name($0)): an earlier version dropped its runs; accept the next one"
        }
        let most = reference.cells.reduce(into: [PageInEnvironment: Int]()) { most, item in
            most[item.key.place] = max(most[item.key.place] ?? 0, item.value.runs.count)
        }
        let few = reference.cells.filter { cell, entry in
            entry.runs.count < Design.settledBaselineRuns && !entry.runs.isEmpty && isGated(cell)
                && most[cell.place] ?? 0 >= Design.settledBaselineRuns
        }.sorted { $0.key < $1.key }.map {
            "\(Self.name($0.key)): \(Figure.count($0.value.runs.count, "settled run")), fewer than its page has"
        }
        return [held, drifts.map(\.sentence), lost, few].flatMap { lines in
            lines.first(Self.mostNames) { "and \($0) more like the last" }
        }
    }

    private static func alike(_ held: [(key: Cell, value: HeldNights)]) -> [(cells: String, words: String)] {
        var groups: [(environment: Environment, words: String, names: [String])] = []
        for (cell, nights) in held {
            let name = "\(cell.metric) of \(cell.page)"
            let words = nights.words
            if let index = groups.firstIndex(where: { ($0.environment, $0.words) == (cell.environment, words) }) {
                groups[index].names.append(name)
            } else {
                groups.append((cell.environment, words, [name]))
            }
        }
        return groups.map { environment, words, names in
            ("\(names.first(mostNames) { "\($0) more" }.joined(separator: ", ")) in \(environment)", words)
        }
    }

    private static func name(_ cell: Cell) -> String { "\(cell.metric) of \(cell.page) in \(cell.environment)" }

    private static func first<Item>(_ items: [Item], _ diagnostic: (Item) -> Diagnostic) -> [Diagnostic] {
        let told = items.prefix(mostNames).map(diagnostic)
        guard let last = told.last, items.count > mostNames else { return told }
        return told.dropLast() + [Diagnostic(last.code, "\(last.message) And \(items.count - mostNames) more.")]
    }

    private func isGated(_ cell: Cell) -> Bool {
        let metric =
            reference.cells[cell]?.metric ?? MetricCatalog.definition(of: cell.metric)?.metric
            ?? Metric(id: cell.metric, unit: Unit(""), better: .lower)
        return policy.cellPolicy(page: cell.page, metric: metric, environment: cell.environment).isGated.value
    }
}
