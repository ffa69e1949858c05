import Foundation
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
        case (let baseline?, let candidate?): "\(ReportNumber.text(baseline)) → \(number(candidate))"
        case (let baseline?, nil): "\(number(baseline)) → \(candidate)"
        case (nil, _): candidate
        }
    }

    /// The baseline's centre; a dash where there is none.
    var baseline: String { result.baseline?.center.map(number) ?? "–" }

    /// The candidate's centre, or why there is none.
    var candidate: String {
        if let center = result.candidate?.center { return number(center) }
        return result.candidate == nil ? "not measured" : "no events"
    }

    /// The difference of the centres and the shift's interval: `+187.3 [+150.1, +220.9]`; a dash without a comparison.
    var change: String {
        guard let numbers = result.numbers else { return "–" }
        return ([ReportNumber.signed(numbers.delta)] + [interval].compactMap(\.self)).joined(separator: " ")
    }

    /// The shift's 95 % interval; `nil` where the samples are too few.
    var interval: String? { result.numbers?.interval.map(ReportNumber.interval) }

    /// The limit with its direction: `≤ 1200 ms`, `every sample ≥ 50 fps`; a dash where there is none.
    var limit: String {
        guard let limit = result.limit else { return "–" }
        let bound = (result.metric.better == .lower ? "≤ " : "≥ ") + number(limit.value)
        return limit.subject == .any ? "every sample " + bound : bound
    }

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
        ReportNumber.text(value, result.metric.unit.symbol)
    }
}

extension CellResult.Side {
    /// The quantiles of a side whose samples are left out: `0 %: 480, 5 %: 490`.
    var quantileText: String {
        zip(Self.quantileProbabilities, quantiles ?? [])
            .map { "\(ReportNumber.text($0 * 100)) %: \(ReportNumber.text($1))" }.joined(separator: ", ")
    }
}

/// Numbers as a person reads them: four figures, no exponent where it can be avoided, no needless zero.
enum ReportNumber {
    /// The number alone, such as `512.9`, `1200` or `−0.25`.
    static func text(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
        return rounded(value, decimals: decimals(of: abs(value)))
    }

    /// The number with the decimals that tell it from another one a step away: ticks of an axis never look the same.
    static func text(_ value: Double, step: Double) -> String {
        guard step > 0, step.isFinite else { return text(value) }
        let decimals = -Int(log10(step).rounded(.down))
        guard abs(value) < 1e9, (0..<powers.count).contains(decimals) else { return text(value) }
        return rounded(value, decimals: decimals)
    }

    private static func rounded(_ value: Double, decimals: Int) -> String {
        let scale = powers[decimals]
        let scaled = (abs(value) * scale).rounded()
        guard scaled > 0 else { return value == 0 ? "0" : small(value) }
        let whole = Int(scaled / scale)
        let fraction = Int(scaled) - whole * Int(scale)
        return (value < 0 ? minus : "") + "\(whole)" + fractionText(fraction, decimals)
    }

    /// The number with its sign, also where it is positive: `+187.3`; `0` has none.
    static func signed(_ value: Double) -> String {
        value > 0 ? "+" + text(value) : text(value)
    }

    /// The number with its unit: `512.9 ms`.
    static func text(_ value: Double, _ unit: String) -> String {
        Figure.withUnit(text(value), unit)
    }

    /// An interval: `[150.1, 220.9]`.
    static func interval(_ bounds: [Double]) -> String {
        "[" + bounds.map(signed).joined(separator: ", ") + "]"
    }

    private static let minus = "−"
    private static let powers: [Double] = [1, 10, 100, 1_000, 10_000]

    private static func decimals(of magnitude: Double) -> Int {
        switch magnitude {
        case 1_000...: 0
        case 100...: 1
        case 10...: 2
        case 1...: 3
        default: 4
        }
    }

    private static func small(_ value: Double) -> String {
        (value < 0 ? minus : "") + "\(abs(value))"
    }

    private static func fractionText(_ fraction: Int, _ decimals: Int) -> String {
        guard fraction > 0 else { return "" }
        let digits = String(fraction)
        let padded = String(repeating: "0", count: max(0, decimals - digits.count)) + digits
        return "." + String(padded.reversed().drop { $0 == "0" }.reversed())
    }
}

/// The sentences about runs, environments and inputs that Markdown and HTML share.
struct ReportSentences {
    /// The report.
    let report: GateReport

    /// Where it was measured: a sentence an environment, then one a run.
    var environments: [String] { report.environments.map(environment) + report.runs.map(run) }

    /// The inputs that could not be used.
    var faults: [String] {
        report.faultyInputs.map { fault in
            let run = fault.run.map { ", run \($0)" } ?? ""
            return "\(fault.path)\(run): \(fault.message)"
        }
    }

    /// The diagnostics, each with its place and code.
    var diagnostics: [String] {
        report.diagnostics.map { diagnostic in
            let place = diagnostic.location.map { "\($0): " } ?? ""
            return "\(place)\(diagnostic.severity.rawValue): \(diagnostic.message) (\(diagnostic.code.rawValue))"
        }
    }

    private func environment(_ summary: EnvironmentSummary) -> String {
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
