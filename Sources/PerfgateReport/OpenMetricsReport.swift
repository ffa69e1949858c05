import PerfgateCompare
import PerfgateModel

/// The report as OpenMetrics text (version 1.0.0), for whoever keeps the values of every run.
///
/// A family a kind of value and unit, the unit in its name; a line a comparison, in the report's order.
package struct OpenMetricsReport: Sendable {
    private let report: GateReport

    /// Takes a finished report.
    package init(_ report: GateReport) {
        self.report = report
    }

    /// The document in UTF-8; three decimals a value, no time of day.
    package func bytes() -> [UInt8] {
        var lines = values("candidate", "What was measured: the mean of counts and rates, else the median.") {
            $0.candidate?.center
        }
        lines += values("baseline", "What it is compared with.") { $0.baseline?.center }
        lines += values("change", "The candidate's center minus the baseline's.") { $0.numbers?.delta }
        lines += values("limit", "The limit that holds.") { $0.limit?.value }
        lines += family("perfgate_comparisons", "How many gated comparisons have a verdict.")
        lines += counts("perfgate_comparisons", report.counts)
        lines += report.pinned.map(pinned) ?? []
        lines += family("perfgate_exit_code", "The code that perfgate exited with.")
        lines += ["perfgate_exit_code \(report.exitCode)", "# EOF", ""]
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// What fails against a pinned reference, in families of its own: whoever sums up the others counts nothing twice.
    private func pinned(_ pinned: PinnedFindings) -> [String] {
        let label = "reference=\"\(Self.escaped(pinned.name))\""
        let name = "perfgate_pinned_comparisons"
        return values("pinned_baseline", "What the pinned reference measured.", of: pinned.comparisons, label) {
            $0.baseline?.center
        }
            + values("pinned_change", "The candidate's center minus the pinned one.", of: pinned.comparisons, label) {
                $0.numbers?.delta
            }
            + family(name, "How many comparisons with the pinned reference fail.")
            + counts(name, pinned.counts, label)
    }

    private func counts(_ name: String, _ counts: [Verdict: Int], _ label: String? = nil) -> [String] {
        Verdict.allCases.map { verdict in
            let labels = [label, "verdict=\"\(verdict.rawValue)\""].compactMap(\.self).joined(separator: ",")
            return "\(name){\(labels)} \(counts[verdict] ?? 0)"
        }
    }

    private func values(
        _ kind: String, _ help: String, of comparisons: [CellResult]? = nil, _ label: String? = nil,
        _ value: (CellResult) -> Double?
    ) -> [String] {
        let units = Dictionary(grouping: comparisons ?? report.comparisons) { OpenMetricsUnit($0.metric.unit).name }
        return units.sorted { $0.key.precedesInUTF8($1.key) }.flatMap { unit, results in
            let name = (["perfgate", kind] + (unit.isEmpty ? [] : [unit])).joined(separator: "_")
            let lines = results.compactMap { result in
                let labels = [Self.labels(result), label].compactMap(\.self).joined(separator: ",")
                return value(result).flatMap(Self.number).map { "\(name){\(labels)} \($0)" }
            }
            return lines.isEmpty ? [] : family(name, help, unit: unit) + lines
        }
    }

    private func family(_ name: String, _ help: String, unit: String = "") -> [String] {
        ["# TYPE \(name) gauge"] + (unit.isEmpty ? [] : ["# UNIT \(name) \(unit)"]) + ["# HELP \(name) \(help)"]
    }

    /// What a series is about, and nothing that changes from run to run, which would cut it into many.
    private static func labels(_ result: CellResult) -> String {
        let labels = [
            ("page", result.page.name), ("metric", result.metric.id), ("environment", result.environment.description),
        ]
        return labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",")
    }

    /// The three escapes of the format; what may stand in no report is spelt out, since replacing it by one and the same
    /// character could make two series of one name.
    private static func escaped(_ text: String) -> String {
        text.escaped { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            case _ where scalar == "\r" || CleanText.isUnsafe(scalar): "<U+\(String(scalar.value, radix: 16))>"
            default: nil
            }
        }
    }

    /// The value rounded half away from zero to thousandths; `nil` where it isn't finite.
    private static func number(_ value: Double) -> String? {
        guard value.isFinite else { return nil }
        guard abs(value) < 1e12 else { return "\(value)" }
        let thousandths = Int(abs(value) * 1_000 + 0.5)
        let sign = value < 0 && thousandths > 0 ? "-" : ""
        return "\(sign)\(thousandths / 1_000).\(String(thousandths % 1_000 + 1_000).dropFirst())"
    }
}

/// A unit as a part of a metric's name: words of ASCII letters and digits, joined by underscores.
struct OpenMetricsUnit {
    /// The name; empty for a pure number.
    let name: String

    /// Names a unit; one that has no letter or digit has no name.
    init(_ unit: Unit) {
        name = Self.known[unit] ?? Self.plain(unit.symbol)
    }

    private static let known: [Unit: String] = [
        .milliseconds: "milliseconds", .millisecondsPerSecond: "milliseconds_per_second",
        .secondsPerHour: "seconds_per_hour", .framesPerSecond: "frames_per_second",
    ]

    private static func plain(_ symbol: String) -> String {
        let words = symbol.utf8.split { !isWord($0) }
        return String(words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_").prefix(60))
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
