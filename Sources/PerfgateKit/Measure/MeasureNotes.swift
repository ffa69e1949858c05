import PerfgateCompare
import PerfgateModel

/// What base against head measured, what green means for it, and what it leaves open, in sentences for a report.
struct MeasureNotes {
    let state: MeasureState
    let comparisons: [CellResult]

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
        let rest =
            saved >= 60
            ? "; \(Figure.count(state.mostPairs, "pair")) of all pages would have taken \(Self.minutes(saved)) more"
            : ""
        return "\(Figure.count(pairs, "pair")) of runs took \(Self.minutes(state.seconds)) of device time\(rest)."
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
        let times = longTimes.compactMap { result in
            result.numbers?.sequence?.detectable.map { (result: result, change: $0) }
        }.sorted { ($1.change, $0.result) < ($0.change, $1.result) }
        guard let least = times.last, let most = times.first else { return nil }
        func percent(_ change: Double) -> String { "\(Figure.text((100 * change).rounded()))" }
        let named = times.prefix(Self.mostNamed).map {
            "\($0.result.page) \($0.result.metric.id) \(percent($0.change)) %"
        }
        let range =
            percent(least.change) == percent(most.change)
            ? "\(percent(most.change)) %" : "\(percent(least.change)) to \(percent(most.change)) %"
        return "A slowdown of \(range) would be found with a probability of .9, depending on the time; the least sure: "
            + "\(named.joined(separator: ", ")). A slowdown of half of that is usually called the same."
    }

    private var undecided: String? {
        let open = gated.filter { $0.rule.last?.found == .undecided }
        guard !open.isEmpty else { return nil }
        let named = open.prefix(Self.mostNamed).map { result in
            let more = result.numbers?.sequence?.pairsNeeded.map { " (about \(Figure.count($0, "more pair")))" } ?? ""
            return "\(result.page) \(result.metric.id)\(more)"
        }
        let others = open.count > named.count ? ", …" : ""
        let more = open.compactMap { $0.numbers?.sequence?.pairsNeeded }.max()
        let remedy =
            more.map { " `perfgate measure … --resume --pairs \(state.finishedPairs.count + $0)` goes on." } ?? ""
        return
            "\(Figure.count(open.count, "comparison")) can't be told: \(named.joined(separator: ", "))\(others).\(remedy)"
    }

    /// The runs and pairs that don't count.
    private var losses: String? {
        let failures = MeasuredSide.allCases.map { side in (side, state.failures(of: side).count) }.filter { $0.1 > 0 }
        let parts =
            failures.map { "\(Figure.count($0.1, "run")) of \($0.0.rawValue) failed" }
            + (state.dropped.isEmpty
                ? [] : ["\(Figure.count(state.dropped.count, "pair")) differed in power or heat"])
        return parts.isEmpty ? nil : "Not counted: \(parts.joined(separator: ", "))."
    }
}
