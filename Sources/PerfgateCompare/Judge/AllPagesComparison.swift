import LibC
import PerfgateModel
import PerfgateStats

/// The common shift of all pages, which is subtracted from each time, as a comparison: is it a regression itself?
package struct AllPagesComparison: Sendable {
    package static let failing = 0.005

    package let step: RuleStep
    /// The mean shift of the candidate's runs in percent; above 0 is slower.
    package let delta: Double
    /// The probabilities of a mean shift at least as large, and at least as small, if only the runs differ.
    package let chances: (worse: Double, improved: Double)

    /// Judges the runs of an environment; `nil` if there are too few times to estimate the differences between runs.
    /// - Parameter tolerance: The smallest change that matters, as a fraction of the baseline; 0 or more.
    package init?(_ noise: RunNoise, tolerance: Double, confirmation: Policy.Confirmation, reruns: Reruns) {
        guard let spread = noise.spread, !noise.wholeShifts.isEmpty else { return nil }
        let runs = noise.wholeShifts.keys.sorted { $0.precedesInUTF8($1) }
        let mean = runs.reduce(0) { $0 + (noise.wholeShifts[$1] ?? 0) } / Double(runs.count)
        let delta = 100 * expm1(mean)
        let chances = (spread.chance(of: mean, in: runs.count), spread.chance(of: -mean, in: runs.count))
        func step(_ finding: RuleStep.Found, _ p: Double) -> RuleStep {
            RuleStep(finding, value: delta, bound: 100 * tolerance, p: p, alpha: Self.failing)
        }
        (self.delta, self.chances) = (delta, chances)
        guard delta > 100 * tolerance else {
            let isBetter = delta < -100 * tolerance && chances.1 <= Self.failing
            self.step = isBetter ? step(.better, chances.1) : RuleStep(.noObjection)
            return
        }
        let isConfirming = confirmation == .rerun
        let isAgain =
            isConfirming
            && reruns.first(of: noise.firstRuns).allSatisfy { run in runs.contains { reruns.isRerun($0, of: run) } }
        let isSuspect = chances.0 <= Significance.suspecting
        let found: RuleStep.Found =
            if isConfirming, !isAgain {
                isSuspect ? .suspect : .worseByChance
            } else if chances.0 <= Self.failing {
                .worse
            } else {
                isAgain ? .notConfirmed : isSuspect ? .cannotTell : .worseByChance
            }
        self.step = step(found, chances.0)
    }
}

extension CellResult.Facts {
    /// The facts of all pages together, in percent of the baseline, for runs and for pairs of runs.
    /// - Parameter baseline, candidate: The shifts of runs or pairs, in logarithms; their mean is the numbers' change.
    /// - Parameter pages: The pages with the largest shift, the largest first.
    init(
        allPages step: RuleStep, in environment: Environment, baseline: [(run: String, shift: Double)],
        candidate: [(run: String, shift: Double)], _ numbers: CellResult.Numbers, pages: [Page], policy: Policy
    ) {
        let said = policy.allPages(in: environment)
        self.init(
            .allPages, CellResult.Subject.allPagesMetric, in: environment,
            Decision(step, after: [RuleStep(.comparable)]), under: said)
        self.baseline = Self.side(baseline, center: 100)
        self.candidate = Self.side(candidate, center: 100 + numbers.delta)
        self.numbers = numbers
        tolerance = 100 * said.tolerance.value
        remarks = [.pages(pages)]
    }

    private static func side(_ shifts: [(run: String, shift: Double)], center: Double) -> CellResult.Side {
        CellResult.Side(
            count: shifts.count, runs: shifts.count, center: center, samples: shifts.map { 100 * exp($0.shift) },
            shares: shifts.map { CellResult.Side.RunShare(run: $0.run, count: 1) })
    }
}

extension Policy {
    /// The policy of all pages together, which gates unless somebody says otherwise.
    func allPages(in environment: Environment) -> CellPolicy {
        let said = cellPolicy(
            page: CellResult.Subject.everyPage, metric: CellResult.Subject.allPagesMetric, environment: environment)
        return CellPolicy(
            isGated: said.isGated.origin == .builtIn ? Setting(true, from: .builtIn) : said.isGated,
            tolerance: said.tolerance, minChange: Setting(0, from: .builtIn), limit: nil)
    }
}

/// Pages without suspects that are measured again together with suspects, to show how much the reruns differ.
package enum Anchors {
    private static let mostTimes = 20

    /// The anchors among pages without a suspect, in their order.
    /// - Parameter pages: The pages with their number of gated times, above 0.
    /// - Parameter isEnough: Whether the shift of the first look is known; if not, a rerun's won't be known either.
    /// - Parameter all: Whether all pages together are suspect: then too few anchors mean that all are measured again.
    package static func pages<Page>(_ pages: [(page: Page, times: Int)], isEnough: Bool, all: Bool) -> [Page] {
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

struct TimesTogether {
    private let policy: Policy, reruns: Reruns, comparisons: Int
    private var times: [Environment: [RunNoise.Time]] = [:]
    private var cases: [Environment: [(cell: Cell, entry: Reference.Entry, measurement: CellMeasurement)]] = [:]

    private(set) var turns: [Environment: PairNoise] = [:]

    /// Takes gated and compared cells. Shown ones show nothing about runs, and those measured in turn show pairs.
    init(
        _ measurements: Measurements, _ reference: Reference, _ policy: Policy, hidden: Set<Cell> = [],
        pairing: Pairing = Pairing(), reruns: Reruns = Reruns(), comparisons: Int = 1
    ) throws(StatsError) {
        (self.policy, self.reruns, self.comparisons) = (policy, reruns, comparisons)
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
            let runs = Set(times.flatMap { $0.measurement?.runs.filter { !$0.samples.isEmpty }.map(\.run) ?? [] })
                .sorted { $0.precedesInUTF8($1) }
            let first = reruns.first(of: runs)
            var noise = try RunNoise(times, runs: first)
            let again = Set(runs).subtracting(first)
            if !again.isEmpty {
                noise.take(
                    reruns: again, of: times, suspects: try suspects(amongThoseOf: again, in: environment, noise))
            }
            noises[environment] = noise
        }
        return noises
    }

    /// The pages of reruns that were suspect in the first look.
    private func suspects(
        amongThoseOf again: Set<String>, in environment: Environment, _ noise: RunNoise
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
                cell: cell, metric: measurement.metric, policy: said, confirmation: .rerun, measurement: look,
                entry: entry, comparisons: comparisons, noise: noise)
            let found = WorseStep.look(at: prepared).found
            if [.suspect, .cannotTell, .worse].contains(found) { suspects.insert(cell.page) }
        }
        return suspects
    }

    func allPages(_ noise: RunNoise, in environment: Environment) -> CellResult.Facts? {
        let tolerance = policy.allPages(in: environment).tolerance.value
        let all = AllPagesComparison(noise, tolerance: tolerance, confirmation: policy.confirmation, reruns: reruns)
        guard let all else { return nil }
        let numbers = CellResult.Numbers(
            delta: all.delta, shift: all.delta, p: all.chances.worse, pImprove: all.chances.improved,
            pZero: all.chances.worse, alpha: AllPagesComparison.failing, comparisons: comparisons, decidedBy: .shift)
        func sorted(_ shifts: [String: Double]) -> [(run: String, shift: Double)] {
            shifts.sorted { $0.key.precedesInUTF8($1.key) }.map { ($0.key, $0.value) }
        }
        return CellResult.Facts(
            allPages: all.step, in: environment, baseline: sorted(noise.baselineShifts),
            candidate: sorted(noise.wholeShifts), numbers, pages: noise.pages(slower: all.delta > 0), policy: policy)
    }
}

/// How many times and pages each run measured, and which of them are held.
struct HeldTimes {
    private struct Counts {
        var times = 0, heldTimes = 0, pages = 0, heldPages: Set<Page> = [], last: Page?
    }

    private var numbers: [String: Int] = [:], counts: [Counts] = []

    /// Takes times that are sorted by page.
    init(_ times: [RunNoise.Time]) {
        for time in times {
            let settled = Set(time.entry.runs.map(\.run))
            for run in time.entry.stored.map(\.run) {
                let number = numbers[run] ?? counts.count
                if number == counts.count {
                    numbers[run] = number
                    counts.append(Counts())
                }
                counts[number].times += 1
                if counts[number].last != time.cell.page {
                    counts[number].last = time.cell.page
                    counts[number].pages += 1
                }
                guard !settled.contains(run) else { continue }
                counts[number].heldTimes += 1
                counts[number].heldPages.insert(time.cell.page)
            }
        }
    }

    /// The runs that are held for a quarter of their times or more, and for two pages: many pages changed, or all of them
    /// together, and such runs aren't the usual. One page, a third of a small app, says nothing about the others.
    var often: Set<String> {
        Set(numbers.filter { 4 * counts[$1].heldTimes >= counts[$1].times && counts[$1].heldPages.count > 1 }.keys)
    }

    func includesMost(of run: String, besides page: Page) -> Bool {
        guard let counts = numbers[run].map({ counts[$0] }), !counts.heldPages.isEmpty else { return false }
        let held = counts.heldPages.count - (counts.heldPages.contains(page) ? 1 : 0)
        return held > 1 && 2 * held > counts.pages - 1
    }
}
