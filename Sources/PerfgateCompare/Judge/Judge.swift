import PerfgateModel
import PerfgateStats

/// Pairs the candidate's cells with the reference and applies the rule to each.
package struct Judge: Sendable {
    package let policy: Policy

    package init(policy: Policy) { self.policy = policy }

    package struct Judgement: Sendable {
        package let comparisons: [CellResult], gaps: MeasurementGaps, drifts: [BaselineDrift]
    }

    /// Compares a candidate with a reference; it `recalls` since when cells are held, and how baselines drifted.
    package func judge(
        _ measurements: Measurements, with reference: Reference, recalls: Bool = false
    ) throws(StatsError) -> Judgement {
        let expectations = Expectations(policy: policy, measurements: measurements, reference: reference)
        let total = gatedCells(of: reference, in: expectations.environments).values.reduce(0, +)
        var pairing = Pairing(candidate: Pairing.pairs(of: measurements.runs), reference: reference.pairs)
        pairing.isSequence = policy.sequence != nil
        let (sequence, reruns) = (try sequence(expectations), Reruns(measurements.runs))
        let together = try TimesTogether(
            measurements, reference, policy, hidden: expectations.shown.cells, pairing: pairing, reruns: reruns,
            comparisons: total)
        let noises = try together.noises(in: expectations.environments)
        let look = Look(
            expectations: expectations, pairing: pairing, reruns: reruns, comparisons: total, sequence: sequence,
            noises: noises, turns: together.turns, chronology: RunHistory(measurements, reference))
        let judged = try expectations.subjects.concurrentMap { subject, cell, expectation throws(StatsError) in
            try judge(subject, cell, expectation, look)
        }.lazy.compactMap { $0 }
        let compared = Set(judged.filter(\.isCompared).map(\.cell.environment))
        var all = Array(judged.map(\.draft))
        if policy.noBaseline == .auto { refuse(&all, outside: compared) }
        SuspectedUnits(all.map(\.result)).doubt(&all)
        if sequence != nil { all.refuseUndecided() }
        let ofAllPages = sequence?.allPages(policy: policy, comparisons: total) ?? []
        all += (ofAllPages + noises.compactMap { together.allPages($1, in: $0) }).map { .init($0.waived(policy)) }
        if sequence == nil, pairing.candidate.isEmpty {
            try failHidden(&all, measurements, reference, reruns, comparisons: total)
        }
        let drifts = recalls ? try drift(in: reference, noises) : []
        if recalls { recall(&all, reference, drifts) }
        all.tellPhases()
        return Judgement(
            comparisons: all.map(\.result).sorted(),
            gaps: judged.reduce(into: MeasurementGaps()) { $0.add($1) }, drifts: drifts)
    }

    /// What the pairs of a candidate's and a reference's runs in turn show; `nil` if they aren't judged one by one.
    package func sequence(_ measurements: Measurements, with reference: Reference) throws(StatsError) -> SequencedPairs?
    {
        try sequence(Expectations(policy: policy, measurements: measurements, reference: reference))
    }

    private func sequence(_ expectations: Expectations) throws(StatsError) -> SequencedPairs? {
        try policy.sequence.map { rule throws(StatsError) in
            try SequencedPairs(
                expectations.measurements, expectations.reference, policy, rule, hidden: expectations.shown.cells)
        }
    }

    private struct Look: Sendable {
        let expectations: Expectations, pairing: Pairing, reruns: Reruns, comparisons: Int
        /// The pairs of runs in turn, if they are judged one by one; else `nil`.
        let sequence: SequencedPairs?
        let noises: [Environment: RunNoise], turns: [Environment: PairNoise], chronology: RunHistory
    }

    fileprivate struct Judged {
        let cell: Cell, draft: CellResult.Draft, isCompared: Bool
        /// The case if not all of it was measured by runs that gate; else `nil`.
        let gap: CellCase?
    }

    private func judge(
        _ subject: CellResult.Subject, _ cell: Cell, _ expectation: Expectation, _ look: Look
    ) throws(StatsError) -> Judged? {
        let (asked, shown) = (look.expectations, look.expectations.shown)
        var (measurement, entry): (CellMeasurement?, Reference.Entry?)
        let isMissed = asked.isMissed(cell, expectation)
        if case .page = subject { (measurement, entry) = (asked.measurements.cells[cell], asked.reference.cells[cell]) }
        if isMissed { measurement = nil }
        let isInShown = shown.environments.contains(cell.environment)
        if measurement == nil, isInShown, expectation.isEnvironmentKnown { return nil }
        let metric = measurement?.metric ?? entry?.metric ?? Self.metric(named: cell.metric)
        let isShownOnly = !isMissed && shown.cells.contains(cell)
        let prepared = try CellCase(
            cell: cell, metric: metric,
            policy: cellPolicy(subject, cell, metric, expectation, entry, isShownOnly: isShownOnly),
            confirmation: policy.confirmation, expectation: expectation, measurement: measurement, entry: entry,
            comparisons: look.comparisons, pairing: look.pairing, reruns: look.reruns,
            noise: look.noises[cell.environment], turns: look.turns[cell.environment],
            turn: look.sequence?.turns[cell])
        let decided = VerdictRule.decide(prepared)
        let decision = policy.quietsNoise ? decided.told(on: prepared) : decided
        let facts = CellResult.Facts(subject, decision, on: prepared, chronology: look.chronology)
        return Judged(
            cell: cell, draft: CellResult.Draft(facts.waived(policy)),
            isCompared: (measurement != nil || facts.verdict != .passed)
                && facts.isCompared(
                    under: prepared.policy,
                    withLessThanAsked: entry == nil && look.expectations.asksBaseline(of: cell.page)),
            gap: isShownOnly || prepared.attendance?.isComplete ?? true ? nil : prepared)
    }

    /// Marks cells without a baseline in environments where nothing was compared, a wrong folder, another device or a
    /// new system: they must not look like a pass. Environments that may be new are left unchanged.
    private func refuse(_ all: inout [CellResult.Draft], outside compared: Set<Environment>) {
        let optional = policy.expectedEnvironments.filter { !$0.isRequired }.map(\.fields)
        all.revise { one in
            guard one.isGated, one.verdict == .noBaseline else { return nil }
            // The team may change the formula of its score; others that were compared so far must stay comparable.
            if one.detail == .otherFormula, one.metric.id != Metric.pageScore.id {
                return one.facts.remarked(.nothingCompared(.asBefore), .noBaseline, .nothingCompared)
            }
            let isKnown = compared.contains(one.environment) || optional.contains(where: one.environment.has)
            return isKnown ? nil : one.facts.remarked(.nothingCompared(.inEnvironment), .noBaseline, .nothingCompared)
        }
    }

    /// Adds since when a cell is held, and fails drifted cells that passed if the policy says so.
    private func recall(_ all: inout [CellResult.Draft], _ reference: Reference, _ drifts: [BaselineDrift]) {
        guard !reference.held.isEmpty || !drifts.isEmpty else { return }
        let drifted = Dictionary(drifts.compactMap { drift in drift.cell.map { ($0, drift) } }) { first, _ in first }
        let together = Dictionary(drifts.filter { $0.cell == nil }.map { ($0.environment, $0) }) { first, _ in first }
        all.revise { one in
            guard one.isGated else { return nil }
            if one.verdict != .passed {
                return reference.held[one.cell].map { one.facts.remarked(.held($0), one.verdict, one.detail) }
            }
            guard policy.baselineDrift == .fail else { return nil }
            let drift = one.isOfAllPages ? together[one.environment] : drifted[one.cell]
            return drift.map { one.facts.remarked(.drifted($0), .regressed, .drifted).waived(policy) }
        }
    }

    /// The measured cells, and all pages, that regressed by their change alone; `comparisons`: M by environment.
    /// - Parameter places: The pages to look at; the others only show how runs differ. `nil`: all.
    package func regressions(
        of cells: [Cell: CellMeasurement], with reference: Reference, comparisons: [Environment: Int],
        on places: Set<PageInEnvironment>? = nil
    ) throws(StatsError) -> [Cell] {
        let together = try TimesTogether(Measurements(cells: cells), reference, policy)
        let noises = try together.noises(in: Set(cells.keys.map(\.environment)).sorted())
        var regressed = noises.compactMap { together.allPages($1, in: $0) }.filter { $0.verdict == .regressed }
            .map(\.cell)
        for (cell, measurement) in cells where places?.contains(cell.place) ?? true {
            guard let entry = reference.cells[cell] else { continue }
            let prepared = try CellCase(
                cell: cell, metric: entry.metric, policy: policy.cellPolicy(of: cell, entry),
                confirmation: policy.confirmation, measurement: measurement, entry: entry,
                comparisons: comparisons[cell.environment] ?? 1, noise: noises[cell.environment])
            if VerdictRule.decide(prepared).verdict == .regressed { regressed.append(cell) }
        }
        return regressed
    }

    package func noise(of reference: Reference) throws(StatsError) -> [Environment: RunNoise] {
        try TimesTogether(Measurements(), reference, policy).noises(in: reference.environments)
    }

    /// M by environment: the number of the reference's gated cells, measured by the candidate or not, plus one if their
    /// times are enough to judge all pages. A limit alone is no comparison.
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

    /// The policy of a cell; an expected page or environment without any line gates, whatever its metrics.
    private func cellPolicy(
        _ subject: CellResult.Subject, _ cell: Cell, _ metric: Metric, _ expectation: Expectation,
        _ entry: Reference.Entry?, isShownOnly: Bool
    ) -> CellPolicy {
        var said = policy.cellPolicy(
            page: cell.page, metric: metric, environment: cell.environment, stored: entry?.limit(of: metric))
        if isShownOnly {
            said.isGated = Setting(false, from: said.isGated.origin)
            return said
        }
        if case .page = subject { return said }
        return CellPolicy(
            isGated: Setting(true, from: .builtIn), tolerance: said.tolerance, minChange: said.minChange, limit: nil)
    }

    private static func metric(named id: String) -> Metric {
        MetricCatalog.definition(of: id)?.metric ?? Metric(id: id, unit: Unit(""), better: .lower)
    }
}

extension CellResult.Facts {
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

package struct MeasurementGaps: Sendable {
    /// The cells, gated or not, whose frames stopped during the measurement: missing frames can't count as dropped.
    package internal(set) var stopped: Set<Cell> = []
    package internal(set) var shortfalls: [Cell: RuleStep] = [:]
    package internal(set) var excused: Set<PageInEnvironment> = []
    /// The runs with too few measurements that a rerun replaced.
    package internal(set) var forgiven: [String: Set<Page>] = [:]

    fileprivate mutating func add(_ judged: Judge.Judged) {
        guard let attendance = judged.gap?.attendance else { return }
        if attendance.stop != nil { stopped.insert(judged.cell) }
        guard judged.draft.result.isGated else { return }
        shortfalls[judged.cell] = attendance.amountShortfall
        if attendance.isExcused { excused.insert(judged.cell.place) }
        for run in attendance.forgiven { forgiven[run, default: []].insert(judged.cell.page) }
    }
}
