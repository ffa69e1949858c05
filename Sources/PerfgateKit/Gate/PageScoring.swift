import PagePerformance
import PerfgateCompare
import PerfgateModel

/// How pages are scored and weighted.
package struct PageScoring: Sendable, Hashable {
    /// The metrics with their weights and curves; scores of other versions aren't comparable.
    package var formula: ScoreFormula
    /// A candidate formula shown beside it for field data; its scores are never compared with others; `nil`: none.
    package var candidate: ScoreFormula?
    /// The visits of each page, in any common unit; empty: unknown.
    package var traffic: [Page: Double]

    package init(
        formula: ScoreFormula = .standard, candidate: ScoreFormula? = nil, traffic: [Page: Double] = [:]
    ) {
        (self.formula, self.candidate, self.traffic) = (formula, candidate, traffic)
    }

    package var formulas: [ScoreFormula] { [formula] + (candidate.map { [$0] } ?? []) }

    static let metric = Metric.pageScore
}

extension Measurements {
    /// The measurements with the score of each page in each run that measured every metric of the formula.
    ///
    /// A run that lacks a metric has no score: the other weights aren't rescaled.
    package func scored(by scoring: PageScoring?) -> Measurements {
        guard let formula = scoring?.formula else { return self }
        let scored = cells.filter {
            PageMetric(rawValue: $0.key.metric) != nil && $0.value.metric.unit == .milliseconds
        }
        let places = Dictionary(grouping: scored, by: \.key.place)
        var result = self
        for (place, cells) in places {
            let runs = Self.scores(of: cells.map(\.value), by: formula)
            guard !runs.isEmpty else { continue }
            let cell = Cell(page: place.page, metric: PageScoring.metric.id, environment: place.environment)
            result.cells[cell] = CellMeasurement(
                metric: PageScoring.metric, formula: formula.version, runs: runs,
                iterations: Dictionary(runs.map { ($0.run, [0]) }) { first, _ in first })
        }
        return result
    }

    /// A page's score in each run that has one, sorted by run identifier.
    private static func scores(of measurements: [CellMeasurement], by formula: ScoreFormula) -> [RunSamples] {
        var samples: [String: [PageMetric: [Double]]] = [:]
        for measurement in measurements {
            guard let metric = PageMetric(rawValue: measurement.metric.id) else { continue }
            for run in measurement.runs { samples[run.run, default: [:]][metric] = Array(run.values) }
        }
        return samples.sorted { $0.key.precedesInUTF8($1.key) }.compactMap { run, samples in
            formula.score(of: samples).value.map { RunSamples(run: run, samples: [Sample($0)]) }
        }
    }
}

/// The mean score of all pages, weighted by traffic; informational, never a verdict.
struct TrafficNote {
    let comparisons: [CellResult]
    /// The visits of each page; empty: no sentence.
    let traffic: [Page: Double]

    /// One sentence per environment with a score, in the order of the environments.
    var sentences: [String] {
        guard !traffic.isEmpty else { return [] }
        let scores = Dictionary(
            grouping: comparisons.filter { $0.metric.id == PageScoring.metric.id }, by: \.environment)
        return scores.sorted { $0.key < $1.key }.map { environment, results in
            sentence(environment, results, isAlone: scores.count == 1)
        }
    }

    private func sentence(_ environment: Environment, _ results: [CellResult], isAlone: Bool) -> String {
        let place = isAlone ? "" : " in \(environment)"
        guard let now = mean(of: results, \.candidate) else {
            return "The score of all pages by traffic\(place) is incomplete: \(missing(in: results))."
        }
        let before = mean(of: results, \.baseline).map { ", before \(Figure.text($0))" } ?? ""
        return "The score of all pages by traffic\(place) is \(Figure.text(now))\(before)."
    }

    /// The mean of one side; `nil` if a page with traffic has no score, or a page with a score has no known traffic.
    private func mean(
        of results: [CellResult], _ side: (CellResult) -> CellResult.Side?
    ) -> Double? {
        var scores = TrafficWeightedScore()
        let known = Dictionary(results.map { ($0.page, side($0)?.center) }) { first, _ in first }
        for page in Set(known.keys).union(traffic.keys) {
            scores.add(score: known[page] ?? nil, traffic: traffic[page] ?? -1)
        }
        return scores.mean
    }

    /// The first page that makes the mean incomplete.
    private func missing(in results: [CellResult]) -> String {
        let scored = Set(results.filter { $0.candidate?.center != nil }.map(\.page))
        let visited = Set(traffic.filter { $0.value > 0 }.keys)
        if let page = visited.subtracting(scored).min() { return "\(page) has none" }
        return scored.subtracting(traffic.keys).min().map { "it doesn't say how often \($0) is visited" }
            ?? "no page is visited"
    }
}
