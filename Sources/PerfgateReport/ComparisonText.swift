import PerfgateCompare
import PerfgateModel

/// The numbers of a comparison as text for tables, the same in Markdown and HTML.
struct ComparisonText {
    let result: CellResult

    init(_ result: CellResult) { self.result = result }

    /// The centres of baseline and candidate: `512.9 → 700.2 ms`.
    var values: String {
        switch (result.baseline?.center, result.candidate?.center) {
        case (let baseline?, let candidate?): "\(Figure.text(baseline)) → \(number(candidate))"
        case (let baseline?, nil): "\(number(baseline)) → \(candidate)"
        case (nil, _): candidate
        }
    }

    /// The baseline's centre; a dash if there is none.
    var baseline: String { result.baseline?.center.map(number) ?? "–" }

    /// The candidate's centre, or why there is none.
    var candidate: String {
        if let center = result.candidate?.center { return number(center) }
        return result.candidate == nil && result.releases == nil ? "not measured" : "no events"
    }

    /// The difference of the centres, which is compared with the tolerance: `+187.3`; a dash without a comparison.
    var change: String { result.numbers.map { signed($0.delta) } ?? "–" }

    /// The difference with its percentage: `+242.4 (+42.7 %)`; a dash without a comparison. Small unchanged counts
    /// have no percentage.
    var changeWithShare: String {
        guard let numbers = result.numbers, numbers.delta != 0, let share = result.relativeChange,
            result.metric.isTime || result.verdict != .passed
        else { return change }
        return "\(change) (\(Figure.percentage(share)))"
    }

    /// The shift with its own interval: `+185 ms, 95 % interval +150.1 to +220.9`; `nil` without a comparison.
    var shift: String? {
        guard let numbers = result.numbers else { return nil }
        let shift = Figure.withUnit(signed(numbers.shift), result.metric.unit.symbol)
        return shift + (numbers.interval.map { ", 95 % interval \($0.map(signed).joined(separator: " to "))" } ?? "")
    }

    /// The limit with its direction: `≤ 1200 ms`, `every sample ≥ 50 fps`; a dash if there is none.
    var limit: String {
        guard let limit = result.limit else { return "–" }
        let bound = (result.metric.better == .lower ? "≤ " : "≥ ") + number(limit.value)
        return limit.subject == .any ? "every sample " + bound : bound
    }

    /// The limit, with the judged sample if the centre would mislead because only one of both keeps the limit: `≤ 1100
    /// ms (lower median 1000 ms)`.
    var judgedLimit: String { limit + (judged.map { " (\($0))" } ?? "") }

    private var judged: String? {
        guard let step = result.limitStep, let subject = step.subject, let value = step.value, let bound = step.bound,
            let center = result.candidate?.center
        else { return nil }
        let isCenterOver = result.metric.better == .lower ? center > bound : center < bound
        return isCenterOver == result.isOverLimit ? nil : "\(subject.words) \(number(value))"
    }

    /// A signed difference in the metric's unit, without the unit.
    func signed(_ difference: Double) -> String { Figure.signed(difference, result.resolution) }

    /// The verdict's word with a mark, so it doesn't depend on colour.
    var verdict: String { result.isGated ? gatedVerdict : gatedVerdict + " (not gated)" }

    private var gatedVerdict: String {
        switch result.verdict {
        case .regressed: "▲ worse"
        case .overLimit: "▲ worse: over its limit"
        case .missing: "○ not measured"
        case .inconclusive: "? can't tell"
        case .noBaseline: "? can't tell: no baseline"
        case .waived: "△ waived"
        case .improved: "▼ improved"
        case .passed: "✓ passed"
        }
    }

    /// A value in the metric's unit.
    func number(_ value: Double) -> String {
        Figure.text(value, result.metric.unit.symbol)
    }
}

/// The gated changes that passed because the noise of runs explains them, in one sentence.
struct NoiseSentence {
    private let results: [CellResult]

    init(_ report: GateReport) {
        results = report.comparisons.filter { $0.isGated && $0.detail == .withinNoise }
    }

    /// The sentence, which names the largest ones; `nil` without any.
    var text: String? {
        guard !results.isEmpty else { return nil }
        let names = results.prefix(Self.mostNames).map { result in
            "\(CleanText.line(result.page.name, most: 60)) \(CleanText.line(result.metric.id, most: 60)) "
                + ComparisonText(result).values
        }
        let left = results.count - names.count
        return "\(Figure.count(results.count, "change")) within the noise of runs: \(names.joined(separator: "; "))"
            + (left > 0 ? "; and \(left) more" : "")
    }

    private static let mostNames = 3
}

extension CellResult.Side {
    /// The quantiles of a side without samples: `0 %: 480, 5 %: 490`.
    var quantileText: String {
        zip(Self.quantileProbabilities, quantiles ?? [])
            .map { "\(Figure.text($0 * 100)) %: \(Figure.text($1))" }.joined(separator: ", ")
    }
}

/// The sentences about runs, environments and inputs in Markdown and HTML.
struct ReportSentences {
    let report: GateReport
    /// Whether file paths are left out, because they reveal facts about the machine.
    var isPublic = false

    /// The environments and runs: one sentence each.
    var environments: [String] { report.environments.map(environment) + report.runs.map(run) }

    var faults: [String] {
        report.faultyInputs.map { fault in
            let run = fault.run.map { ", run \($0)" } ?? ""
            return "\(isPublic ? fault.publicPath : fault.path)\(run): \(fault.message)"
        }
    }

    /// The diagnostics with place and code; equal ones without places are counted.
    var diagnostics: [String] {
        let all = report.diagnostics.map { diagnostic in
            let place = isPublic ? "" : diagnostic.location.map { "\($0): " } ?? ""
            return "\(place)\(diagnostic.severity.rawValue): \(diagnostic.message) (\(diagnostic.code.rawValue))"
        }
        guard isPublic else { return all }
        let counts = Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +)
        var seen: Set<String> = []
        return all.filter { seen.insert($0).inserted }.map { text in
            counts[text].map { $0 > 1 ? "\($0) × \(text)" : text } ?? text
        }
    }

    /// The traffic of two releases, as a sentence without its end.
    static func about(_ traffic: ReleaseTraffic) -> String {
        let shared = traffic.shared
        let span = [shared.first, shared.last].compactMap { $0?.day }
        let days = span.isEmpty ? "" : " (\(Set(span).sorted().joined(separator: " to ")))"
        return "\(traffic.candidate) against \(traffic.base) on \(Figure.count(shared.count, "shared day"))\(days), "
            + "\(Figure.count(traffic.events.candidate, "event")) against \(traffic.events.base), "
            + "\(Figure.text((traffic.overlap * 100).rounded())) % overlap"
    }

    private func environment(_ summary: EnvironmentSummary) -> String {
        if let traffic = summary.releases {
            let app = summary.environment.fields.first?.text ?? ""
            return "\(app): \(Self.about(traffic)); \(Figure.count(summary.gatedCells, "gated comparison"))"
        }
        guard let newest = summary.baselineRuns.last else { return "\(summary.environment): no baseline" }
        let details = [newest.commit.map { "commit \($0)" }, newest.startedAt].compactMap(\.self)
        let runs = Figure.count(summary.baselineRuns.count, "run")
        return "\(summary.environment): baseline of \(runs), the newest \(newest.id)"
            + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
            + "; \(Figure.count(summary.gatedCells, "gated comparison"))"
    }

    private func run(_ run: Run) -> String {
        let commit = run.commit.map { ", commit \($0)" } ?? ""
        return "run \(run.id): \(Figure.count(run.sampleCount, "sample"))\(commit)"
            + (run.isComplete ? "" : ", bad data")
    }
}
