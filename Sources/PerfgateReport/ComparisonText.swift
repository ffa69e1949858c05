import PerfgateCompare
import PerfgateModel

extension Verdict {
    /// The verdict's word in lists; what is excused or better says so.
    var label: String { self == .waived || self == .improved ? rawValue : word }
}

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

    var baseline: String { result.baseline?.center.map(number) ?? "–" }

    /// The candidate's centre, or why there is none.
    var candidate: String {
        if let center = result.candidate?.center { return number(center) }
        return result.candidate == nil && result.releases == nil ? "not measured" : "no events"
    }

    /// The difference of the centres, which is compared with the tolerance: `+187.3`; a dash without a comparison.
    var change: String { result.numbers.map { signed($0.delta) } ?? "–" }

    /// The difference as a percentage: `+43 %`; `nil` without a change, of a small base, and of a count that passed.
    var percent: String? {
        guard let delta = result.numbers?.delta, delta != 0, result.metric.isTime || result.verdict != .passed,
            let share = result.facts.readableShare(of: delta), abs(share) >= 0.0005
        else { return nil }
        // From a tenth on, decimals don't help the reader.
        return Figure.percentage(abs(share) < 0.1 ? share : (share * 100).rounded() / 100)
    }

    /// The difference as a percentage, or in the unit if the base is small: `+43 %`, `+2.88 frames`; else a dash.
    var share: String { percent ?? (result.numbers == nil ? "–" : Figure.withUnit(change, result.metric.unit.symbol)) }

    /// Both centres with the percentage, if it helps: `567.6 → 810 ms (+43 %)`.
    var valuesWithShare: String { percent.map { "\(values) (\($0))" } ?? values }

    /// A broken limit, and the value that breaks it if that isn't the centre: `limit ≤ 1 frame, broken by 4 frames`.
    var brokenLimit: String? {
        guard result.isOverLimit else { return nil }
        let value = result.judgedValue.map(number) ?? candidate
        return "limit \(limit)\(value == candidate ? "" : ", broken by \(value)")"
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

    /// The limit, with the judged sample if only one of it and the centre keeps it: `≤ 1100 ms (lower median 1000 ms)`.
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
    var verdict: String { gatedVerdict + (result.isGated ? "" : " (not gated)") }

    static let worse = "▲ worse"

    private var gatedVerdict: String {
        switch result.verdict {
        case .regressed: Self.worse
        case .overLimit: "▲ over its limit"
        case .missing: "○ not measured"
        case .inconclusive: "? can't tell"
        case .noBaseline: "? can't tell: no baseline"
        case .waived: "△ waived"
        case .improved: "▼ improved"
        case .passed: "✓ passed"
        }
    }

    func number(_ value: Double) -> String { Figure.text(value, result.metric.unit.symbol) }
}

extension Finding {
    /// By how much, in one line: `567.6 → 810 ms (+43 %)`, and what else belongs to it; `nil` where the subject says all.
    var amount: String? { hasAmount ? amounts.joined(separator: ", ") : nil }

    /// The same in parts: the values, a broken limit, and why it is inconclusive.
    var amounts: [String] {
        let text = ComparisonText(result)
        guard hasAmount else { return [text.values, inRuns].compactMap(\.self) }
        let isUnsure = result.verdict == .inconclusive
        let share = isUnsure || result.verdict == .regressed ? slowShare ?? (isUnsure ? multiple : nil) : nil
        let values = slowShare == nil ? share.map { "\($0) (\(text.values))" } : share
        return [values ?? text.valuesWithShare, text.brokenLimit, inRuns, isUnsure ? doubt : nil].compactMap(\.self)
    }
}

extension GateReport {
    /// The gated changes that the noise of runs explains, in one sentence that names three; `nil` without any.
    var noiseSentence: String? {
        let results = comparisons.filter { $0.isGated && $0.detail == .withinNoise }
        guard !results.isEmpty else { return nil }
        let names = results.prefix(3).map { result in
            "\(CleanText.line(result.page.name, most: 60)) \(CleanText.line(result.metric.id, most: 60)) "
                + ComparisonText(result).values
        }
        return "\(Figure.count(results.count, "change")) within the noise of runs: \(names.joined(separator: "; "))"
            + (results.count > 3 ? "; and \(results.count - 3) more" : "")
    }

    /// The verdict in a few words, for a page's title, the subject of a mail and a commit's status: `Search: time to
    /// initial load 43 % longer; 2 more findings`.
    package var title: String {
        let failures = comparisons.filter { $0.isGated && failing.failure(of: $0) != nil }
        let (all, reference) =
            failures.isEmpty ? (pinned?.findings ?? [], pinned?.name) : (Finding.all(of: failures), nil)
        guard outcome == .failed || outcome == .inconclusive, let first = all.first,
            failing.failure(of: first.result) != .noBaseline
        else { return headline }
        let more = all.count > 1 ? "; \(Figure.count(all.count - 1, "more finding"))" : ""
        let doubt = first.result.verdict == .inconclusive ? "Can't tell: " : ""
        return doubt + (reference.map { "Against \(CleanText.line($0, most: 60)): " } ?? "") + first.shortTitle + more
    }
}

/// Finds the page of a comparison, and its facts for readers, such as leads and owner.
struct PageIndex {
    private let pages: [PageInEnvironment: PageSummary]
    private let worst: Set<Cell>
    /// The fields in which the report's environments differ.
    private let distinctive: Set<String>

    init(_ report: GateReport) {
        pages = Dictionary(report.pages.map { ($0.place, $0) }) { first, _ in first }
        let worse = (report.comparisons + (report.pinned?.comparisons ?? [])).filter(\.isWorse)
        let fields = Dictionary(grouping: report.environments.flatMap(\.environment.fields), by: \.name)
        distinctive = Set(fields.filter { Set($0.value.map(\.text)).count > 1 }.keys)
        worst = Set(Dictionary(worse.map { ($0.place, $0.cell) }) { first, _ in first }.values)
    }

    subscript(place: PageInEnvironment) -> PageSummary? { pages[place] }
    subscript(result: CellResult) -> PageSummary? { pages[result.place] }

    /// Where to look for the cause of a comparison, as sentences; empty if it isn't worse, or if nothing is known.
    func leads(of result: CellResult) -> [String] {
        guard result.isWorse else { return [] }
        return [result.why?.lead, result.phases?.sentence].compactMap(\.self)
            + (self[result]?.leads ?? []).map { "\(Self.lookAt) \($0)" }
    }

    func leads(of finding: Finding) -> [String] {
        finding.parts.flatMap { part in
            let isWorst = ([part.result] + part.consequences).contains { worst.contains($0.cell) }
            let page = finding.parts.count > 1 ? "\(CleanText.line(part.result.page.name, most: 60)): " : ""
            return isWorst ? leads(of: part.result).map { page + $0 } : []
        }
    }

    /// The leads for tables, only in the first row of a page.
    func leads(ofRow result: CellResult) -> [String] { worst.contains(result.cell) ? leads(of: result) : [] }

    /// The sentence of a comparison followed by its leads, for single-line output.
    func reason(of result: CellResult) -> String {
        ([result.reason] + leads(of: result).map { $0.hasSuffix(".") ? $0 : $0 + "." }).joined(separator: " ")
    }

    static let lookAt = "Where to look:"

    /// What tells the environment from the report's others, in parentheses after a space; empty with a single one.
    func distinction(of result: CellResult) -> String {
        if case .environment = result.subject { return "" }
        let texts = result.environment.fields.filter { distinctive.contains($0.name) }.map(\.text)
        return texts.isEmpty ? "" : " (\(CleanText.line(texts.joined(separator: ", "), most: 60)))"
    }

    func owner(of result: CellResult) -> String? { self[result]?.owner.flatMap { $0.isEmpty ? nil : $0 } }
}

extension PageSummary {
    /// The source: `Search.swift:12`, or only the file; `nil` if not configured.
    var position: String? { file.map { file in line.map { "\(file):\($0)" } ?? file } }
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
        return all.grouped(by: \.self).map { $0.count > 1 ? "\($0.count) × \($0[0])" : $0[0] }
    }

    /// The traffic of two releases, as a sentence without its end.
    static func about(_ traffic: ReleaseTraffic) -> String {
        "\(traffic.candidate) against \(traffic.base) on \(traffic.sharedDays), "
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
        return "run \(run.id): \(Figure.count(run.sampleCount, "sample"))\(commit)\(run.isComplete ? "" : ", bad data")"
    }
}

extension ReleaseTraffic {
    /// The days that both releases share: `7 shared days (2026-01-01 to 2026-01-07)`.
    var sharedDays: String {
        let span = [shared.first, shared.last].compactMap { $0?.day }
        return Figure.count(shared.count, "shared day")
            + (span.isEmpty ? "" : " (\(Set(span).sorted().joined(separator: " to ")))")
    }
}
