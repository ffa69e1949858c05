import PagePerformance
import PerfgateCompare
import PerfgateField
import PerfgateModel
import PerfgateStats

package struct PageScoring: Sendable, Hashable {
    /// The metrics with their weights and curves; scores of other versions aren't comparable.
    package var formula = ScoreFormula.standard
    /// A candidate formula shown beside it for field data; its scores are never compared with others; `nil`: none.
    package var candidate: ScoreFormula?
    /// The visits of each page, in any common unit; empty: unknown.
    package var traffic: [Page: Double] = [:]

    package var formulas: [ScoreFormula] { [formula] + [candidate].compactMap(\.self) }
}

extension Measurements {
    /// Adds each page's score in the runs with every metric of the formula: the weights of others aren't rescaled.
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
            result.cells[place.cell(Metric.pageScore.id)] = CellMeasurement(
                metric: .pageScore, formula: formula.version, runs: runs,
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
        let scored = comparisons.filter { $0.metric.id == Metric.pageScore.id }
        let scores = Dictionary(grouping: scored, by: \.environment)
        return scores.sorted { $0.key < $1.key }.map { environment, results in
            let subject = "The score of all pages by traffic\(scores.count == 1 ? "" : " in \(environment)")"
            guard let now = mean(of: results, \.candidate)
            else { return "\(subject) is incomplete: \(missing(in: results))." }
            let before = mean(of: results, \.baseline).map { ", before \(Figure.text($0))" } ?? ""
            return "\(subject) is \(Figure.text(now))\(before)."
        }
    }

    /// The mean of one side; `nil` if a page with traffic has no score, or a page with a score has no known traffic.
    private func mean(of results: [CellResult], _ side: (CellResult) -> CellResult.Side?) -> Double? {
        var scores = TrafficWeightedScore()
        let known = Dictionary(results.map { ($0.page, side($0)?.center) }) { first, _ in first }
        for page in Set(known.keys).union(traffic.keys) {
            scores.add(score: known[page] ?? nil, traffic: traffic[page] ?? -1)
        }
        return scores.mean
    }

    private func missing(in results: [CellResult]) -> String {
        let scored = Set(results.filter { $0.candidate?.center != nil }.map(\.page))
        let visited = Set(traffic.filter { $0.value > 0 }.keys)
        if let page = visited.subtracting(scored).min() { return "\(page) has none" }
        return scored.subtracting(traffic.keys).min().map { "it doesn't say how often \($0) is visited" }
            ?? "no page is visited"
    }
}

/// The scores of releases' pages in the field, from rows of T: of several days together, or of one day for a graph. The
/// formula and its code are the same as for runs. It takes the mean of each metric with values capped; here the mean is
/// computed from sums of quanta minus the excess of buckets beyond the cap.
package struct FieldScores: Sendable {
    /// The formulas; the one in use is first.
    package let formulas: [ScoreFormula]
    private var sums: [Key: [Sum]] = [:]

    private struct Key: Hashable { let app: String, release: String, page: String }

    private struct Sum {
        var events = 0
        /// In quanta, with values capped.
        var total = 0.0
    }

    private let components: [ScoreComponent]

    package init(_ formulas: [ScoreFormula]) {
        self.formulas = formulas
        components = formulas.flatMap(\.components)
    }

    /// Adds a row; strata of a metric, and days, may come separately and in any order.
    package mutating func add(_ row: FieldRow) {
        for (index, component) in components.enumerated() where component.metric.rawValue == row.metric {
            let key = Key(app: row.app, release: row.release, page: row.page)
            sums[key, default: Array(repeating: Sum(), count: components.count)][index].events += row.events
            sums[key]?[index].total += component.cappedSum(row)
        }
    }

    mutating func add(_ others: FieldScores) {
        sums.merge(others.sums) { own, more in
            zip(own, more).map { Sum(events: $0.events + $1.events, total: $0.total + $1.total) }
        }
    }

    /// The score of each page of a release by one of the formulas, with the number of visits behind it.
    package func pages(
        of release: String, app: String, by formula: ScoreFormula
    ) -> [Page: (score: PageScore, visits: Int)] {
        let start = formulas.prefix { $0 != formula }.reduce(0) { $0 + $1.components.count }
        var pages: [Page: (score: PageScore, visits: Int)] = [:]
        for (key, sums) in sums where key.release == release && key.app == app {
            let own = zip(formula.components, sums[start..<(start + formula.components.count)])
            let score = formula.score { component in
                own.first { $0.0 == component && $0.1.events > 0 }.map { $0.1.total / Double($0.1.events) / 1_000 }
            }
            pages[Page(key.page)] = (score, own.map(\.1.events).max() ?? 0)
        }
        return pages
    }

    /// The scores of two releases: each page, and the mean of pages with a score in both, weighted by their visits.
    func compared(_ pair: FieldPair, app: String) -> [ReleaseTraffic.Scores] {
        formulas.enumerated().map { index, formula in
            let old = pages(of: pair.base, app: app, by: formula)
            let new = pages(of: pair.candidate, app: app, by: formula)
            let pages = Set(old.keys).union(new.keys).map { page in
                ReleaseTraffic.Scores.PageScores(
                    page: page, visits: (old[page]?.visits ?? 0) + (new[page]?.visits ?? 0),
                    base: old[page]?.score.value, candidate: new[page]?.score.value)
            }.sorted { ($1.visits, $0.page) < ($0.visits, $1.page) }
            let scored = pages.filter { $0.base != nil && $0.candidate != nil }
            let visits = pages.reduce(0) { $0 + $1.visits }
            return ReleaseTraffic.Scores(
                formula: formula.version, isCandidate: index > 0, base: Self.mean(scored, \.base),
                candidate: Self.mean(scored, \.candidate),
                share: visits > 0 ? Double(scored.reduce(0) { $0 + $1.visits }) / Double(visits) : 0, pages: pages)
        }
    }

    private static func mean(
        _ pages: [ReleaseTraffic.Scores.PageScores], _ score: (ReleaseTraffic.Scores.PageScores) -> Double?
    ) -> Double? {
        var all = TrafficWeightedScore()
        for page in pages { all.add(score: score(page), traffic: Double(page.visits)) }
        return all.mean
    }
}

extension ScoreComponent {
    /// The sum of a row's values in quanta, capped: a bucket's midpoint, within 1/128 of its values, stands for each.
    fileprivate func cappedSum(_ row: FieldRow) -> Double {
        guard let cap = cap.map({ $0 * 1_000 }) else { return Double(row.quanta) }
        let middles = row.buckets.reversed().lazy.map {
            (middle: QuantumBucket(index: $0.index)?.middle, count: $0.count)
        }
        let beyond = middles.prefix { $0.middle.map { $0 > cap } ?? false }.reduce(0) { sum, bucket in
            sum + Double(bucket.count) * ((bucket.middle ?? cap) - cap)
        }
        return max(0, Double(row.quanta) - beyond)
    }
}

extension ReleaseTraffic.Scores {
    /// The mean scores of both releases, as a sentence; informational, never a verdict.
    func sentence(_ traffic: ReleaseTraffic) -> String {
        let name = isCandidate ? "By the candidate formula \(formula), the" : "The"
        guard let base, let candidate else {
            return "\(name) score of all pages by formula \(formula) is incomplete: no page has every metric in both "
                + "releases."
        }
        let kept = isCandidate ? "" : " by formula \(formula)"
        let part = share < 1 ? ", of pages with \(Figure.text((share * 1_000).rounded() / 10)) % of the visits" : ""
        return "\(name) score of all pages\(kept), weighted by visits, is \(Figure.text(candidate)) "
            + "(\(ScoreBand(score: candidate).rawValue)) in \(traffic.candidate), and \(Figure.text(base)) in "
            + "\(traffic.base)\(part)."
    }
}
