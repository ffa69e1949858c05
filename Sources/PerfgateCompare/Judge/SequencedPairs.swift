import LibC
import PerfgateModel
import PerfgateStats

/// Base's and head's runs measured in turn, judged after every pair: live, after a resumed call, and compared again.
package struct SequencedPairs: Sendable {
    package struct Turn: Sendable, Hashable {
        package let state: PairSequence.State, numbers: CellResult.Sequence
        /// The change without the shifts of the pairs: of a time its logarithm, else in the samples' unit.
        package let change: Double
        package let isImproved: Bool
        /// Whether all pages became slower, and this cell only with them.
        package let isWithAll: Bool
        /// The pairs in which base measured it, and those of them in which head has less than half of its samples.
        package let basePairs: Int, absentPairs: Int
        package let shift: Double
        /// The pairs of base's and head's runs, by run identifier.
        package let names: Pairing

        /// The step of a head that lacks it in two pairs or more; `nil`: it has it.
        var absence: RuleStep? {
            guard absentPairs > 1 else { return nil }
            return RuleStep(.absentInPairs, value: Double(basePairs - absentPairs), bound: Double(basePairs))
        }
    }

    package private(set) var turns: [Cell: Turn] = [:]
    package private(set) var together: [Environment: PairSequence.Together] = [:]
    package private(set) var shifts: [Environment: [Double]] = [:]
    package let pairs: [String]
    /// The pages that further pairs should measure: those with an open cell, and the anchors; sorted.
    package var wantedPages: [Page] { wanted.sorted() }
    package var openPages: [Page] { open.sorted() }
    package private(set) var isOpen = false
    private let names: Pairing
    private var wanted: Set<Page> = [], open: Set<Page> = []

    package var hasUsablePairs: Bool { turns.values.contains { $0.numbers.pairs > 0 } }

    /// How many more pairs the open cells will probably take; 1 or more.
    package var expectedPairs: Int {
        max(1, turns.values.filter { $0.state == .open }.compactMap(\.numbers.pairsNeeded).max() ?? 1)
    }

    /// Replays the pairs of both sides, without those that one side lacks; `hidden` cells are only shown.
    package init(
        _ measurements: Measurements, _ reference: Reference, _ policy: Policy, _ rule: PairSequence.Rule,
        hidden: Set<Cell> = []
    ) throws(StatsError) {
        let (head, base) = (Pairing.pairs(of: measurements.runs), reference.pairs)
        let pairs = Set(head.values).intersection(base.values).sorted { Self.precedes($0, $1) }
        self.pairs = pairs
        names = Pairing(candidate: head, reference: base)
        var compared: [Environment: [Compared]] = [:]
        for (cell, entry) in reference.cells where !hidden.contains(cell) {
            let said = policy.cellPolicy(of: cell, entry)
            guard said.isGated.value, let measurement = measurements.cells[cell], entry.isComparable(with: measurement)
            else { continue }
            compared[cell.environment, default: []].append(
                Compared(
                    cell, entry.metric, said, base: Self.samples(entry.runs, by: base),
                    head: Self.samples(measurement.runs, by: head), pairs: pairs))
        }
        let counts = compared.mapValues { $0.count { $0.usable.prefix(2).contains { $0 != nil } } }
        let all = counts.values.reduce(0, +) + max(0, counts.count - 1)
        for (environment, cells) in compared {
            try replay(
                cells.sorted { $0.cell < $1.cell }, rule, in: environment, others: all - (counts[environment] ?? 0))
        }
    }

    private mutating func replay(
        _ cells: [Compared], _ rule: PairSequence.Rule, in environment: Environment, others: Int
    ) throws(StatsError) {
        let pages = Set(cells.map(\.cell.page)).sorted()
        let numbers = Dictionary(zip(pages, 0...)) { first, _ in first }
        var sequence = PairSequence(
            try cells.map { cell throws(StatsError) in try cell.sequenced(page: numbers[cell.cell.page] ?? 0) },
            otherComparisons: others, rule: rule)
        for pair in pairs.indices.prefix(rule.mostPairs) { try sequence.add(cells.map { $0.usable[pair] }) }
        together[environment] = sequence.together
        shifts[environment] = sequence.shifts.map(\.shift)
        let isSlower = sequence.together?.state == .regressed
        for (index, compared) in cells.enumerated() {
            turns[compared.cell] = turn(compared, sequence, index, isSlower: isSlower)
        }
        open.formUnion(sequence.openPages.map { pages[$0] })
        wanted.formUnion(sequence.openPages.union(sequence.anchors).map { pages[$0] })
        if sequence.isOpen { isOpen = true }
    }

    private func turn(_ cell: Compared, _ sequence: PairSequence, _ index: Int, isSlower: Bool) -> Turn {
        let now = sequence.evidence[index]
        let needed = now.state == .open || now.state == .tooNoisy ? sequence.pairsNeeded(for: index) : nil
        let isTime = sequence.cells[index].isTime
        let shifts = sequence.shifts.prefix(now.pairs).map(\.shift)
        return Turn(
            state: now.state,
            numbers: CellResult.Sequence(
                evidence: now.score, needed: now.needed, opposite: now.mirrored, pairs: now.pairs,
                mostPairs: sequence.rule.mostPairs, pairsNeeded: needed?.pairs,
                isNeededIfChanged: needed?.isIfChanged ?? false, detectable: sequence.detectableChange(of: index)),
            change: now.change, isImproved: now.isImproved,
            isWithAll: isSlower && isTime && now.state != .regressed && now.rawChange > log(1 + cell.tolerance),
            basePairs: cell.basePairs, absentPairs: cell.absentPairs,
            shift: isTime && !shifts.isEmpty ? shifts.reduce(0, +) / Double(shifts.count) : 0, names: names)
    }

    /// Numbers in their order, other names after them.
    private static func precedes(_ first: String, _ second: String) -> Bool {
        let (left, right) = (Int(first) ?? .max, Int(second) ?? .max)
        return left == right ? first.precedesInUTF8(second) : left < right
    }

    private static func samples(_ runs: [RunSamples], by pairs: [String: String]) -> [String: [Double]] {
        runs.reduce(into: [:]) { samples, run in
            guard let pair = pairs[run.run], !run.samples.isEmpty else { return }
            samples[pair, default: []] += run.values
        }
    }
}

extension SequencedPairs {
    private struct Compared {
        let cell: Cell
        private let metric: Metric, policy: CellPolicy
        /// Its samples by pair, larger being worse; `nil` if a side has too few.
        let usable: [PairSequence.Samples?]
        let basePairs: Int, absentPairs: Int

        var tolerance: Double { policy.tolerance.value }

        init(
            _ cell: Cell, _ metric: Metric, _ policy: CellPolicy, base: [String: [Double]], head: [String: [Double]],
            pairs: [String]
        ) {
            (self.cell, self.metric, self.policy) = (cell, metric, policy)
            let measured = pairs.filter { base[$0] != nil }
            basePairs = measured.count
            let isNoneGood = MetricCatalog.definition(of: metric.id)?.isNoSampleGood ?? false
            absentPairs = isNoneGood ? 0 : Self.absences(pairs.map { (base[$0]?.count ?? 0, head[$0]?.count ?? 0) })
            let usual = measured.first.flatMap { base[$0]?.count } ?? 0
            let isTurned = metric.better == .higher
            usable = pairs.map { pair in
                guard let first = base[pair], let second = head[pair], Self.areEnough(first.count, second.count, usual)
                else { return nil }
                return isTurned ? (first.map { 0 - $0 }, second.map { 0 - $0 }) : (first, second)
            }
        }

        /// The pairs in which head has less than half of base's samples, as if stopped at a slow load; 0 if by chance.
        /// If four of five runs of base have almost equal numbers of samples, these must differ beyond chance in at
        /// least a fifth of the pairs. Other metrics are absent from either side by chance, so a sign test decides.
        private static func absences(_ samples: [(base: Int, head: Int)]) -> Int {
            let counts = samples.filter { $0.base + $0.head > 0 }
            let absent = counts.filter { 2 * $0.head < $0.base }
            let reverse = counts.count { 2 * $0.base < $0.head }
            let most = counts.map(\.base).max() ?? 0
            let isRegular = 5 * counts.count { 5 * $0.base < 4 * most } <= counts.count
            let left = absent.reduce(0) { $0 + $1.head }
            let isBeyondChance =
                isRegular
                ? 5 * absent.count >= counts.count
                    && Binomial.fair(absent.reduce(left) { $0 + $1.base }, atMost: left) <= 0.02
                : Binomial.fair(absent.count + reverse, atMost: reverse) <= 0.0005
            return isBeyondChance ? absent.count : 0
        }

        /// A pair counts if neither side has less than half of the other's samples, or fewer than 3 where 3 are usual.
        private static func areEnough(_ base: Int, _ head: Int, _ usual: Int) -> Bool {
            2 * min(base, head) >= max(base, head) && min(base, head) >= min(3, usual)
        }

        func sequenced(page: Int) throws(StatsError) -> PairSequence.Cell {
            let limit = policy.shareBound.map { metric.better == .higher ? 0 - $0 : $0 }
            return PairSequence.Cell(
                page: page, isTime: metric.isTime && metric.better == .lower,
                tolerance: try Tolerance(relative: policy.tolerance.value, absolute: policy.minChange.value),
                limit: limit)
        }
    }
}

extension CellResult {
    package struct Sequence: Sendable, Hashable {
        /// S, the logarithm of the evidence that it became worse, and A, the evidence that accuses; above 0.
        package var evidence, needed: Double
        /// The evidence of a time that it became better.
        package var opposite = 0.0
        /// The pairs that measured it on both sides.
        package var pairs = 0
        package var mostPairs = 0
        /// How many more pairs would decide it; `nil` if it is decided, or if nothing suggests a number.
        package var pairsNeeded: Int?
        /// Whether these are needed if it had changed by what must be found, since it shows less.
        package var isNeededIfChanged = false
        /// The smallest change that all pairs would find with a probability of .9: a fraction of a time, or a count.
        package var detectable: Double?

        /// e^−S, at most 1: a bound of the probability of that much evidence without a change.
        package var p: Double { min(1, exp(-evidence)) }
        var pOpposite: Double { min(1, exp(-opposite)) }
        var alpha: Double { exp(-needed) }
    }
}

extension CellResult.Sequence { package init() { self.init(evidence: 0, needed: 0) } }

extension [CellResult.Draft] {
    /// Marks the cells of environments in which no cell has two pairs that count: nothing was compared.
    mutating func refuseUndecided() {
        let gated = lazy.map(\.result).filter { $0.isGated && $0.numbers?.sequence?.pairs ?? 0 > 1 }
        let compared = Set(gated.map(\.environment))
        revise { one in
            one.isGated && one.rule.last?.found == .undecided && !compared.contains(one.environment)
                ? one.facts.remarked(.nothingCompared(.inEnvironment), .inconclusive, .nothingCompared) : nil
        }
    }
}

extension SequencedPairs {
    /// The comparisons of all pages together, one for each environment that has enough times.
    func allPages(policy: Policy, comparisons: Int) -> [CellResult.Facts] {
        together.sorted { $0.key < $1.key }.map { environment, all in
            let delta = 100 * expm1(all.change)
            let sequence = CellResult.Sequence(
                evidence: all.score, needed: all.needed, pairs: pairs.count, mostPairs: policy.sequence?.mostPairs ?? 0)
            let numbers = CellResult.Numbers(
                delta: delta, shift: delta, p: sequence.p, pImprove: 1, pZero: sequence.p, alpha: sequence.alpha,
                comparisons: comparisons, pairs: pairs.count, decidedBy: .sequence, sequence: sequence)
            let found: RuleStep.Found? =
                switch all.state {
                case .regressed: .worse
                case .same: nil
                case .open, .tooNoisy: .undecided
                }
            let bound = 100 * policy.allPages(in: environment).tolerance.value
            let step = found.map { RuleStep($0, value: delta, bound: bound, p: sequence.p, alpha: sequence.alpha) }
            let shifts = zip(pairs, shifts[environment] ?? []).map { (run: $0, shift: $1) }
            return CellResult.Facts(
                allPages: step ?? RuleStep(.noObjection), in: environment,
                baseline: shifts.map { (run: $0.run, shift: 0) }, candidate: shifts, numbers,
                pages: slowerPages(in: environment), policy: policy)
        }
    }

    /// The pages that became slower with all others, the slowest first.
    private func slowerPages(in environment: Environment) -> [Page] {
        let slower = turns.filter { $0.key.environment == environment && $0.value.isWithAll }
        let changes = Dictionary(slower.map { ($0.key.page, $0.value.change) }, uniquingKeysWith: max)
        return changes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }
}
