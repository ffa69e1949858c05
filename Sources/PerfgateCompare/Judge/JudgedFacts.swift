import LibC
import PerfgateModel
import PerfgateStats

extension CellResult.Facts {
    init(
        _ subject: CellResult.Subject, _ metric: Metric, in environment: Environment, _ decision: Decision,
        under said: CellPolicy
    ) {
        self.init(subject, metric, in: environment, isGated: said.isGated.value, verdict: decision.verdict)
        gateOrigin = said.isGated.origin.description
        (detail, rule) = (decision.detail, decision.steps)
        toleranceTerms = CellResult.ToleranceTerms(
            relative: said.tolerance.value, relativeOrigin: said.tolerance.origin.description,
            minChange: said.minChange.value, minChangeOrigin: said.minChange.origin.description)
        (limit, limitOrigin) = (said.limit?.value.settled, said.limit?.origin.description)
    }

    /// The facts of a decision on a case; no `chronology` if the result needs no history.
    init(_ subject: CellResult.Subject?, _ decision: Decision, on cell: CellCase, chronology: RunHistory? = nil) {
        self.init(
            subject ?? .page(cell.cell.page), cell.metric, in: cell.cell.environment, decision, under: cell.policy)
        baseline = cell.entry.flatMap { CellResult.Side($0.runs, center: cell.comparison?.baselineCentre, of: metric) }
        candidate = cell.measurement.flatMap {
            CellResult.Side(
                $0.runs, center: cell.comparison?.candidateCentre ?? cell.candidate?.pooled.centre(metric.centre),
                of: metric, limitSamples: cell.limitSamples, taken: cell.takenShifts)
        }
        if let chronology {
            baseline?.history = cell.entry.map { chronology.history($0.runs, of: $0.metric, in: environment) } ?? []
            candidate?.history = cell.measurement.map { chronology.history($0.runs, of: $0.metric) } ?? []
        }
        let slow = WorseStep.slowShare(of: cell)
        let isByShare = cell.turn == nil ? slow != nil : slow?.step == decision.deciding
        numbers = cell.comparison.map { .init($0, decision, taken: cell.takenShifts, isByShare: isByShare) }
        if let turn = cell.turn {
            if !isByShare { numbers?.take(turn, of: cell) }
            baseline?.name(turn.names.reference)
            candidate?.name(turn.names.candidate)
        }
        tolerance = cell.comparison?.margin
        counting = cell.measurement?.counting ?? cell.entry?.counting ?? .exact
        formula = cell.measurement?.formula ?? cell.entry?.formula ?? "1"
        remarks = Self.remarks(decision.deciding, on: cell, slow)
    }

    private static func remarks(
        _ deciding: RuleStep, on cell: CellCase, _ slow: (step: RuleStep, share: SlowShare)?
    ) -> [CellResult.Remark] {
        guard let comparison = cell.comparison else { return [] }
        var remarks: [CellResult.Remark] = []
        var step = deciding
        if deciding.found == .overLimit, cell.turn == nil, comparison.margin > 0 {
            let changes = [GrossStep.look(at: cell), WorseStep.look(at: cell)]
            if let change = changes.first(where: { [.gross, .worse, .suspect].contains($0.found) }) {
                remarks.append(.beside(change))
                step = change
            }
        }
        if let slow, slow.step == step {
            remarks.append(.slowShare(slow.share.all, again: slow.share.again?.candidateOver))
        }
        guard cell.turn == nil else { return remarks }
        if step.found == .suspect, cell.candidateRuns > 1, let run = cell.suspectRuns.first {
            remarks.append(.obstacle(cell.obstacle(to: run)))
        }
        if step.found == .noObjection, comparison.ownWorsening > comparison.margin, cell.candidateRuns > 0 {
            remarks.append(.worseThanItsRuns)
        }
        return remarks
    }
}

extension CellResult.Side {
    /// `nil` without samples, or if one isn't finite; `center` is the samples' centre, if it is known.
    /// - Parameter limitSamples: The samples as a limit judges them; `nil`: unchanged.
    /// - Parameter taken: The subtracted shift of each run, in logarithms by run.
    package init?(
        _ runs: [RunSamples], center: Double? = nil, of metric: Metric, limitSamples: [Double]? = nil,
        taken: [String: Double] = [:]
    ) {
        let values = runs.flatMap(\.values)
        let centre = center.map { .some($0) } ?? (try? SortedSamples(values)).map { $0.centre(metric.centre) }
        guard let centre else { return nil }
        let isLong = values.count > Self.mostSamples
        self.init(
            count: values.count, runs: runs.count { !$0.samples.isEmpty }, center: centre,
            samples: isLong ? nil : values, quantiles: isLong ? Self.quantiles(of: values) : nil,
            limitSamples: isLong ? limitSamples.map(Self.quantiles) : limitSamples,
            shares: runs.filter { !$0.samples.isEmpty }.map {
                RunShare(run: $0.run, count: $0.samples.count, shift: taken[$0.run])
            })
    }

    fileprivate mutating func name(_ pairs: [String: String]) {
        for index in shares.indices { shares[index].pair = pairs[shares[index].run] }
    }

    /// The samples at the probabilities: the nearest ranks, so they are always measured values.
    private static func quantiles(of values: [Double]) -> [Double] {
        let sorted = values.sorted()
        return quantileProbabilities.map { sorted[min(sorted.count - 1, Int($0 * Double(sorted.count)))] }
    }
}

extension CellResult.Numbers {
    init(_ comparison: Comparison, _ decision: Decision, taken: [String: Double], isByShare: Bool) {
        let slow = comparison.slow.map(\.all).filter { $0.candidateOver >= SlowShare.fewestSuspect }
        let own = comparison.worsening == comparison.delta ? comparison.ownWorsening : 0 - comparison.ownWorsening
        self.init(
            delta: comparison.delta, shift: comparison.estimate.shift,
            interval: comparison.estimate.interval.map { [$0.lowerBound, $0.upperBound] }, p: comparison.pMargin,
            pImprove: comparison.pImproved, pZero: comparison.pZero, pMin: comparison.pMin,
            alpha: comparison.significance.failing, comparisons: comparison.significance.comparisons,
            marginShare: comparison.margin > 0
                ? comparison.allowance / comparison.margin : comparison.design.marginShare,
            pairs: comparison.design.pairs, shares: comparison.shares + slow,
            shareAlpha: comparison.significance.comparesShares ? comparison.significance.ofShare : nil,
            decidedBy: isByShare && decision.deciding.found.step == .worse ? .share : Self.test(comparison, decision),
            commonShift: Self.commonShift(taken), ownDelta: taken.isEmpty ? nil : own, noise: comparison.noise)
    }

    mutating func take(_ turn: SequencedPairs.Turn, of cell: CellCase) {
        sequence = turn.numbers
        (p, pImprove, pZero, alpha) = (turn.numbers.p, turn.numbers.pOpposite, turn.numbers.p, turn.numbers.alpha)
        (pMin, marginShare, decidedBy) = (0, 0, .sequence)
        (shares, shareAlpha, noise, pairs) = ([], nil, nil, turn.numbers.pairs)
        guard turn.shift != 0, let before = cell.comparison?.baselineCentre else { return }
        commonShift = expm1(turn.shift)
        ownDelta = before * expm1(turn.change)
    }

    /// The mean of the runs' subtracted shifts, as a fraction; `nil` without any.
    static func commonShift(_ taken: [String: Double]) -> Double? {
        taken.isEmpty ? nil : expm1(taken.values.sorted().reduce(0, +) / Double(taken.count))
    }

    private static func test(_ comparison: Comparison, _ decision: Decision) -> CellResult.Test {
        if decision.deciding.found == .gross { return .gross }
        if comparison.noise != nil { return .noise }
        return comparison.pMargin > comparison.significance.failing && comparison.isBeyondChance ? .share : .rank
    }
}

struct RunHistory {
    private let candidate: [String: Timestamp], reference: [Environment: [String: Timestamp]]

    init(_ measurements: Measurements, _ reference: Reference) {
        candidate = Self.starts(measurements.runs.map { ($0.id, $0.startedAt) })
        self.reference = reference.runs.mapValues { runs in Self.starts(runs.map { ($0.id, $0.startedAt) }) }
    }

    /// The newest centres of runs by time, oldest first; runs with an unknown start keep their order.
    /// - Parameter environment: That of the reference's runs; `nil`: they are the candidate's.
    func history(_ runs: [RunSamples], of metric: Metric, in environment: Environment? = nil) -> [Double] {
        let starts = runs.count < 2 ? [:] : environment.map { reference[$0] ?? [:] } ?? candidate
        let timed = runs.compactMap { run in starts[run.run].map { (start: $0, run: run) } }
        let isTimed = timed.count == runs.count
        let ordered = isTimed ? timed.sorted { ($0.start, $0.run.run) < ($1.start, $1.run.run) }.map(\.run) : runs
        return ordered.compactMap { (try? SortedSamples($0.values))?.centre(metric.centre) }
            .suffix(CellResult.Side.mostHistory)
    }

    private static func starts(_ runs: [(id: String, start: String?)]) -> [String: Timestamp] {
        let known = runs.compactMap { run in run.start.flatMap { Timestamp($0) }.map { (run.id, $0) } }
        return Dictionary(known) { first, _ in first }
    }
}

extension [CellResult.Draft] {
    /// Looks at all comparisons once more: a closure returns the facts of those that change.
    mutating func revise(_ look: (CellResult) -> CellResult.Facts?) {
        for index in indices { if let facts = look(self[index].result) { self[index] = Element(facts) } }
    }
}

extension CellResult.Facts {
    func remarked(_ remark: CellResult.Remark, _ verdict: Verdict, _ detail: VerdictDetail?) -> Self {
        var facts = self
        facts.remarks.append(remark)
        (facts.verdict, facts.detail) = (verdict, detail)
        return facts
    }

    /// The facts with the effect of waivers.
    func waived(_ policy: Policy) -> Self {
        guard [.regressed, .overLimit].contains(verdict), let value = judgedValue else { return self }
        let valid = policy.waiver(of: cell, better: metric.better)
        guard let waiver = valid ?? policy.waivers.last(where: { $0.concerns(cell) }) else { return self }
        let effect: WaiverAnswer.Effect =
            waiver.isExpired(on: policy.day)
            ? .expired
            : !waiver.allows(value, better: metric.better)
                ? .exceeded(by: value) : slowShare(under: waiver.ceiling).map { .oftenExceeded($0) } ?? .holds
        let answer = WaiverAnswer(waiver: waiver, effect: effect)
        return remarked(.waiver(answer), effect == .holds ? .waived : verdict, detail)
    }

    /// The share of a time's samples beyond twice a waiver's ceiling, which the median doesn't show: a quarter or more,
    /// and twice the baseline's share. `nil` if it is smaller, and for other metrics.
    package func slowShare(under ceiling: Double) -> Double? {
        guard metric.isTime, metric.better == .lower, releases == nil, let candidate else { return nil }
        let (share, before) = (candidate.share(over: 2 * ceiling), baseline?.share(over: 2 * ceiling) ?? 0)
        return share >= 0.25 && share * Double(candidate.count) > 1 && 2 * before <= share ? share : nil
    }
}

extension CellResult.Side {
    fileprivate func share(over bound: Double) -> Double {
        samples.map { samples in Double(samples.count { $0 > bound }) / Double(samples.count) }
            ?? quantiles?.firstIndex { $0 > bound }.map { 1 - Self.quantileProbabilities[$0] } ?? 0
    }
}

extension Policy {
    /// The strictest valid waiver of a cell, so a second entry can't silently widen the first; `nil` if there is none.
    package func waiver(of cell: Cell, better: Better) -> Waiver? {
        waivers.filter { $0.concerns(cell) && !$0.isExpired(on: day) }
            .min { better.isWorse($1.ceiling, than: $0.ceiling) }
    }
}

/// Metrics that changed about a thousandfold everywhere in an environment, as no change does: s for ms, or the reverse.
package struct SuspectedUnits {
    package struct Slip: Sendable, Hashable {
        package let environment: Environment, metric: Metric
        /// 1000 or 0.001.
        package let factor: Double
    }

    private struct Key: Hashable { let environment: Environment, metric: Metric }

    /// How far a change may deviate from that factor: few samples scatter, and a real change must not hide a unit.
    private static let slack = 2.0

    package let all: [Slip]

    /// Searches comparisons; every cell of a metric with nonzero values on both sides counts.
    package init(_ comparisons: [CellResult]) {
        var groups: [Key: [Double]] = [:]
        for result in comparisons where result.subject != .allPages {
            guard let old = result.facts.baseline?.center, let new = result.facts.candidate?.center, old != 0, new != 0
            else { continue }
            groups[Key(environment: result.environment, metric: result.metric), default: []].append(new / old)
        }
        all = groups.compactMap { key, factors in
            let slip = [1_000, 0.001].first { meant in
                factors.allSatisfy { (1 / Self.slack...Self.slack).contains($0 / meant) }
            }
            return slip.map { Slip(environment: key.environment, metric: key.metric, factor: $0) }
        }.sorted { ($0.environment, $0.metric.id) < ($1.environment, $1.metric.id) }
    }

    func doubt(_ drafts: inout [CellResult.Draft]) {
        guard !all.isEmpty else { return }
        let slips = Set(all.map { Key(environment: $0.environment, metric: $0.metric) })
        drafts.revise { one in
            let isSuspect =
                one.isGated && one.numbers != nil && [.passed, .improved].contains(one.verdict)
                && slips.contains(Key(environment: one.environment, metric: one.metric))
            return isSuspect ? one.facts.remarked(.unitSlip, .inconclusive, .unitSlip) : nil
        }
    }
}

extension SuspectedUnits.Slip {
    package var sentence: String {
        let question =
            switch (metric.unit == .milliseconds, factor > 1) {
            case (true, true): "microseconds for milliseconds?"
            case (true, false): "seconds for milliseconds?"
            case (false, true): "a smaller unit than before?"
            case (false, false): "a greater unit than before?"
            }
        let change = factor > 1 ? "about 1000 times as large" : "about a thousandth"
        return "\(metric.id) is \(change) everywhere in \(environment): \(question) Correct the measurement."
    }
}
