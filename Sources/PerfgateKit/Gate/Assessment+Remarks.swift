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
            SuspectedUnits(comparisons).all.map { Diagnostic(.unitSlip, $0.sentence) } + simulated(comparisons)
            + silentEnvironments(Set(comparisons.map(\.environment) + measurements.environments))
        guard policy.noBaseline == .warn, comparisons.contains(where: { $0.verdict == .noBaseline }) else {
            return slips
        }
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
    /// Why the run's start can't be true; `nil` if it can, or without a start. A start in the future would freeze
    /// baselines, and an unreadable start would count as now.
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
