import PerfgateCompare
import PerfgateModel

/// The numbers of a comparison in the words of a table, the same in Markdown and HTML.
struct ComparisonText {
    /// The comparison.
    let result: CellResult

    /// Makes the words of a comparison.
    init(_ result: CellResult) {
        self.result = result
    }

    /// From the baseline's centre to the candidate's: `512.9 → 700.2 ms`.
    var values: String {
        switch (result.baseline?.center, result.candidate?.center) {
        case (let baseline?, let candidate?): "\(Figure.text(baseline)) → \(number(candidate))"
        case (let baseline?, nil): "\(number(baseline)) → \(candidate)"
        case (nil, _): candidate
        }
    }

    /// The baseline's centre; a dash where there is none.
    var baseline: String { result.baseline?.center.map(number) ?? "–" }

    /// The candidate's centre, or why there is none.
    var candidate: String {
        if let center = result.candidate?.center { return number(center) }
        return result.candidate == nil && result.releases == nil ? "not measured" : "no events"
    }

    /// The difference of the centres, which the tolerance is held against: `+187.3`; a dash without a comparison.
    var change: String { result.numbers.map { signed($0.delta) } ?? "–" }

    /// The difference with its share of the baseline: `+242.4 (+42.7 %)`; a dash without a comparison. Of small counts that
    /// didn't change a share says nothing.
    var changeWithShare: String {
        guard let numbers = result.numbers, numbers.delta != 0, let share = result.relativeChange,
            result.metric.isTime || result.verdict != .passed
        else { return change }
        return "\(change) (\(Figure.percentage(share)))"
    }

    /// The shift with its interval, which is not the change's: `+185 ms, 95 % interval +150.1 to +220.9`; `nil` without a
    /// comparison.
    var shift: String? {
        guard let numbers = result.numbers else { return nil }
        let shift = Figure.withUnit(signed(numbers.shift), result.metric.unit.symbol)
        return shift + (numbers.interval.map { ", 95 % interval \($0.map(signed).joined(separator: " to "))" } ?? "")
    }

    /// The limit with its direction: `≤ 1200 ms`, `every sample ≥ 50 fps`; a dash where there is none.
    var limit: String {
        guard let limit = result.limit else { return "–" }
        let bound = (result.metric.better == .lower ? "≤ " : "≥ ") + number(limit.value)
        return limit.subject == .any ? "every sample " + bound : bound
    }

    /// The limit, and the sample that it judged where the centre beside it would mislead, because only one of the two
    /// keeps the limit: `≤ 1100 ms (lower median 1000 ms)`.
    var judgedLimit: String { limit + (judged.map { " (\($0))" } ?? "") }

    private var judged: String? {
        guard let step = result.limitStep, let subject = step.subject, let value = step.value, let bound = step.bound,
            let center = result.candidate?.center
        else { return nil }
        let isCenterOver = result.metric.better == .lower ? center > bound : center < bound
        return isCenterOver == result.isOverLimit ? nil : "\(subject.words) \(number(value))"
    }

    /// A difference in the metric's unit, without the unit.
    func signed(_ difference: Double) -> String { Figure.signed(difference, result.resolution) }

    /// The verdict's word with a mark, so that it is told by more than a colour.
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

extension CellResult.Side {
    /// The quantiles of a side whose samples are left out: `0 %: 480, 5 %: 490`.
    var quantileText: String {
        zip(Self.quantileProbabilities, quantiles ?? [])
            .map { "\(Figure.text($0 * 100)) %: \(Figure.text($1))" }.joined(separator: ", ")
    }
}

/// The sentences about runs, environments and inputs that Markdown and HTML share.
struct ReportSentences {
    /// The report.
    let report: GateReport
    /// Whether the paths of files are left out, which say something of the machine that ran.
    var isPublic = false

    /// Where it was measured: a sentence an environment, then one a run.
    var environments: [String] { report.environments.map(environment) + report.runs.map(run) }

    /// The inputs that could not be used.
    var faults: [String] {
        report.faultyInputs.map { fault in
            let run = fault.run.map { ", run \($0)" } ?? ""
            return "\(isPublic ? fault.publicPath : fault.path)\(run): \(fault.message)"
        }
    }

    /// The diagnostics, each with its place and code; without places equal ones are counted.
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

    /// How much two releases were used, a sentence without its end.
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
