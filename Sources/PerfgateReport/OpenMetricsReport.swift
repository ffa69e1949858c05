import PerfgateCompare
import PerfgateModel

/// The report as OpenMetrics text (version 1.0.0), for systems that store the values of every run.
///
/// One family per kind of value and unit; one line per comparison, in report order.
package struct OpenMetricsReport: Sendable {
    private let report: GateReport

    package init(_ report: GateReport) { self.report = report }

    /// The document in UTF-8, without timestamps.
    package func bytes() -> [UInt8] {
        var text = OpenMetricsText()
        let series = Self.series(report.comparisons)
        Self.add("candidate", "The measured value: the mean of counts and rates, else the median.", series, to: &text) {
            $0.candidate?.center
        }
        Self.add("baseline", "The value that it is compared with.", series, to: &text) { $0.baseline?.center }
        Self.add("change", "The candidate's center minus the baseline's.", series, to: &text) { $0.numbers?.delta }
        Self.add("limit", "The limit.", series, to: &text) { $0.limit?.value }
        Self.add("comparisons", "The number of gated comparisons by verdict.", report.counts, to: &text)
        if let pinned = report.pinned { Self.add(pinned, to: &text) }
        text.add(Double(report.exitCode), to: "perfgate_exit_code", "The exit code of perfgate.")
        return text.bytes
    }

    /// Failures against a pinned reference, in separate families, so sums over the others count nothing twice.
    private static func add(_ pinned: PinnedFindings, to text: inout OpenMetricsText) {
        let label = [(name: "reference", value: pinned.name)]
        let series = series(pinned.comparisons, label)
        add("pinned_baseline", "The value of the pinned reference.", series, to: &text) { $0.baseline?.center }
        add("pinned_change", "The candidate's center minus the pinned one.", series, to: &text) { $0.numbers?.delta }
        add(
            "pinned_comparisons", "The number of failed comparisons with the pinned reference.", pinned.counts, label,
            to: &text)
    }

    private static func add(
        _ kind: String, _ help: String, _ counts: [Verdict: Int], _ labels: [(name: String, value: String)] = [],
        to text: inout OpenMetricsText
    ) {
        for verdict in Verdict.allCases {
            let labels = OpenMetricsText.Labels(labels + [("verdict", verdict.rawValue)])
            text.add(Double(counts[verdict] ?? 0), to: "perfgate_\(kind)", help, labels)
        }
    }

    private typealias Series = (result: CellResult, labels: OpenMetricsText.Labels)

    private static func series(
        _ comparisons: [CellResult], _ labels: [(name: String, value: String)] = []
    ) -> [Series] {
        comparisons.map { result in
            // Only labels that are stable between runs, because others would split a series.
            let subject = [
                (name: "page", value: result.page.name), ("metric", result.metric.id),
                ("environment", result.environment.plainText),
            ]
            return (result, OpenMetricsText.Labels(subject + labels))
        }
    }

    private static func add(
        _ kind: String, _ help: String, _ series: [Series], to text: inout OpenMetricsText,
        _ value: (CellResult) -> Double?
    ) {
        for (result, labels) in series {
            guard let value = value(result) else { continue }
            text.add(value, result.metric.unit, to: "perfgate_\(kind)", help, labels)
        }
    }
}
