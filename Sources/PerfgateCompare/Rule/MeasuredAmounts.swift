import PerfgateModel

/// How much was measured of a cell's page on both sides, and how much had to be: a part of the first step.
///
/// A run that stops early has fewer samples, and those it has are the good ones. So each of the candidate's runs is held
/// against what the reference's runs measured; runs of which that isn't known ask for nothing, and aren't asked.
package struct MeasuredAmounts: Sendable, Hashable {
    /// How much the candidate measured of the page, by run.
    package var candidate: [String: MeasuredCounts] = [:]
    /// How much the reference did, by run.
    package var reference: [String: MeasuredCounts] = [:]
    /// How much of it the candidate must reach.
    package var least = MeasuredShares()
    /// How many scrolls an iteration must have, whatever the reference had; `nil`: a share of the reference's.
    package var scrolls: Int?
    /// Whether a share of the reference's iterations is asked for; not where the configuration says how many.
    package var asksIterations = true
    /// Whether fewer iterations are excused, since only a part was meant to be measured or looked at.
    package var excusesIterations = false
    /// How many iterations runs say they have, by run; without runs that don't say it.
    package var declared: [String: Int] = [:]

    /// Knows of nothing.
    package init() {}

    /// What was measured too little of a cell; `nil` where nothing was.
    ///
    /// - Parameter entry: The reference's cell; `nil` where there is none.
    package func shortfall(_ measurement: CellMeasurement, _ entry: Reference.Entry?) -> RuleStep? {
        let runs = measurement.measuringRuns
        let counts = runs.compactMap { candidate[$0] }
        let known = (entry?.runs ?? []).compactMap { reference[$0.run] }
        if isUnfinished(measurement.metric, counts) { return RuleStep(.unfinished) }
        if let few = fewIterations(runs, known), !few.isExcused {
            return RuleStep(.fewIterations, value: Double(few.measured), bound: few.usual)
        }
        return fewScrolls(measurement.metric, runs, known) ?? nothing(measurement, entry)
    }

    /// Whether nothing but the run's own word, or that of the call, makes too few iterations enough.
    package func isExcused(_ measurement: CellMeasurement, _ entry: Reference.Entry?) -> Bool {
        let known = (entry?.runs ?? []).compactMap { reference[$0.run] }
        return fewIterations(measurement.measuringRuns, known)?.isExcused ?? false
    }

    /// Whether all of the kind that it is about began and went on.
    private func isUnfinished(_ metric: Metric, _ counts: [MeasuredCounts]) -> Bool {
        let all = counts.reduce(MeasuredCounts(), +)
        return switch MetricCatalog.definition(of: metric.id)?.subject {
        case .scrolls: all.scrolls == 0 && all.unfinished.scrolls > 0
        case .visits: all.visits.total == 0 && all.unfinished.visits > 0
        case .other, nil: false
        }
    }

    private func fewIterations(
        _ runs: Set<String>, _ known: [MeasuredCounts]
    ) -> (measured: Int, usual: Double, isExcused: Bool)? {
        let counts = runs.compactMap { candidate[$0] }
        guard asksIterations, counts.count == runs.count, !counts.isEmpty else { return nil }
        let usual = Self.median(known.map { Double($0.iterations) })
        let measured = counts.reduce(0) { $0 + $1.iterations }
        guard Double(measured) < min(least.iterations * usual, Double(least.enoughIterations)) else { return nil }
        let said = runs.compactMap { declared[$0] }
        let isDeclared = said.count == runs.count && measured > 0 && measured >= said.reduce(0, +)
        return (measured, usual, excusesIterations || isDeclared)
    }

    /// The first run, by its identifier, with too few scrolls an iteration. Where lines end the reference's scrolls,
    /// those that no line ended don't count.
    private func fewScrolls(_ metric: Metric, _ runs: Set<String>, _ known: [MeasuredCounts]) -> RuleStep? {
        guard MetricCatalog.definition(of: metric.id)?.subject == .scrolls else { return nil }
        let areEnded = 2 * known.count { $0.scrollMS > 0 } > known.count
        let usual = Self.median(known.map(\.scrollsPerIteration))
        let needed = scrolls.map(Double.init) ?? least.scrolls * usual
        for run in runs.sorted(by: { $0.precedesInUTF8($1) }) {
            guard let counts = candidate[run] else { continue }
            let own = areEnded && counts.scrollMS == 0 ? 0 : counts.scrollsPerIteration
            guard own < needed - 1e-9 else { continue }
            return RuleStep(
                .fewScrolls, value: own, bound: scrolls.map(Double.init) ?? usual, run: runs.count > 1 ? run : nil)
        }
        return nil
    }

    /// That no sample came where each of the reference's runs has some, or entries of lists that give some.
    private func nothing(_ measurement: CellMeasurement, _ entry: Reference.Entry?) -> RuleStep? {
        let isGood = MetricCatalog.definition(of: measurement.metric.id)?.isNoSampleGood ?? false
        guard let runs = entry?.runs, !isGood, least.samples > 0, measurement.runs.allSatisfy(\.samples.isEmpty),
            runs.contains(where: { reference[$0.run] != nil })
        else { return nil }
        let fewest = runs.map { run in
            max(run.samples.count, reference[run.run]?.entries[measurement.metric.id] ?? 0)
        }.min()
        return fewest.flatMap { $0 >= least.samples ? RuleStep(.noSamples, bound: Double($0)) : nil }
    }

    /// The middle value, of an even number the mean of both; 0 of none.
    private static func median(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}

extension CellMeasurement {
    /// The runs that measured it, with a sample or without.
    fileprivate var measuringRuns: Set<String> {
        Set(iterations.filter { !$0.value.isEmpty }.keys).union(runs.map(\.run))
    }
}

extension RuleStep {
    /// What was measured too little, in one sentence; `nil` where the step found something else.
    package var shortfall: String? {
        switch found {
        case .unfinished: "All that began of it went on: the app was killed, or nothing wrote that it ended."
        case .fewIterations: "Only \(text(value)) of the usual \(text(bound)) iterations measured its page."
        case .fewScrolls:
            "Only \(text(value)) of the usual \(text(bound)) scrolls an iteration ended\(run.map { " in run \($0)" } ?? "")."
        case .noSamples: "It gave no sample, and every run of the baseline has at least \(text(bound))."
        default: nil
        }
    }

    private func text(_ number: Double?) -> String { Figure.text(number ?? 0) }
}

/// How much of what the reference's runs measured a candidate must measure: the configuration's `measured`.
package struct MeasuredShares: Sendable, Hashable {
    /// The share of the usual scrolls an iteration, from 0 to 1.
    package var scrolls = 0.8
    /// The share of the usual iterations, from 0 to 1.
    package var iterations = 0.5
    /// How many iterations are enough, whatever is usual; at least 0.
    package var enoughIterations = 5
    /// How many samples each run of the reference must have so that none is too few; 0: that is never asked.
    package var samples = 5

    /// The shares where nothing is configured.
    package init() {}
}
