import PagePerformance
import PerfgateCompare
import PerfgateModel

/// What the scores of all pages come to, each counted by its traffic; shown, never a verdict.
struct TrafficNote {
    /// The finished comparisons.
    let comparisons: [ComparisonResult]
    /// How often each page is visited; empty: nothing is said.
    let traffic: [Page: Double]

    /// One sentence an environment that has a score, in the order of the environments.
    var sentences: [String] {
        guard !traffic.isEmpty else { return [] }
        let scores = Dictionary(
            grouping: comparisons.filter { $0.metric.id == PageScoring.metric.id }, by: \.environment)
        return scores.sorted { $0.key < $1.key }.map { environment, results in
            sentence(environment, results, isAlone: scores.count == 1)
        }
    }

    private func sentence(_ environment: Environment, _ results: [ComparisonResult], isAlone: Bool) -> String {
        let place = isAlone ? "" : " in \(environment)"
        guard let now = mean(of: results, \.candidate) else {
            return "The score of all pages by traffic\(place) is incomplete: \(missing(in: results))."
        }
        let before = mean(of: results, \.baseline).map { ", before \(Figure.text($0))" } ?? ""
        return "The score of all pages by traffic\(place) is \(Figure.text(now))\(before)."
    }

    /// The mean of one side; `nil` where a page with traffic has no score, or one with a score no known traffic.
    private func mean(
        of results: [ComparisonResult], _ side: (ComparisonResult) -> ComparisonResult.Side?
    ) -> Double? {
        var scores = TrafficWeightedScore()
        let known = Dictionary(results.map { ($0.page, side($0)?.center) }) { first, _ in first }
        for page in Set(known.keys).union(traffic.keys) {
            scores.add(score: known[page] ?? nil, traffic: traffic[page] ?? -1)
        }
        return scores.mean
    }

    /// The first page that makes the mean incomplete.
    private func missing(in results: [ComparisonResult]) -> String {
        let scored = Set(results.filter { $0.candidate?.center != nil }.map(\.page))
        let visited = Set(traffic.filter { $0.value > 0 }.keys)
        if let page = visited.subtracting(scored).min() { return "\(page) has none" }
        return scored.subtracting(traffic.keys).min().map { "nobody says how often \($0) is visited" }
            ?? "no page is visited"
    }
}
