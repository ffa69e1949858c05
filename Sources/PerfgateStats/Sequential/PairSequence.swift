import LibC

/// Base and head measured in turn on one device, judged after every pair from the second on, until every cell is decided.
///
/// Times are judged by a truncated log likelihood ratio, counts by e-values. Both allow any number of looks. A decision is
/// final, so a page whose cells are all decided needs no more runs. Adding the same pairs again gives the same decisions.
package struct PairSequence: Sendable {
    /// A metric of a page. Larger values are worse.
    package struct Cell: Sendable {
        package let page: Int
        package let isTime: Bool
        package let tolerance: Tolerance
        /// The bound of a limit in the samples' unit, for counts; `nil`: none.
        package let limit: Double?

        package init(page: Int, isTime: Bool, tolerance: Tolerance, limit: Double?) {
            (self.page, self.isTime, self.tolerance, self.limit) = (page, isTime, tolerance, limit)
        }
    }

    /// The samples of a cell in one pair, in the order of measurement.
    package typealias Samples = (base: [Double], head: [Double])

    package struct Rule: Sendable, Hashable {
        /// The most pairs; 2 or more.
        package var mostPairs = 20
        /// The change that must be found, in tolerances.
        package var detect = 2.0
        /// The probability of accusing any unchanged cell.
        package var alpha = 0.004
        /// The fewest pairs with which a time is accused.
        package var fewestToAccuse = 6
        /// S as measured that an accused time needs.
        package var fewestRaw = 5.0
        /// The score at or below which a cell is the same after two pairs, and what each further pair adds.
        package var same = -0.5, sameByPair = 0.4
        /// What is added to it for counts.
        package var sameCounts = 0.5
        /// A time is too noisy if it would need more than this many times the pairs that are left.
        package var tooNoisyFactor = 2.0

        package init() {}
    }

    package enum State: Sendable, Equatable {
        case open, regressed, same
        /// The noise is too large for the pairs that are left.
        case tooNoisy
    }

    /// The numbers behind a cell's state, at its last look.
    package struct Evidence: Sendable, Equatable {
        package var state = State.open
        /// The pairs in which both sides measured it.
        package var pairs = 0
        /// S, the logarithm of the evidence.
        package var score = 0.0
        /// A, the score that accuses.
        package var needed = 0.0
        /// Of a time the mean log ratio without the shifts of the pairs, else the difference of the means; and as measured.
        package var change = 0.0, rawChange = 0.0
        /// Whether the opposite question found an improvement.
        package var isImproved = false
        /// V and θ of a time; `nil` for counts.
        package var variance: Double?, detected: Double?
        /// S of the opposite question, of a time.
        package var mirrored = 0.0
    }

    package struct Together: Sendable, Equatable {
        package var state = State.open
        package var score = 0.0, needed = log(1 / 0.0005)
        /// f̄, the mean shift of the pairs, in logarithms.
        package var change = 0.0
    }

    package let rule: Rule
    package let cells: [Cell]
    package private(set) var evidence: [Evidence]
    /// All pages together; `nil` with too few times, and before the second pair.
    package private(set) var together: Together?
    package private(set) var shifts: [PairShift] = []
    package private(set) var pairs = 0
    /// The pages that are measured in every pair, sorted.
    package private(set) var anchors: [Int] = []
    /// τ² of one run.
    package private(set) var ownVariance = PairShift.unknownOwn
    private var threshold = 0.0
    private let otherComparisons: Int
    private(set) var histories: [History]
    private var commonVariance: Double?
    private var areShiftsKnown = false
    /// The fewest pages that are measured in every pair, and the fewest times of these.
    private static let fewestAnchors = (pages: 8, times: 12)

    /// Begins with no pair, with the number of comparisons of the call outside this sequence.
    package init(_ cells: [Cell], otherComparisons: Int = 0, rule: Rule = Rule()) {
        (self.cells, self.rule, self.otherComparisons) = (cells, rule, otherComparisons)
        evidence = Array(repeating: Evidence(), count: cells.count)
        histories = Array(repeating: History(), count: cells.count)
        let times = Dictionary(grouping: cells.filter(\.isTime), by: \.page).mapValues(\.count)
        let pages = times.keys.sorted()
        var count = min(pages.count, Self.fewestAnchors.pages)
        repeat {
            anchors = (0..<count).map { pages[$0 * pages.count / count] }
            count += 1
        } while count <= pages.count && anchors.reduce(0) { $0 + (times[$1] ?? 0) } < Self.fewestAnchors.times
    }

    package var openPages: Set<Int> { Set(zip(cells, evidence).filter { $1.state == .open }.map(\.0.page)) }

    /// Whether more pairs could decide something.
    package var isOpen: Bool {
        pairs < rule.mostPairs && (evidence.contains { $0.state == .open } || together?.state == .open)
    }

    /// Adds a pair and looks at every open cell. The samples are in the order of `cells`; `nil` if a side has too few.
    package mutating func add(_ samples: [Samples?]) throws(StatsError) {
        pairs += 1
        for index in cells.indices {
            guard let pair = samples[index] else { continue }
            try histories[index].add(pair, number: pairs - 1, cells[index])
        }
        if pairs == 2 { begin() }
        guard pairs >= 2 else { return }
        if pairs > 2 {
            let isWhole = histories.allSatisfy { $0.numbers.isEmpty || $0.numbers.last == pairs - 1 }
            shifts.append(shift(isWhole: isWhole))
        }
        lookAtAll()
        for index in cells.indices where evidence[index].state == .open { look(at: index) }
    }

    /// The samples of a cell so far, as far as looks need them.
    struct History: Sendable {
        /// The numbers of its pairs, from 0.
        var numbers: [Int] = []
        var ratios: [Double] = []
        /// Its runs, for the variance within them.
        var runs: [SortedSamples] = []
        var counts: [CountEvidence] = []
        var bases: [[Double]] = []
        /// The means of both sides, added up over pairs.
        var (baseSum, headSum) = (0.0, 0.0)
        var (fewestBase, fewestHead) = (Int.max, Int.max)
        /// The centre of the base in the first pair.
        var base = 0.0
        /// The tolerance in the samples' unit.
        var margin = 0.0
        /// The variance of the rounding to a clock's grid, in squared logarithms.
        var rounding = 0.0

        mutating func add(_ pair: Samples, number: Int, _ cell: Cell) throws(StatsError) {
            let (base, head) = (try SortedSamples(pair.base), try SortedSamples(pair.head))
            numbers.append(number)
            (fewestBase, fewestHead) = (min(fewestBase, base.count), min(fewestHead, head.count))
            if cell.isTime {
                try add(base, head, cell)
            } else {
                if numbers.count == 1 {
                    self.base = base.mean ?? 0
                    margin = cell.tolerance.margin(median: self.base)
                }
                counts.append(try CountEvidence(base: pair.base, head: pair.head, margin: margin, limit: cell.limit))
                bases.append(pair.base)
                baseSum += base.mean ?? 0
                headSum += head.mean ?? 0
            }
        }

        private mutating func add(_ base: SortedSamples, _ head: SortedSamples, _ cell: Cell) throws(StatsError) {
            let least = max(cell.tolerance.absolute, 1e-9)
            func logs(_ samples: SortedSamples) throws(StatsError) -> SortedSamples {
                try SortedSamples(samples.values.map { log(max($0, least)) })
            }
            let (first, second) = (try logs(base), try logs(head))
            runs += [base, head]
            ratios.append((second.median ?? 0) - (first.median ?? 0))
            if numbers.count == 1 {
                self.base = exp(first.median ?? 0)
                margin = max(cell.tolerance.relative, cell.tolerance.absolute / self.base)
            }
            if numbers.count == 2 { rounding = Self.rounding(runs, base: self.base) }
        }

        /// q² / (6·base²) if all values lie on a grid q, such as a clock of 16.7 ms; else 0.
        private static func rounding(_ runs: [SortedSamples], base: Double) -> Double {
            let values = Set(runs.flatMap(\.values)).sorted()
            let steps = zip(values, values.dropFirst()).map { $1 - $0 }
            guard let step = steps.min(), steps.count > 1 else { return 0 }
            let isGrid = steps.allSatisfy { abs($0 / step - ($0 / step).rounded()) < 0.05 }
            return isGrid ? step * step / (6 * base * base) : 0
        }

        func within(least: Double) -> WithinRun? { WithinRun(runs, least: max(least, 1e-9)) }
    }

    /// The first look: M, the noise and the shifts of the first two pairs.
    private mutating func begin() {
        let compared = histories.count { !$0.numbers.isEmpty }
        let times = cells.indices.filter { cells[$0].isTime && histories[$0].numbers == [0, 1] }
        commonVariance = WithinRun.commonVariance(times.map(within))
        let ratios = times.map { histories[$0].ratios }
        areShiftsKnown = RunShift.areEnough(times.count, pages: Set(times.map { cells[$0].page }).count)
        if areShiftsKnown {
            shifts = PairShift.first(ratios)
            ownVariance = PairShift.ownVariance(ratios, sampling: times.map(sampling))
            together = Together()
        } else {
            shifts = Array(repeating: unknownShift, count: 2)
        }
        threshold = log(Double(max(1, compared + (areShiftsKnown ? 1 : 0) + otherComparisons)) / rule.alpha)
        for index in cells.indices { evidence[index].needed = threshold }
    }

    private func within(_ index: Int) -> WithinRun? { histories[index].within(least: cells[index].tolerance.absolute) }

    private func sampling(_ index: Int) -> Double {
        let history = histories[index]
        return NoiseTest.sampling(
            within(index), common: commonVariance ?? 0, NoiseTest.Terms.sharedDegrees, history.fewestBase,
            history.fewestHead)
    }

    /// The mean shift of the first two pairs.
    private var level: Double { areShiftsKnown ? (shifts[0].shift + shifts[1].shift) / 2 : 0 }

    private var unknownShift: PairShift { PairShift(shift: level, variance: PairShift.usualVariance) }

    /// f of the newest pair: L̄ + median(d_ij − (d_i1 + d_i2)/2) over the anchors' times, which no result selected; over all
    /// times if all were measured.
    private func shift(isWhole: Bool) -> PairShift {
        let chosen = Set(anchors)
        let rests = cells.indices.compactMap { index -> Double? in
            let history = histories[index]
            guard cells[index].isTime, isWhole || chosen.contains(cells[index].page),
                history.numbers.starts(with: [0, 1]), history.numbers.last == pairs - 1
            else { return nil }
            return history.ratios[history.ratios.count - 1] - (history.ratios[0] + history.ratios[1]) / 2
        }
        guard areShiftsKnown, rests.count >= Self.fewestAnchors.times, let median = rests.median else {
            return unknownShift
        }
        // 5.5 is n + ½ of five samples a side.
        let single = 2 * ownVariance + Double.pi * (commonVariance ?? 0) / 5.5
        return PairShift(shift: level + median, variance: Double.pi / 2 * single * 1.5 / Double(rests.count))
    }

    private mutating func lookAtAll() {
        guard var all = together, all.state == .open else { return }
        let values = shifts.map(\.shift)
        let (usual, detected) = (PairShift.usualVariance, log(1.2))
        let variance = max(usual, (4 * usual + values.squares) / (3 + Double(values.count)))
        all.change = values.mean
        all.score = shifts.reduce(0) { sum, pair in
            let part = detected * (pair.shift - detected / 2) / (variance + pair.variance)
            return sum + min(all.needed / 2, max(TimeEvidence.floor, part))
        }
        if all.score >= all.needed, all.change > log(1.1) {
            all.state = .regressed
        } else if all.score <= 0 {
            all.state = .same
        }
        together = all
    }

    private mutating func look(at index: Int) {
        let history = histories[index]
        guard history.numbers.count >= 2, history.numbers[0] < 2, history.numbers.last == pairs - 1 else { return }
        if cells[index].isTime { lookAtTime(index) } else { lookAtCount(index) }
    }

    private func greatestSame(_ looked: Int) -> Double { rule.same + rule.sameByPair * Double(looked - 2) }

    private mutating func lookAtTime(_ index: Int) {
        let history = histories[index]
        let (count, left) = (history.ratios.count, rule.mostPairs - pairs)
        let time = TimeEvidence(
            ratios: history.ratios, shifts: history.numbers.map { shifts[$0] },
            known: 2 * ownVariance + sampling(index) + history.rounding, margin: history.margin,
            detect: rule.detect, cap: threshold / 2)
        var now = Evidence(
            pairs: count, score: time.score, needed: threshold, change: time.mean, rawChange: time.rawMean,
            variance: time.variance, detected: time.detected, mirrored: time.mirrored)
        now.isImproved =
            count >= rule.fewestToAccuse && time.mirrored >= threshold
            && max(time.mean, time.rawMean) < -time.tolerated
        let isWorse =
            time.score >= threshold && min(time.mean, time.rawMean) > time.tolerated
            && time.rawScore >= rule.fewestRaw
        if isWorse {
            if count >= rule.fewestToAccuse { now.state = .regressed }
        } else if time.score <= greatestSame(count) {
            now.state = .same
        } else if time.score < threshold / 3 {
            let pairsNeeded = (threshold - max(0, time.score)) * 2 * time.variance / (time.detected * time.detected)
            if pairsNeeded > rule.tooNoisyFactor * Double(left) { now.state = .tooNoisy }
        }
        evidence[index] = now
    }

    private mutating func lookAtCount(_ index: Int) {
        let history = histories[index]
        let count = history.counts.count
        let change = (history.headSum - history.baseSum) / Double(count)
        var now = Evidence(
            pairs: count, score: CountEvidence.score(history.counts), needed: threshold, change: change,
            rawChange: change)
        if now.score >= threshold, change > history.margin {
            now.state = .regressed
        } else if now.score <= greatestSame(count) + rule.sameCounts, change <= 2 * history.margin {
            now.state = .same
        }
        evidence[index] = now
    }
}
