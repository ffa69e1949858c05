import LibC
import PerfgateModel
import PerfgateStats

/// Pairs the candidate's cells with the reference and applies the rule to each.
package struct Judge: Sendable {
    package let policy: Policy

    package init(policy: Policy) {
        self.policy = policy
    }

    /// The comparisons of a candidate with a reference, worst first.
    package func compare(_ measurements: Measurements, with reference: Reference) throws(StatsError) -> [CellResult] {
        try compare(Expectations(policy: policy, measurements: measurements, reference: reference)).results
    }

    /// The same with the measured amounts of the candidate's cells, and the drift of its environments' baselines.
    package func judge(
        _ measurements: Measurements, with reference: Reference
    ) throws(StatsError) -> (comparisons: [CellResult], amounts: MeasurementGaps, drifts: [BaselineDrift]) {
        let expectations = Expectations(policy: policy, measurements: measurements, reference: reference)
        let (results, noises) = try compare(expectations)
        return (results, amounts(expectations), try drift(in: reference, noises))
    }

    private func compare(
        _ expectations: Expectations
    ) throws(StatsError) -> (results: [CellResult], noises: [Environment: RunNoise]) {
        let (measurements, reference) = (expectations.measurements, expectations.reference)
        let shown = expectations.shown
        let gated = gatedCells(of: reference, in: expectations.environments)
        let total = gated.values.reduce(0, +)
        let pairing = Pairing(candidate: Pairing.pairs(of: measurements.runs), reference: reference.pairs)
        let reruns = Reruns(measurements.runs)
        let chronology = RunHistory(measurements, reference)
        let together = try TimesTogether(
            measurements, reference, policy, hidden: shown.cells, pairing: pairing, reruns: reruns, comparisons: total)
        let noises = try together.noises(in: expectations.environments)
        let knownPages = Set(reference.cells.lazy.filter { !$0.value.isLimitOnly }.map(\.key.page))
        let judged = try Array(expectations.cells).concurrentMap { cell, expectation throws(StatsError) -> Judged? in
            let isMissed = expectations.isMissed(cell, expectation)
            let measurement = isMissed ? nil : measurements.cells[cell]
            if measurement == nil, shown.environments.contains(cell.environment), expectation.isEnvironmentKnown {
                return nil
            }
            let entry = reference.cells[cell]
            let metric = measurement?.metric ?? entry?.metric ?? Self.metric(named: cell.metric)
            let prepared = try CellCase(
                cell: cell, metric: metric,
                policy: cellPolicy(
                    cell, metric, expectation, entry,
                    isShownOnly: !isMissed && shown.cells.contains(cell)),
                confirmation: policy.confirmation, expectation: expectation, measurement: measurement, entry: entry,
                comparisons: total, pairing: pairing, reruns: reruns, noise: noises[cell.environment],
                turns: together.turns[cell.environment])
            let decided = VerdictRule.decide(prepared)
            let decision = policy.quietsNoise ? decided.told(on: prepared) : decided
            let waiver = WaiverAnswer(
                decision, on: cell, metric, centre: prepared.candidate?.pooled.centre(metric.centre), policy: policy)
            let result = CellResult(decision, on: prepared, waiver: waiver, chronology: chronology)
            let isLess =
                entry == nil && (knownPages.contains(cell.page) || policy.expectsBaselines && knownPages.isEmpty)
            return Judged(
                result: result, isCompared: result.isCompared(under: prepared.policy, withLessThanAsked: isLess))
        }.compactMap(\.self)
        var results = judged.map(\.result)
        let compared = Set(judged.lazy.filter(\.isCompared).map(\.result.environment))
        if policy.noBaseline == .auto { refuse(&results, outside: compared) }
        SuspectedUnits(results).doubt(&results)
        for (environment, noise) in noises { results += together.allPages(noise, in: environment).map { [$0] } ?? [] }
        return (results.inOrder, noises)
    }

    /// A cell's result, and whether it counts as compared in its environment.
    private struct Judged {
        let result: CellResult
        let isCompared: Bool
    }

    /// Marks cells without a baseline in environments where nothing was compared: a wrong folder, another device or a
    /// new system must not look like a pass. Environments that may be new are left unchanged.
    private func refuse(_ results: inout [CellResult], outside compared: Set<Environment>) {
        let optional = policy.expectedEnvironments.filter { !$0.isRequired }.map(\.fields)
        for (index, result) in results.enumerated() where result.isGated && result.verdict == .noBaseline {
            let environment = result.environment
            // The team may change the formula of its score; other cells that were compared so far must stay
            // comparable.
            if result.detail == .otherFormula, result.metric.id != Metric.pageScore.id {
                results[index].detail = .nothingCompared
                results[index].reason += " A gated metric that was compared before must stay comparable."
                continue
            }
            guard !compared.contains(environment), !optional.contains(where: environment.has) else { continue }
            results[index].detail = .nothingCompared
            results[index].reason += " Nothing in its environment was compared."
        }
    }

    /// The measured amounts of the candidate's cells, independent of other findings.
    package func amounts(of measurements: Measurements, with reference: Reference) -> MeasurementGaps {
        amounts(Expectations(policy: policy, measurements: measurements, reference: reference))
    }

    private func amounts(_ expectations: Expectations) -> MeasurementGaps {
        let (measurements, reference) = (expectations.measurements, expectations.reference)
        let reruns = Reruns(measurements.runs)
        let all = Array(measurements.cells).concurrentMap { cell, measurement -> MeasurementGaps in
            var asked = MeasurementGaps()
            let expectation = expectations.cells[cell] ?? Expectation()
            if MeasuredStep.stop(of: measurement, expectation) != nil { asked.stopped.insert(cell) }
            guard !expectations.shown.cells.contains(cell) else { return asked }
            let entry = reference.cells[cell]
            guard cellPolicy(cell, measurement.metric, expectation, entry, isShownOnly: false).isGated.value else {
                return asked
            }
            let amounts = expectation.amounts
            asked.shortfalls[cell] = amounts.shortfall(measurement, entry)
            if amounts.isExcused(measurement, entry) { asked.excused.insert(cell.place) }
            let look = AttendanceCheck(measurement, expectation, entry, reruns)
            for run in look.forgiven { asked.forgiven[run] = [cell.page] }
            return asked
        }
        return all.reduce(into: MeasurementGaps()) { $0.add($1) }
    }

    /// The measured cells, and all pages together, that regressed by their change alone.
    ///
    /// - Parameter comparisons: M by environment.
    package func regressions(
        of cells: [Cell: CellMeasurement], with reference: Reference, comparisons: [Environment: Int]
    ) throws(StatsError) -> [Cell] {
        let together = try TimesTogether(
            Measurements(cells: cells), reference, policy, hidden: [], pairing: Pairing(), reruns: Reruns(),
            comparisons: 1)
        let noises = try together.noises(in: Set(cells.keys.map(\.environment)).sorted())
        var regressed = noises.compactMap { together.allPages($1, in: $0) }.filter { $0.verdict == .regressed }
            .map(\.cell)
        for (cell, measurement) in cells {
            guard let entry = reference.cells[cell] else { continue }
            let prepared = try CellCase(
                cell: cell, metric: entry.metric, policy: policy.cellPolicy(of: cell, entry),
                confirmation: policy.confirmation, expectation: Expectation(), measurement: measurement, entry: entry,
                comparisons: comparisons[cell.environment] ?? 1, noise: noises[cell.environment])
            if VerdictRule.decide(prepared).verdict == .regressed { regressed.append(cell) }
        }
        return regressed
    }

    /// The noise of the times in a reference's environments.
    package func noise(of reference: Reference) throws(StatsError) -> [Environment: RunNoise] {
        try TimesTogether(
            Measurements(), reference, policy, hidden: [], pairing: Pairing(), reruns: Reruns(), comparisons: 1
        ).noises(in: reference.environments)
    }

    /// The noise of a reference's times, for epochs that begin with the next update; without times that have too few
    /// runs.
    package func earlierNoise(of cells: Set<Cell>, in reference: Reference) throws(StatsError) -> [Cell: Noise] {
        let noises = try noise(of: reference)
        var earlier: [Cell: Noise] = [:]
        for cell in cells {
            guard let entry = reference.cells[cell], entry.metric.isTime else { continue }
            earlier[cell] = try noises[cell.environment]?.earlier(cell, entry)
        }
        return earlier
    }

    /// M by environment: the number of the reference's gated cells, measured by the candidate or not, plus one if
    /// their times are enough to judge all pages; a limit alone is no comparison.
    package func gatedCells(of reference: Reference, in environments: [Environment]) -> [Environment: Int] {
        let judged = Set(environments)
        var times: [Environment: [Page: Int]] = [:]
        var counts: [Environment: Int] = [:]
        for (cell, entry) in reference.cells where judged.contains(cell.environment) && !entry.isLimitOnly {
            guard policy.cellPolicy(of: cell, entry).isGated.value else { continue }
            counts[cell.environment, default: 0] += 1
            if entry.metric.isTime { times[cell.environment, default: [:]][cell.page, default: 0] += 1 }
        }
        for (environment, pages) in times where RunShift.areEnough(pages.values.reduce(0, +), pages: pages.count) {
            counts[environment, default: 0] += 1
        }
        return counts
    }

    /// The policy of a cell; an expected page without any line gates, whatever its metric.
    private func cellPolicy(
        _ cell: Cell, _ metric: Metric, _ expectation: Expectation, _ entry: Reference.Entry?, isShownOnly: Bool
    ) -> CellPolicy {
        let said = policy.cellPolicy(
            page: cell.page, metric: metric, environment: cell.environment, stored: entry?.limit(of: metric))
        if isShownOnly { return said.gated(false) }
        let isAnyLine = cell.metric == Expectations.anyMetric || !expectation.isEnvironmentKnown
        guard isAnyLine, expectation.isExpected else { return said }
        return CellPolicy(
            isGated: Setting(true, from: .builtIn), tolerance: said.tolerance, minChange: said.minChange, limit: nil)
    }

    private static func metric(named id: String) -> Metric {
        MetricCatalog.definition(of: id)?.metric ?? Metric(id: id, unit: Unit(""), better: .lower)
    }
}

extension CellResult {
    /// Whether it was compared with values, or with a limit that somebody set. A limit alone is less than was asked for a
    /// page with baselines of other environments, and for all pages if the named folder has no baselines.
    fileprivate func isCompared(under policy: CellPolicy, withLessThanAsked: Bool) -> Bool {
        guard isGated else { return false }
        switch verdict {
        case .regressed, .overLimit, .inconclusive, .waived, .improved, .passed: return true
        case .noBaseline: return !withLessThanAsked && policy.limit.map { $0.origin != .builtIn } ?? false
        case .missing: return false
        }
    }
}

extension CellResult {
    /// The finished result of a decision on a case, including the effect of waivers.
    ///
    /// - Parameter chronology: The order of the runs; `nil` if the result needs no history.
    init(_ decision: Decision, on cell: CellCase, waiver: WaiverAnswer? = nil, chronology: RunHistory? = nil) {
        var baseline = cell.entry.flatMap { Side($0.runs, of: cell.metric) }
        var candidate = cell.measurement.flatMap {
            Side($0.runs, of: cell.metric, limitSamples: cell.limitSamples, taken: cell.takenShifts)
        }
        if let chronology {
            baseline?.history = cell.entry.map { chronology.history(of: $0, in: cell.cell.environment) } ?? []
            candidate?.history = cell.measurement.map(chronology.history) ?? []
        }
        self.init(
            page: cell.cell.page, metric: cell.metric, environment: cell.cell.environment,
            isGated: cell.policy.isGated.value, verdict: waiver?.holds == true ? .waived : decision.verdict,
            detail: decision.detail,
            reason: Sentence(decision, on: cell).text + (waiver.map { " \($0.remark)" } ?? ""),
            baseline: baseline, candidate: candidate,
            numbers: cell.comparison.map {
                Numbers($0, decision, taken: cell.takenShifts, isBySlowShare: WorseStep.slowShare(of: cell) != nil)
            },
            tolerance: cell.comparison?.margin,
            toleranceTerms: ToleranceTerms(cell.policy), rule: decision.steps,
            gateOrigin: cell.policy.isGated.origin.description,
            limit: cell.policy.limit?.value.settled, limitOrigin: cell.policy.limit?.origin.description,
            counting: cell.measurement?.counting ?? cell.entry?.counting ?? .exact,
            formula: cell.measurement?.formula ?? cell.entry?.formula ?? "1")
    }
}

extension CellResult.Side {
    /// The samples of runs; `nil` without samples, or if one isn't finite.
    ///
    /// - Parameters:
    ///   - limitSamples: The samples as a limit judges them; `nil`: unchanged.
    ///   - taken: The subtracted shift of each run, in logarithms by run.
    package init?(
        _ runs: [RunSamples], of metric: Metric, limitSamples: [Double]? = nil, taken: [String: Double] = [:]
    ) {
        let values = runs.flatMap(\.values)
        guard let sorted = try? SortedSamples(values) else { return nil }
        let isLong = values.count > Self.mostSamples
        self.init(
            count: values.count, runs: runs.count { !$0.samples.isEmpty },
            center: sorted.centre(metric.centre), samples: isLong ? nil : values,
            quantiles: isLong ? Self.quantiles(of: values) : nil,
            limitSamples: isLong ? limitSamples.map(Self.quantiles) : limitSamples,
            shares: runs.filter { !$0.samples.isEmpty }.map {
                RunShare(run: $0.run, count: $0.samples.count, shift: taken[$0.run])
            })
    }

    /// The samples at the probabilities: the nearest ranks, so they are always measured values.
    private static func quantiles(of values: [Double]) -> [Double] {
        let sorted = values.sorted()
        return quantileProbabilities.map { sorted[min(sorted.count - 1, Int($0 * Double(sorted.count)))] }
    }
}

extension CellResult.ToleranceTerms {
    init(_ policy: CellPolicy) {
        self.init(
            relative: policy.tolerance.value, relativeOrigin: policy.tolerance.origin.description,
            minChange: policy.minChange.value, minChangeOrigin: policy.minChange.origin.description)
    }
}

extension CellResult.Numbers {
    init(_ comparison: Comparison, _ decision: Decision, taken: [String: Double], isBySlowShare: Bool) {
        let slow = comparison.slow.map(\.all).filter { $0.candidateOver >= SlowShare.fewestSuspect }
        self.init(
            delta: comparison.delta, shift: comparison.estimate.shift,
            interval: comparison.estimate.interval.map { [$0.lowerBound, $0.upperBound] }, p: comparison.pMargin,
            pImprove: comparison.pImproved, pZero: comparison.pZero, pMin: comparison.pMin,
            alpha: comparison.significance.failing, comparisons: comparison.significance.comparisons,
            marginShare: comparison.margin > 0
                ? comparison.allowance / comparison.margin : comparison.design.marginShare,
            pairs: comparison.design.pairs, shares: comparison.shares + slow,
            shareAlpha: comparison.significance.comparesShares ? comparison.significance.ofShare : nil,
            decidedBy: isBySlowShare && decision.deciding.found.step == .worse
                ? .share : Self.test(comparison, decision),
            commonShift: Self.commonShift(taken),
            ownDelta: taken.isEmpty
                ? nil
                : comparison.worsening == comparison.delta ? comparison.ownWorsening : 0 - comparison.ownWorsening,
            noise: comparison.noise)
    }

    /// The mean of the runs' subtracted shifts, as a fraction; `nil` without any.
    static func commonShift(_ taken: [String: Double]) -> Double? {
        taken.isEmpty ? nil : expm1(taken.values.sorted().reduce(0, +) / Double(taken.count))
    }

    private static func test(_ comparison: Comparison, _ decision: Decision) -> CellResult.Test {
        if decision.deciding.found == .gross { return .gross }
        if comparison.noise != nil { return .noise }
        let isByShare = comparison.pMargin > comparison.significance.failing && comparison.isBeyondChance
        return isByShare ? .share : .rank
    }
}

/// The starts of runs, to order their measurements by time.
struct RunHistory {
    private let candidate: [String: Timestamp]
    private let reference: [Environment: [String: Timestamp]]

    /// Takes the known starts of both sides.
    init(_ measurements: Measurements, _ reference: Reference) {
        candidate = Self.starts(measurements.runs.map { ($0.id, $0.startedAt) })
        self.reference = reference.runs.mapValues { runs in Self.starts(runs.map { ($0.id, $0.startedAt) }) }
    }

    /// The centres of a measurement's runs, oldest first.
    func history(of measurement: CellMeasurement) -> [Double] {
        Self.history(measurement.runs, of: measurement.metric, starts: candidate)
    }

    /// The centres of a reference's runs, oldest first.
    func history(of entry: Reference.Entry, in environment: Environment) -> [Double] {
        Self.history(entry.runs, of: entry.metric, starts: reference[environment] ?? [:])
    }

    /// The newest centres by time; runs with an unknown start keep their order.
    private static func history(_ runs: [RunSamples], of metric: Metric, starts: [String: Timestamp]) -> [Double] {
        let timed = runs.indices.compactMap { index in starts[runs[index].run].map { (index: index, start: $0) } }
        let ordered =
            timed.count < runs.count
            ? Array(runs.indices)
            : timed.sorted { ($0.start, runs[$0.index].run) < ($1.start, runs[$1.index].run) }.map(\.index)
        let centres = ordered.compactMap { (try? SortedSamples(runs[$0].values))?.centre(metric.centre) }
        return centres.suffix(CellResult.Side.mostHistory)
    }

    private static func starts(_ runs: [(id: String, start: String?)]) -> [String: Timestamp] {
        let known = runs.compactMap { run in run.start.flatMap { Timestamp($0) }.map { (run.id, $0) } }
        return Dictionary(known) { first, _ in first }
    }
}

/// The measured amounts of the candidate's gated cells, as far as they are notable.
package struct MeasurementGaps: Sendable {
    /// The cells, gated or not, whose frames stopped during the measurement: missing frames can't count as dropped.
    package internal(set) var stopped: Set<Cell> = []
    /// The cells with too few measurements.
    package internal(set) var shortfalls: [Cell: RuleStep] = [:]
    /// The pages with an excused smaller number of iterations than usual.
    package internal(set) var excused: Set<PageInEnvironment> = []
    /// The runs with too few measurements that a rerun replaced, with the pages.
    package internal(set) var forgiven: [String: Set<Page>] = [:]

    /// Adds the amounts of another cell.
    fileprivate mutating func add(_ other: MeasurementGaps) {
        stopped.formUnion(other.stopped)
        shortfalls.merge(other.shortfalls) { first, _ in first }
        excused.formUnion(other.excused)
        forgiven.merge(other.forgiven) { $0.union($1) }
    }
}
