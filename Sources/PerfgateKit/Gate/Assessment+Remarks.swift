import Foundation
import PerfgateCompare
import PerfgateModel
import PerfgateStats

extension Assessment {
    func remarks(on measurements: Measurements, _ amounts: MeasurementGaps) -> [Diagnostic] {
        strangers(measurements) + unpaired(measurements) + measurements.quantileNotes
            + measurements.absentShards(isPartial: policy.isPartial)
            + ExcusedIterations(amounts, measurements, policy).diagnostics + forgivenRuns(amounts, of: measurements)
    }

    /// Diagnostics about finished comparisons: units that may be wrong, and what an old configuration lets pass.
    func remarks(on comparisons: [CellResult], of measurements: Measurements) throws(StatsError) -> [Diagnostic] {
        let slips =
            SuspectedUnits(comparisons).all.map { Diagnostic(.unitSlip, $0.sentence) }
            + simulated(comparisons)
            + silentEnvironments(Set(comparisons.map(\.environment) + measurements.environments))
        guard policy.noBaseline == .warn, comparisons.contains(where: { $0.verdict == .noBaseline })
        else { return slips }
        var strict = policy
        strict.noBaseline = .auto
        let refused = try Judge(policy: strict).judge(measurements, with: reference).comparisons.filter {
            $0.detail == .nothingCompared
        }
        return slips
            + Dictionary(grouping: refused, by: \.environment).sorted { $0.key < $1.key }.map {
                Diagnostic(
                    .nothingCompared,
                    "\($1.count) gated cells of \($0) were compared with nothing, and `no_baseline: warn` lets that pass: "
                        + "remove it from the configuration.")
            }
    }

    /// A diagnostic about limits that only frames of simulators break, which aren't gated.
    private func simulated(_ comparisons: [CellResult]) -> [Diagnostic] {
        let broken = comparisons.filter { result in
            policy.simulator == .show && !result.isGated && result.environment.isSimulator
                && result.limitStep?.found == .overLimit
        }
        let names = broken.map { "\($0.page) \($0.metric.id)" }.listed(most: Self.mostSilent)
        let message = "Frames of a simulator aren't gated (`simulator: show`), and break their limits: \(names)."
        return broken.isEmpty ? [] : [Diagnostic(.simulatedFrames, message)]
    }

    /// A diagnostic if runs were measured in turn and one lost its partner: then all samples are compared together.
    private func unpaired(_ measurements: Measurements) -> [Diagnostic] {
        let pairing = Pairing(candidate: Pairing.pairs(of: measurements.runs), reference: reference.pairs)
        let message =
            "Pair \(pairing.unmatched.listed(most: 1)) has runs on one side only, so all samples are compared together, which "
            + "shows less: measure both sides of each pair."
        // Pairs that are judged one by one don't need all partners.
        return measured != nil || pairing.unmatched.isEmpty ? [] : [Diagnostic(.unpairedRuns, message)]
    }

    /// One diagnostic for each run that measured too little of pages that a later run measured completely.
    private func forgivenRuns(_ amounts: MeasurementGaps, of measurements: Measurements) -> [Diagnostic] {
        amounts.forgiven.sorted { $0.key.precedesInUTF8($1.key) }.map { run, pages in
            Diagnostic(
                .forgivenRun, path: measurements.runs.first { $0.id == run }?.path,
                "Run \(run) measured too little of \(ExcusedIterations.names(pages.sorted())); a later run measured all."
            )
        }
    }

    /// A diagnostic for each of the first environments with baselines that nothing measured, and one for the others.
    private func silentEnvironments(_ judged: Set<Environment>) -> [Diagnostic] {
        guard !policy.isPartial, !judged.isEmpty else { return [] }
        let stored = Set(reference.cells.filter { !$0.value.isLimitOnly }.keys.map(\.place))
        // The nearest of a device without a baseline is named with it.
        let named = Set(judged.subtracting(reference.environments).compactMap(nearest))
        let pages = Dictionary(grouping: stored, by: \.environment)
            .filter { !judged.contains($0.key) && !named.contains($0.key) }
            .sorted { $0.key < $1.key }
        return pages.map { "\($0) has baselines of \(Figure.count($1.count, "page")) and no log in this call." }
            .first(Self.mostSilent) { "\(Figure.count($0, "more environment")) with baselines have no log." }
            .map { Diagnostic(.silentEnvironment, $0) }
    }

    private static let mostSilent = 3

    /// The environment with baselines that has the most fields in common.
    private func nearest(to environment: Environment) -> Environment? {
        reference.environments.max { $0.agreement(with: environment) < $1.agreement(with: environment) }
    }

    /// One diagnostic for each environment without a baseline, naming the nearest environment with one.
    private func strangers(_ measurements: Measurements) -> [Diagnostic] {
        let known = reference.environments
        guard !known.isEmpty else { return [] }
        return measurements.withoutQuantiles.environments.filter { !known.contains($0) }.map { environment in
            let hint = nearest(to: environment).map { " The nearest with baselines is \($0)." } ?? ""
            return Diagnostic(.noEnvironmentBaseline, "There is no baseline for \(environment).\(hint)")
        }
    }
}

extension Measurements {
    /// A note where there are percentiles of real users, as App Store Connect has them.
    var quantileNotes: [Diagnostic] {
        let count = cells.values.count { $0.metric.isQuantile }
        let subject = Figure.count(count, "percentile")
        let message = "Only limits judge \(subject) of users, because percentiles have no samples."
        return count > 0 ? [Diagnostic(.notMeasured, message)] : []
    }
}

extension Environment {
    fileprivate func agreement(with other: Environment) -> Int { zip(fields, other.fields).count { $0 == $1 } }
}

extension CalendarDay {
    /// The current day in UTC; tests override it with the variable `PERFGATE_TODAY`.
    package static var today: CalendarDay? {
        ProcessInfo.processInfo.environment["PERFGATE_TODAY"].flatMap { CalendarDay($0) }
            ?? CalendarDay(number: Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970)).day)
    }
}

extension Run {
    /// Why a start can't be true; `nil` if it can. A future one would freeze baselines, an unreadable one count as now.
    func impossibleStart(today: CalendarDay?) -> String? {
        guard let text = startedAt else { return nil }
        guard let start = Timestamp(text) else {
            return "Run \(id) says that it began at '\(text)', which isn't a time: write it with its zone, such as "
                + "2026-11-20T10:00:00Z."
        }
        guard let today, !(today.possible ~= start.day) else { return nil }
        return "Run \(id) says that it began at \(text), which can't be: set the clock of its device."
    }
}

extension Measurements {
    func withoutImpossibleStarts(today: CalendarDay?) -> (Measurements, [Diagnostic]) {
        var result = self
        var remarks: [Diagnostic] = []
        for (index, run) in runs.enumerated() {
            guard let problem = run.impossibleStart(today: today) else { continue }
            result.runs[index].context["started_at"] = nil
            remarks.append(Diagnostic(.impossibleTime, path: run.path, "\(problem) The start was left out."))
        }
        return (result, remarks)
    }

    func refusingImpossibleStarts(today: CalendarDay?) -> Measurements {
        blaming { [$0.impossibleStart(today: today)] }
    }
}

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

    /// What `doctor` names: notable, drifted and lost cells, and gated ones with too few settled runs for their page.
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
        held.grouped { ["\($0.key.environment)", $0.value.words] }.map { group in
            let names = group.map { "\($0.key.metric) of \($0.key.page)" }.first(mostNames) { "\($0) more" }
            return ("\(names.joined(separator: ", ")) in \(group[0].key.environment)", group[0].value.words)
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
