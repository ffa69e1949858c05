import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// What a call of `perfgate measure` has done so far: everything that a later call needs to go on.
package struct MeasureState: Sendable, Codable, Hashable {
    static let schema = 1
    package static let usualPairs = PairSequence.Rule().mostPairs

    private(set) var schema = MeasureState.schema
    /// The commands of both sides, or their references in git.
    package var base: String, head: String
    /// The command that measures a commit; `nil`: each side has a command of its own.
    package var command: String?
    package var mostPairs: Int
    /// The iterations that runs are asked for; `nil`: the command's own number.
    package var iterations: Int?
    package var runs: [Run] = []
    /// The pairs that don't count because both runs' conditions differ, with the difference.
    package var dropped: [Int: String] = [:]

    package init(base: String, head: String, command: String? = nil, mostPairs: Int) {
        (self.base, self.head, self.command, self.mostPairs) = (base, head, command, mostPairs)
    }

    var isPlausible: Bool {
        2...1_000 ~= mostPairs && 1...1_000 ~= iterations ?? 1
            && runs.allSatisfy { 1...1_000 ~= $0.pair && 0...2 ~= $0.attempt && 0...1e7 ~= $0.seconds }
    }

    /// A finished call of a side's command.
    package struct Run: Sendable, Codable, Hashable {
        /// The pair, from 1.
        package var pair: Int
        package var side: MeasuredSide
        /// 1, or 2 for the repetition of a failed run; 0 for a failure before the measurement was resumed.
        package var attempt: Int
        /// Why it can't be used, as a clause; `nil`: it can.
        package var failure: String?
        package var seconds: Double
        /// The number of pages that it was asked for; `nil`: all.
        package var pages: Int?

        package init(pair: Int, side: MeasuredSide, attempt: Int, failure: String?, seconds: Double, pages: Int?) {
            (self.pair, self.side, self.attempt) = (pair, side, attempt)
            (self.failure, self.seconds, self.pages) = (failure, seconds, pages)
        }
    }

    package var rule: PairSequence.Rule {
        var rule = PairSequence.Rule()
        rule.mostPairs = mostPairs
        return rule
    }

    /// The pairs whose runs can both be used, including dropped ones.
    package var finishedPairs: [Int] {
        Set(runs.map(\.pair)).filter { finished(.base, in: $0) && finished(.head, in: $0) }.sorted()
    }

    package var countedPairs: [Int] { finishedPairs.filter { dropped[$0] == nil } }

    package var seconds: Double { runs.reduce(0) { $0 + $1.seconds } }

    package func failures(of side: MeasuredSide) -> [Run] { runs.filter { $0.side == side && $0.failure != nil } }

    /// The side whose run failed twice in a pair, with that pair; `nil`: none did.
    package var broken: (side: MeasuredSide, pair: Int)? {
        runs.first { $0.attempt == 2 && $0.failure != nil }.map { ($0.side, $0.pair) }
    }

    /// Tries a broken pair again, since somebody mended command or device; not a head that crashed beside a base.
    package mutating func retryBase() {
        guard let broken, crash == nil, next == nil else { return }
        for index in runs.indices where runs[index].pair == broken.pair && runs[index].failure != nil {
            runs[index].attempt = 0
        }
    }

    /// Why head can't pass without a failing comparison; `nil`: it can. A fifth of failed runs must not be green.
    package var crash: Crash? {
        let (head, base) = (failures(of: .head).count, failures(of: .base).count)
        let isTwice = broken.map { $0.side == .head && finished(.base, in: $0.pair) } ?? false
        return isTwice || head - 2 * base >= Self.mostFailures ? Crash(ofHead: head, ofBase: base) : nil
    }

    package struct Crash: Sendable, Hashable { package let ofHead: Int, ofBase: Int }

    /// The failures of head, beyond twice base's, that can't be green.
    private static let mostFailures = 3

    package func finished(_ side: MeasuredSide, in pair: Int) -> Bool {
        runs.contains { $0.side == side && $0.pair == pair && $0.failure == nil }
    }

    package struct Next: Sendable, Hashable { package let pair: Int, side: MeasuredSide, attempt: Int }

    /// The next run of the plan: pairs in Thue–Morse order (BH HB HB BH …), which cancels a linear drift after two and
    /// four pairs; a failed run is repeated once, at once. `nil` once the pairs are used up or a side failed twice.
    /// Base begins, so a slow first run counts against base, never against head. A failed head is known to have crashed
    /// only if base's run of the same pair passed.
    package var next: Next? {
        if let broken {
            let isBaseTried = runs.contains {
                $0.side == .base && $0.pair == broken.pair && ($0.failure == nil || $0.attempt == 2)
            }
            return broken.side == .head && !isBaseTried ? next(.base, in: broken.pair) : nil
        }
        let pair = max(1, runs.map(\.pair).max() ?? 1)
        let order: [MeasuredSide] = Self.beginsWithHead(pair) ? [.head, .base] : [.base, .head]
        for side in order where !finished(side, in: pair) { return next(side, in: pair) }
        guard pair < mostPairs else { return nil }
        return Next(pair: pair + 1, side: Self.beginsWithHead(pair + 1) ? .head : .base, attempt: 1)
    }

    private func next(_ side: MeasuredSide, in pair: Int) -> Next {
        let isFirst = !runs.contains { $0.side == side && $0.pair == pair && $0.attempt > 0 }
        return Next(pair: pair, side: side, attempt: isFirst ? 1 : 2)
    }

    static func beginsWithHead(_ pair: Int) -> Bool { (pair - 1).nonzeroBitCount % 2 == 1 }
}

/// What base against head measured, what green means for it, and what it leaves open, in sentences for a report.
struct MeasureNotes {
    let state: MeasureState, comparisons: [CellResult]

    private static let mostNamed = 5

    var sentences: [String] { [cost, found, undecided, losses].compactMap(\.self) }

    private var gated: [CellResult] { comparisons.filter { $0.isGated && $0.numbers?.sequence != nil } }

    /// The device time, and what the pages that were left out saved.
    private var cost: String? {
        let pairs = state.finishedPairs.count
        guard pairs > 0 else { return nil }
        let whole = state.runs.filter { $0.pages == nil && $0.failure == nil }.map(\.seconds)
        let all = 2 * Double(state.mostPairs) * whole.reduce(0, +) / Double(max(1, whole.count))
        let saved = all - state.seconds
        let more =
            "; \(Figure.count(state.mostPairs, "pair")) of all pages would have taken \(Self.minutes(saved)) more"
        return "\(Figure.count(pairs, "pair")) of runs took \(Self.minutes(state.seconds)) of device time"
            + (saved >= 60 ? more : "") + "."
    }

    private static func minutes(_ seconds: Double) -> String {
        seconds < 90
            ? Figure.count(Int(seconds.rounded()), "second") : Figure.count(Int((seconds / 60).rounded()), "minute")
    }

    /// The smallest changes of times that would have been found, the least sure ones named.
    private var found: String? {
        let longTimes = gated.filter {
            $0.metric.isTime && !$0.isOfAllPages && $0.verdict != .missing && Words($0).hasRelativeTolerance
        }
        let fewest = state.rule.fewestToAccuse
        // The figures are of all pairs. What ends the call before leaves something undecided.
        let isWhole = open.isEmpty || state.finishedPairs.count >= state.mostPairs
        let pairs = isWhole ? state.mostPairs : state.finishedPairs.count
        guard isWhole, pairs >= fewest else {
            return longTimes.isEmpty || pairs >= fewest
                ? nil
                : "\(Figure.count(pairs, "pair")) can't show that a time got worse: "
                    + (state.mostPairs < fewest ? "give --pairs \(fewest) or more." : "\(fewest) or more can.")
        }
        let times = longTimes.compactMap { result in
            result.numbers?.sequence?.detectable.map { (result: result, change: $0) }
        }.sorted { ($1.change, $0.result) < ($0.change, $1.result) }
        guard let least = times.last, let most = times.first else { return nil }
        func percent(_ change: Double) -> String { "\(Figure.text((100 * change).rounded()))" }
        let named = times.prefix(Self.mostNamed).map {
            "\($0.result.page) \($0.result.metric.id) \(percent($0.change)) %"
        }
        let (low, high) = (percent(least.change), percent(most.change))
        let range = low == high ? "\(high) %" : "\(low) to \(high) %"
        return "A slowdown of \(range) would be found with a probability of .9, depending on the time; the least sure: "
            + "\(named.joined(separator: ", ")). A slowdown of half of that is usually called the same."
    }

    private var open: [CellResult] { gated.filter { $0.rule.last?.found == .undecided } }

    private var undecided: String? {
        guard !open.isEmpty else { return nil }
        let named = open.prefix(Self.mostNamed).map { result in
            let more = result.numbers?.sequence?.pairsNeeded.map { " (about \(Figure.count($0, "more pair")))" } ?? ""
            return "\(result.page) \(result.metric.id)\(more)"
        }
        let others = open.count > named.count ? ", …" : ""
        // The call ended before its last pair: by a signal, or by --minutes.
        let isEarly = state.finishedPairs.count < state.mostPairs
        let remedy = open.compactMap { $0.numbers?.sequence?.pairsNeeded }.max().map {
            " `perfgate measure … --resume --pairs \(max(state.mostPairs, state.finishedPairs.count + $0))` goes on"
                + (isEarly ? ", with more --minutes if those ended it." : ".")
        }
        return "\(Figure.count(open.count, "comparison")) can't be told: \(named.joined(separator: ", "))\(others)."
            + (remedy ?? "")
    }

    private var losses: String? {
        let failures = MeasuredSide.allCases.compactMap { side -> String? in
            let runs = state.failures(of: side)
            guard let last = runs.last else { return nil }
            let why = last.failure.map { ", pair \(last.pair) since \($0)" } ?? ""
            return "\(Figure.count(runs.count, "run")) of \(side.rawValue) failed\(why)"
        }
        let dropped = state.dropped.count
        let parts = failures + (dropped == 0 ? [] : ["\(Figure.count(dropped, "pair")) differed in power or heat"])
        return parts.isEmpty ? nil : "Not counted: \(parts.joined(separator: ", "))."
    }
}
