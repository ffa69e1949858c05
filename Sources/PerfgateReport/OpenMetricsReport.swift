import PerfgateCompare
import PerfgateModel

/// The report as OpenMetrics text (version 1.0.0), for systems that store the values of every run.
///
/// One family per kind of value and unit; one line per comparison, in report order.
package struct OpenMetricsReport: Sendable {
    private let report: GateReport

    /// Takes a finished report.
    package init(_ report: GateReport) {
        self.report = report
    }

    /// The document in UTF-8, without timestamps.
    package func bytes() -> [UInt8] {
        var text = OpenMetricsText()
        add("candidate", "The measured value: the mean of counts and rates, else the median.", to: &text) {
            $0.candidate?.center
        }
        add("baseline", "The value that it is compared with.", to: &text) { $0.baseline?.center }
        add("change", "The candidate's center minus the baseline's.", to: &text) { $0.numbers?.delta }
        add("limit", "The limit.", to: &text) { $0.limit?.value }
        add("comparisons", "The number of gated comparisons by verdict.", report.counts, to: &text)
        if let pinned = report.pinned { add(pinned, to: &text) }
        text.add(Double(report.exitCode), to: "perfgate_exit_code", "The exit code of perfgate.")
        return text.bytes
    }

    /// Failures against a pinned reference, in separate families, so sums over the others count nothing twice.
    private func add(_ pinned: PinnedFindings, to text: inout OpenMetricsText) {
        let label = [(name: "reference", value: pinned.name)]
        add("pinned_baseline", "The value of the pinned reference.", pinned.comparisons, label, to: &text) {
            $0.baseline?.center
        }
        add(
            "pinned_change", "The candidate's center minus the pinned one.", pinned.comparisons, label, to: &text
        ) { $0.numbers?.delta }
        add(
            "pinned_comparisons", "The number of failed comparisons with the pinned reference.", pinned.counts, label,
            to: &text)
    }

    private func add(
        _ kind: String, _ help: String, _ counts: [Verdict: Int], _ labels: [(name: String, value: String)] = [],
        to text: inout OpenMetricsText
    ) {
        for verdict in Verdict.allCases {
            let labels = labels + [("verdict", verdict.rawValue)]
            text.add(Double(counts[verdict] ?? 0), to: "perfgate_\(kind)", help, labels)
        }
    }

    private func add(
        _ kind: String, _ help: String, _ comparisons: [CellResult]? = nil,
        _ labels: [(name: String, value: String)] = [], to text: inout OpenMetricsText, _ value: (CellResult) -> Double?
    ) {
        for result in comparisons ?? report.comparisons {
            guard let value = value(result) else { continue }
            // Only labels that are stable between runs, because others would split a series.
            let subject = [
                (name: "page", value: result.page.name), ("metric", result.metric.id),
                ("environment", result.environment.description),
            ]
            text.add(value, result.metric.unit, to: "perfgate_\(kind)", help, subject + labels)
        }
    }
}
