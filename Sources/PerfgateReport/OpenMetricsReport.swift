import PerfgateCompare
import PerfgateModel

/// The report as OpenMetrics text (version 1.0.0), for systems that store the values of every run. One family per kind
/// of value and unit; one line per comparison, in report order.
package struct OpenMetricsReport: Sendable {
    private let report: GateReport

    package init(_ report: GateReport) { self.report = report }

    /// The document in UTF-8, without timestamps.
    package func bytes() -> [UInt8] {
        var text = OpenMetricsText()
        func add(_ kind: String, _ help: String, _ series: [Series], _ value: (CellResult) -> Double?) {
            for (result, labels) in series {
                guard let value = value(result) else { continue }
                text.add(value, result.metric.unit, to: "perfgate_\(kind)", help, labels)
            }
        }
        func add(_ kind: String, _ help: String, _ counts: [Verdict: Int], _ labels: [Label] = []) {
            for verdict in Verdict.allCases {
                let labels = OpenMetricsText.Labels(labels + [("verdict", verdict.rawValue)])
                text.add(Double(counts[verdict] ?? 0), to: "perfgate_\(kind)", help, labels)
            }
        }
        let series = Self.series(report.comparisons)
        add("candidate", "The measured value: the mean of counts and rates, else the median.", series) {
            $0.candidate?.center
        }
        add("baseline", "The value that it is compared with.", series) { $0.baseline?.center }
        add("change", "The candidate's center minus the baseline's.", series) { $0.numbers?.delta }
        add("limit", "The limit.", series) { $0.limit?.value }
        add("comparisons", "The number of gated comparisons by verdict.", report.counts)
        // Failures against a pinned reference have separate families, so sums over the others count nothing twice.
        if let pinned = report.pinned {
            let label = [(name: "reference", value: pinned.name)]
            let series = Self.series(pinned.comparisons, label)
            add("pinned_baseline", "The value of the pinned reference.", series) { $0.baseline?.center }
            add("pinned_change", "The candidate's center minus the pinned one.", series) { $0.numbers?.delta }
            let failed = "The number of failed comparisons with the pinned reference."
            add("pinned_comparisons", failed, pinned.counts, label)
        }
        text.add(Double(report.exitCode), to: "perfgate_exit_code", "The exit code of perfgate.")
        return text.bytes
    }

    private typealias Label = (name: String, value: String)
    private typealias Series = (result: CellResult, labels: OpenMetricsText.Labels)

    private static func series(_ comparisons: [CellResult], _ labels: [Label] = []) -> [Series] {
        comparisons.map { result in
            // Only labels that are stable between runs, because others would split a series.
            let subject = [
                (name: "page", value: result.page.name), ("metric", result.metric.id),
                ("environment", result.environment.plainText),
            ]
            return (result, OpenMetricsText.Labels(subject + labels))
        }
    }
}
