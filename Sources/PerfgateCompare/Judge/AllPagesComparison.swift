import LibC
import PerfgateModel
import PerfgateStats

/// The common shift of all pages in a candidate's runs, as a separate comparison: whether all pages became slower.
///
/// The runs' common shift is subtracted from each time. This comparison reports when the shift itself is a regression.
package struct AllPagesComparison: Sendable {
    /// The metric of the comparison, in percent of the baseline.
    package static let metric = CellResult.Subject.allPagesMetric
    /// The significance level for "all pages became slower".
    package static let failing = 0.005

    package let step: RuleStep
    /// The mean shift of the candidate's runs in percent; above 0 is slower.
    package let delta: Double
    /// The probabilities of a mean shift at least as large, and at least as small, if only the runs differ.
    package let chances: (worse: Double, improved: Double)
    private let shifts: [String: Double]
    private let tolerance: Double

    /// Judges the runs of an environment; `nil` if there are too few times to estimate the differences between runs.
    ///
    /// - Parameter tolerance: The smallest change that matters, as a fraction of the baseline; 0 or more.
    package init?(_ noise: RunNoise, tolerance: Double, confirmation: Policy.Confirmation, reruns: Reruns) {
        guard let spread = noise.spread, !noise.wholeShifts.isEmpty else { return nil }
        shifts = noise.wholeShifts
        self.tolerance = tolerance
        let runs = shifts.keys.sorted { $0.precedesInUTF8($1) }
        let mean = runs.reduce(0) { $0 + (noise.wholeShifts[$1] ?? 0) } / Double(runs.count)
        let delta = 100 * expm1(mean)
        let chances = (spread.chance(of: mean, in: runs.count), spread.chance(of: -mean, in: runs.count))
        func step(_ finding: RuleStep.Found, _ p: Double) -> RuleStep {
            RuleStep(finding, value: delta, bound: 100 * tolerance, p: p, alpha: Self.failing)
        }
        self.delta = delta
        self.chances = chances
        guard delta > 100 * tolerance else {
            let isBetter = delta < -100 * tolerance && chances.1 <= Self.failing
            self.step = isBetter ? step(.better, chances.1) : RuleStep(.noObjection)
            return
        }
        let isConfirming = confirmation == .rerun
        let isAgain =
            isConfirming
            && reruns.first(of: noise.firstRuns).allSatisfy { run in runs.contains { reruns.isRerun($0, of: run) } }
        if isConfirming, !isAgain {
            self.step = step(chances.0 <= Significance.suspecting ? .suspect : .worseByChance, chances.0)
        } else if chances.0 <= Self.failing {
            self.step = step(.worse, chances.0)
        } else if isAgain {
            self.step = step(.notConfirmed, chances.0)
        } else {
            self.step = step(chances.0 <= Significance.suspecting ? .cannotTell : .worseByChance, chances.0)
        }
    }
}

extension AllPagesComparison {
    /// The facts of the comparison.
    ///
    /// - Parameters:
    ///   - noise: The noise of the runs.
    ///   - said: The policy of the comparison.
    ///   - comparisons: M.
    func facts(
        _ noise: RunNoise, in environment: Environment, _ said: CellPolicy, comparisons: Int, waiver: WaiverAnswer?
    ) -> CellResult.Facts {
        let decision = Decision(step, after: [RuleStep(.comparable)])
        var facts = CellResult.Facts(
            .allPages, Self.metric, in: environment, isGated: said.isGated.value,
            verdict: waiver?.holds == true ? .waived : decision.verdict)
        facts.gateOrigin = said.isGated.origin.description
        facts.detail = decision.detail
        facts.rule = decision.steps
        facts.baseline = side(noise.baselineShifts, center: 100)
        facts.candidate = side(shifts, center: 100 + delta)
        facts.numbers = CellResult.Numbers(
            delta: delta, shift: delta, p: chances.worse, pImprove: chances.improved, pZero: chances.worse,
            alpha: Self.failing, comparisons: comparisons, decidedBy: .shift)
        facts.tolerance = 100 * tolerance
        facts.toleranceTerms = CellResult.ToleranceTerms(
            relative: tolerance, relativeOrigin: said.tolerance.origin.description,
            minChangeOrigin: Origin.builtIn.description)
        facts.remarks = [.pages(noise.pages(slower: delta > 0))] + (waiver.map { [.waiver($0)] } ?? [])
        return facts
    }

    /// One value per run, in percent of the usual.
    private func side(_ shifts: [String: Double], center: Double) -> CellResult.Side {
        let runs = shifts.keys.sorted { $0.precedesInUTF8($1) }
        return CellResult.Side(
            count: runs.count, runs: runs.count, center: center, samples: runs.map { 100 * exp(shifts[$0] ?? 0) },
            shares: runs.map { CellResult.Side.RunShare(run: $0, count: 1) })
    }
}

/// Pages without suspects that are measured again together with suspects, to show how much the reruns differ.
package enum Anchors {
    /// The most times that anchors have in total.
    package static let mostTimes = 20

    /// The anchors among pages without a suspect, in their order.
    ///
    /// - Parameters:
    ///   - pages: The pages with their number of gated times, above 0.
    ///   - isEnough: Whether the shift of the first look is known; if not, a rerun's won't be known either.
    ///   - all: Whether all pages together are suspect: then all of them are measured again if there are too few
    ///     anchors.
    package static func pages<Page>(
        _ pages: [(page: Page, times: Int)], isEnough: Bool, all: Bool
    ) -> [Page] {
        guard isEnough else { return [] }
        var (anchors, times): ([Page], Int) = ([], 0)
        for candidate in pages where times + candidate.times <= mostTimes {
            anchors.append(candidate.page)
            times += candidate.times
        }
        if RunShift.areEnough(times, pages: anchors.count) { return anchors }
        return all ? pages.map(\.page) : []
    }
}

/// Collects the times of environments, the runs that measured them, and the suspect pages of a first look.
struct TimesTogether {
    private let policy: Policy
    private let reruns: Reruns
    private let comparisons: Int
    private var times: [Environment: [RunNoise.Time]] = [:]
    /// The measured gated cells of the reference.
    private var cases: [Environment: [(cell: Cell, entry: Reference.Entry, measurement: CellMeasurement)]] = [:]

    /// The noise of the times that were measured in turn.
    private(set) var turns: [Environment: PairNoise] = [:]

    /// Takes gated and compared cells; cells that are only shown show nothing about runs, and cells that were measured
    /// in turn show something about pairs.
    init(
        _ measurements: Measurements, _ reference: Reference, _ policy: Policy, hidden: Set<Cell>, pairing: Pairing,
        reruns: Reruns, comparisons: Int
    ) throws(StatsError) {
        self.policy = policy
        self.reruns = reruns
        self.comparisons = comparisons
        var turns: [Environment: [(page: Page, runs: PairedRuns, least: Double)]] = [:]
        for (cell, entry) in reference.cells {
            let said = policy.cellPolicy(of: cell, entry)
            guard said.isGated.value, !entry.runs.allSatisfy(\.samples.isEmpty) else { continue }
            let measurement = hidden.contains(cell) ? nil : measurements.cells[cell]
            if let measurement {
                guard entry.isComparable(with: measurement) else { continue }
                if let paired = try pairing.paired(candidate: measurement.runs, reference: entry.runs) {
                    guard entry.metric.isTime else { continue }
                    turns[cell.environment, default: []].append((cell.page, paired, said.minChange.value))
                    continue
                }
                cases[cell.environment, default: []].append((cell, entry, measurement))
            }
            guard entry.metric.isTime else { continue }
            times[cell.environment, default: []].append(
                RunNoise.Time(cell: cell, entry: entry, measurement: measurement, minChange: said.minChange.value))
        }
        self.turns = turns.mapValues { times in
            let pages = Dictionary(zip(Set(times.map(\.page)), 0...)) { first, _ in first }
            return PairNoise(times.map { (pages[$0.page] ?? 0, $0.runs, $0.least) })
        }
    }

    func noises(in environments: [Environment]) throws(StatsError) -> [Environment: RunNoise] {
        var noises: [Environment: RunNoise] = [:]
        for environment in environments {
            guard let times = times[environment] else { continue }
            let runs = Set(
                times.flatMap { $0.measurement?.runs.filter { !$0.samples.isEmpty }.map(\.run) ?? [] }
            ).sorted { $0.precedesInUTF8($1) }
            let first = reruns.first(of: runs)
            var noise = try RunNoise(times, runs: first)
            let again = Set(runs).subtracting(first)
            if !again.isEmpty {
                let suspects = try suspects(of: first, amongThoseOf: again, in: environment, noise)
                noise.take(reruns: again, of: times, suspects: suspects)
            }
            noises[environment] = noise
        }
        return noises
    }

    /// The pages of reruns that were suspect in the first look.
    private func suspects(
        of first: Set<String>, amongThoseOf again: Set<String>, in environment: Environment, _ noise: RunNoise
    ) throws(StatsError) -> Set<Page> {
        let cases = cases[environment] ?? []
        let measured = Set(cases.filter { $0.measurement.runs.contains { again.contains($0.run) } }.map(\.cell.page))
        var suspects: Set<Page> = []
        for (cell, entry, measurement) in cases where measured.contains(cell.page) && !suspects.contains(cell.page) {
            var look = measurement
            look.remove(again)
            let said = policy.cellPolicy(of: cell, entry)
            guard try CellCase.isOpen(cell, entry, look, said, noise) else { continue }
            let prepared = try CellCase(
                cell: cell, metric: measurement.metric, policy: said,
                confirmation: .rerun, measurement: look, entry: entry,
                comparisons: comparisons, noise: noise)
            let step = WorseStep.look(at: prepared).found
            if [.suspect, .cannotTell, .worse].contains(step) { suspects.insert(cell.page) }
        }
        return suspects
    }

    /// The comparison of all pages; `nil` with too few times.
    func allPages(_ noise: RunNoise, in environment: Environment) -> CellResult.Facts? {
        let cell = Cell(
            page: CellResult.Subject.everyPage, metric: AllPagesComparison.metric.id, environment: environment)
        let stated = policy.cellPolicy(page: cell.page, metric: AllPagesComparison.metric, environment: environment)
        let said = stated.isGated.origin == .builtIn ? stated.gated(true) : stated
        let all = AllPagesComparison(
            noise, tolerance: said.tolerance.value, confirmation: policy.confirmation, reruns: reruns)
        guard let all else { return nil }
        let waiver = WaiverAnswer(
            Decision(all.step), on: cell, AllPagesComparison.metric, centre: 100 + all.delta, policy: policy)
        return all.facts(noise, in: environment, said, comparisons: comparisons, waiver: waiver)
    }
}
