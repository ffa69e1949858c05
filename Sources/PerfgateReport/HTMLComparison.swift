import PerfgateCompare
import PerfgateModel

/// A comparison's part of the HTML report: the sentence, the plot, the samples and the rule's numbers.
struct HTMLComparison {
    private let result: ComparisonResult
    private let text: ComparisonText

    /// Makes the part of a comparison.
    init(_ result: ComparisonResult) {
        self.result = result
        text = ComparisonText(result)
    }

    /// The names and their values.
    var context: TemplateContext {
        let title = MetricCatalog.definition(for: result.metric).title
        let sides = [side("baseline", result.baseline), side("candidate", result.candidate)].compactMap(\.self)
        return [
            "anchor": .markup(HTMLAnchor.metric(result.metric.id, of: result.place)), "metric": .text(result.metric.id),
            "meaning": .text(title == result.metric.id ? nil : title),
            "class": .markup(Self.styleClass(of: result)), "verdict": .text(text.verdict),
            "reason": .text(result.reason), "plot": .markup(SVGStripPlot(result)?.markup),
            "samples": .list(sides.isEmpty ? [] : [["unit": .text(valuesTitle), "sides": .list(sides)]]),
            "rule": .list(numbers.isEmpty ? [] : [["numbers": .list(numbers)]]),
        ]
    }

    /// The row that stands for the part where there is no room for it.
    var row: TemplateContext {
        [
            "anchor": .markup(HTMLAnchor.metric(result.metric.id, of: result.place)), "metric": .text(result.metric.id),
            "class": .markup(Self.styleClass(of: result)), "verdict": .text(text.verdict),
            "values": .text(text.values), "change": .text(text.change),
        ]
    }

    /// The class that colours a verdict; its word says the same.
    static func styleClass(of result: ComparisonResult) -> String {
        switch result.verdict {
        case .regressed, .overLimit, .missing: "worse"
        case .inconclusive, .noBaseline, .waived: "unsure"
        case .improved, .passed: "good"
        }
    }

    private var valuesTitle: String {
        let unit = result.metric.unit.symbol
        return unit.isEmpty ? "Samples" : "Samples in \(unit)"
    }

    private func side(_ name: String, _ side: ComparisonResult.Side?) -> TemplateContext? {
        guard let side else { return nil }
        return [
            "side": .text(name), "count": .text(String(side.count)), "runs": .text(String(side.runs)),
            "center": .text(side.center.map(text.number) ?? "–"), "values": .text(values(side)),
        ]
    }

    private func values(_ side: ComparisonResult.Side) -> String {
        side.samples?.map(ReportNumber.text).joined(separator: ", ") ?? side.quantileText
    }

    private var numbers: [TemplateContext] {
        let rows = comparisonNumbers + boundNumbers
        return rows.map { ["name": .text($0), "value": .text($1)] }
    }

    private var comparisonNumbers: [(String, String)] {
        guard let numbers = result.numbers else { return [] }
        let unit = result.metric.unit.symbol
        return [
            ("Difference of the centres", ReportNumber.signed(numbers.delta) + " " + unit),
            ("Shift (Hodges–Lehmann)", ReportNumber.signed(numbers.shift) + " " + unit),
            ("Its 95 % interval", text.interval ?? "too few samples"),
            ("Chance of this if worse by \(ReportNumber.text(numbers.marginShare)) of the tolerance", "\(numbers.p)"),
            ("The same towards better", "\(numbers.pImprove)"),
            ("Chance of this without a change", "\(numbers.pZero)"),
            ("The least chance that these sizes can give", "\(numbers.pMin)"),
            ("The chance below which a change counts", "\(numbers.alpha), for \(numbers.comparisons) comparisons"),
        ]
    }

    private var boundNumbers: [(String, String)] {
        let limit = result.limitOrigin.map { "\(text.limit), from \($0)" } ?? text.limit
        return [
            result.tolerance.map { ("Tolerance", text.number($0)) },
            result.limit.map { _ in ("Limit", limit) },
            result.detail.map { ("Detail", "\(result.verdict.rawValue) (\($0.rawValue))") },
            result.counting == .exact ? nil : ("Frames counted", result.counting.rawValue),
        ].compactMap(\.self)
    }
}
