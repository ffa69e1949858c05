import LibC

/// The search for the first bad commit of a range. Every decision is a function of the attempts so far, so a resumed search
/// goes on as if it had never ended. Positions are 0 for the good commit to N for the bad one.
package struct CommitSearch: Sendable {
    package let prior: StepPrior
    package let kind: Kind
    package let tolerance: Double
    package var mostRuns = 60
    /// Whether it goes on after a name, for a second step.
    package var findsAll = false
    /// Whether the times of other pages show how much a run differs as a whole.
    package var usesOtherPages = true
    /// How many runs longer an attempt takes at a commit that isn't built yet.
    package var buildCost = 0.0
    package private(set) var attempts: [Attempt] = []
    package private(set) var found: [Found] = []
    package private(set) var posterior: StepPosterior?
    package private(set) var step: Step
    /// The positions that can't be measured.
    package private(set) var unmeasurable: Set<Int> = []
    /// How much the good commit is worse than its stored runs, in logarithms; these then don't count.
    package private(set) var alreadySlower: Double?
    package private(set) var range: ClosedRange<Int>
    let stored: [(position: Int, run: Run)]
    private(set) var fresh: [(position: Int, run: Run)] = []
    private var counts: [Int: Int] = [:]
    private var skips: [Int: Int] = [:]
    private var streak: [Int] = []
    private var ranges: [ClosedRange<Int>] = []
    private(set) var pending: [Int]
    private var stage = Stage.ends
    private(set) var candidate: ClosedRange<Int>?
    private(set) var pairs = 0
    private(set) var isChecking = false
    /// Whether five pairs didn't confirm a commit: more runs wouldn't help.
    package private(set) var isUnconfirmed = false
    /// Whether the limit of runs ended the search, or a part of it.
    package private(set) var isCut = false
    private static let sure = 0.9, named = 0.95, least = 0.45, nothing = 0.95, doubtful = 0.3
    static let mostSkips = 3, pairsToConfirm = 2, mostPairs = 5, leastScore = 1.5, runsForLevels = 3

    package init(_ prior: StepPrior, _ kind: Kind, tolerance: Double, stored: [(position: Int, run: Run)] = []) {
        (self.prior, self.kind, self.tolerance, self.stored) = (prior, kind, tolerance, stored)
        range = 0...prior.commits
        let last = prior.commits
        pending = kind.isOfTimes ? [last, 0] : [last, 0, 0, last]
        step = .measure(last, .ends)
    }

    package mutating func add(_ attempt: Attempt) {
        attempts.append(attempt)
        switch attempt {
        case .measured(let position, let run):
            fresh.append((position, run))
            counts[position, default: 0] += 1
            streak = []
            if pending.first == position { pending.removeFirst() }
        case .skipped(let position, let isFinal):
            skips[position, default: 0] += isFinal ? Self.mostSkips : 1
            streak.append(position)
        case .resumed:
            for position in streak { skips[position] = nil }
            streak = []
        }
        unmeasurable = Set(
            skips.filter { position, count in
                let isEnd = [0, prior.commits].contains(position)
                return counts[position] == nil && count >= (isEnd ? Self.mostSkips : Self.mostSkips - 1)
            }.keys)
        if pending.contains(where: unmeasurable.contains) { (pending, candidate) = ([], nil) }
        step = decide()
    }

    package var measuredRuns: Int { fresh.count }
    /// The runs so far, usable or not.
    package var runsTaken: Int { attempts.count { $0 != .resumed } }
    package func runs(at position: Int) -> Int { counts[position] ?? 0 }

    var excluded: Set<Int> { Set(unmeasurable.map { $0 - range.lowerBound }) }

    private mutating func decide() -> Step {
        let last = streak.suffix(Self.mostSkips)
        let isFailing = last.count == Self.mostSkips && last.allSatisfy { runs(at: $0) > 0 }
        if isFailing || Set(streak).count >= Self.mostSkips { return .end(.failing) }
        if let end = [prior.commits, 0].first(where: unmeasurable.contains) { return .end(.unmeasurable(end)) }
        let isAtLimit = runsTaken >= mostRuns
        if let position = pending.first, !isAtLimit { return .measure(position, stage) }
        if let end = [prior.commits, 0].first(where: { runs(at: $0) == 0 }) {
            return isAtLimit ? .end(.undecided) : measure([end], .ends)
        }
        if isChecking { return afterName(isAtLimit) }
        if let step = checkStored() {
            if isAtLimit, case .measure = step { return .end(.undecided) }
            return step
        }
        let posterior = currentPosterior()
        self.posterior = posterior
        let sides = [range.upperBound, range.lowerBound]
        if posterior.probabilities[0] >= Self.nothing {
            guard let end = sides.first(where: { runs(at: $0) < 2 }) else { return ended(.nothing) }
            return isAtLimit ? ended(.undecided) : measure([end], .ends)
        }
        let named = neighbours(of: range.lowerBound + posterior.likeliest)
        let mass = posterior.mass(of: (named.lowerBound + 1 - range.lowerBound)...(named.upperBound - range.lowerBound))
        if candidate != named || mass < Self.least { candidate = nil }
        if candidate == nil, mass >= Self.sure { (candidate, pairs) = (named, 0) }
        if let candidate, pairs >= Self.pairsToConfirm, pending.isEmpty {
            if mass >= Self.named, isConfirmed(candidate) {
                found.append(foundStep(candidate, mass))
                isChecking = true
                return afterName(isAtLimit)
            }
            isUnconfirmed = pairs >= Self.mostPairs
            if isUnconfirmed { return ended(.undecided) }
        }
        guard !isAtLimit else { return ended(.undecided) }
        if let candidate {
            pairs += 1
            let turn = [candidate.lowerBound, candidate.upperBound]
            return measure(pairs % 2 == 1 ? turn : turn.reversed(), .confirm)
        }
        guard let position = choose(posterior) else { return ended(.undecided) }
        return measure([position], .search)
    }

    /// Measures these positions next. After failures at two commits a measured one first shows if the command works.
    private mutating func measure(_ positions: [Int], _ stage: Stage) -> Step {
        let isDoubtful = Set(streak).count > 1 && runs(at: positions[0]) == 0
        pending = (isDoubtful ? [range.upperBound] : []) + positions
        self.stage = stage
        return .measure(pending[0], stage)
    }

    private func choose(_ posterior: StepPosterior) -> Int? {
        // Counts say little each: first the ends must differ, or the place of a step would be sought before the step.
        if !kind.isOfTimes, posterior.probabilities[0] > Self.doubtful {
            return runs(at: range.lowerBound) <= runs(at: range.upperBound) ? range.lowerBound : range.upperBound
        }
        let (start, cost) = (range.lowerBound, buildCost)
        return posterior.next(without: excluded) { runs(at: $0 + start) > 0 ? 1 : 1 + cost }.map { $0 + start }
    }

    /// The nearest measurable commits around a step before a commit.
    private func neighbours(of commit: Int) -> ClosedRange<Int> {
        var (low, high) = (commit - 1, commit)
        while low > range.lowerBound, unmeasurable.contains(low) { low -= 1 }
        while high < range.upperBound, unmeasurable.contains(high) { high += 1 }
        return low...high
    }

    private func isConfirmed(_ candidate: ClosedRange<Int>) -> Bool {
        guard kind.isOfTimes else { return true }
        guard let (change, error) = difference(candidate.lowerBound, candidate.upperBound) else { return false }
        return change >= Self.leastScore * error
    }

    /// Ends the current range: the next one of a second step, or the whole search.
    private mutating func ended(_ end: End) -> Step {
        candidate = nil
        if end == .undecided, !isUnconfirmed { isCut = true }
        guard let next = ranges.first else { return .end(found.isEmpty ? end : .named) }
        ranges.removeFirst()
        range = next
        return decide()
    }

    /// After a name: the levels of the range's ends, which show whether other commits changed it too.
    private mutating func afterName(_ isAtLimit: Bool) -> Step {
        let (index, step) = (found.count - 1, found[found.count - 1])
        let ends = kind.isOfTimes ? [range.lowerBound, range.upperBound] : []
        let end = ends.first { runs(at: $0) < Self.runsForLevels }
        if let end, !isAtLimit { return measure([end], .levels) }
        isChecking = false
        guard kind.isOfTimes else { return ended(.named) }
        guard end == nil else {
            difference(step.good, step.bad).map { found[index].take($0) }
            return ended(.named)
        }
        let posterior = currentPosterior()
        self.posterior = posterior
        let start = range.lowerBound
        guard posterior.mass(of: (step.good + 1 - start)...(step.bad - start)) >= Self.sure else {
            found.removeLast()
            candidate = nil
            return isAtLimit ? ended(.undecided) : decide()
        }
        let parts = [(range.lowerBound, step.good), (step.bad, range.upperBound)].map { low, high in
            low == high ? (change: 0.0, error: 0.0) : difference(low, high) ?? (0, 0)
        }
        let half = log(1 + tolerance / 2)
        let rest = parts[0].change + parts[1].change
        let error = (parts[0].error * parts[0].error + parts[1].error * parts[1].error).squareRoot()
        if rest > max(half, 2 * error) { found[index].other = expm1(rest) }
        if -parts[1].change >= max(half, 2 * parts[1].error) { found[index].reverted = expm1(parts[1].change) }
        if found[index].other != nil || found[index].reverted != nil {
            difference(step.good, step.bad).map { found[index].take($0) }
        }
        if findsAll {
            let halves = [range.lowerBound...step.good, step.bad...range.upperBound]
            ranges += zip(halves, parts).filter { !$0.0.isEmpty && $0.0.count > 1 && $0.1.change >= half }.map(\.0)
        }
        return ended(.named)
    }

    /// What to do about a good commit that is slower than its stored runs; `nil`: go on.
    private mutating func checkStored() -> Step? {
        guard kind.isOfTimes, found.isEmpty else { return nil }
        alreadySlower = nil
        let values = values()
        let old = values.filter { $0.position == 0 && $0.isStored }.map(\.value)
        let new = values.filter { $0.position == 0 && !$0.isStored }.map(\.value)
        guard !old.isEmpty else { return nil }
        let (before, now) = (old.mean, new.mean)
        let bad = values.filter { $0.position == prior.commits }.map(\.value).mean
        guard now - before > log(1 + tolerance) else { return nil }
        for end in [0, prior.commits] where runs(at: end) < 2 { return measure([end], .ends) }
        let error = prior.deviation * (1 / Double(old.count) + 1 / Double(new.count)).squareRoot()
        guard now - before > 2 * error else { return nil }
        if bad - now < log(1 + tolerance / 2) { return .end(.outside(now - before)) }
        alreadySlower = now - before
        return nil
    }
}
