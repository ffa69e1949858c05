import PerfgateCompare
import PerfgateKit
import PerfgateModel

/// Suggested tolerances as part of `perfgate.yml`: one per metric for most pages, and exceptions for noisier ones.
struct CalibrationPatch {
    private let calibration: Calibration

    init(_ calibration: Calibration) { self.calibration = calibration }

    var text: String {
        let tolerances = SuggestedSettings(calibration.cells, \.suggestion)
        let changes = SuggestedSettings(calibration.cells, \.suggestedChange)
        let metrics = settings(tolerances.common, changes.common).map { "  \($0)" }
        let pages = Set(tolerances.exceptions.keys).union(changes.exceptions.keys).sorted().map { page in
            let list = settings(tolerances.exceptions[page] ?? [:], changes.exceptions[page] ?? [:])
            return "  - { match: \(YAMLText.quoted(page.name)), metrics: { \(list.joined(separator: ", ")) } }"
        }
        return ([head] + section("metrics:", metrics) + section("pages:", pages) + hopeless).map { $0 + "\n" }.joined()
    }

    private var head: String {
        "# Suggested by `perfgate calibrate`: with these tolerances noise alone fails at most 0.1 cells per run."
    }

    private func section(_ title: String, _ lines: [String]) -> [String] { lines.isEmpty ? [] : [title] + lines }

    /// The settings of each metric, by name: relative tolerances as fractions, and smallest changes.
    private func settings(_ tolerances: [String: Double], _ changes: [String: Double]) -> [String] {
        Set(tolerances.keys).union(changes.keys).sorted { $0.precedesInUTF8($1) }.map { metric in
            let tolerance = tolerances[metric].map { "tolerance: \(Int((100 * $0).rounded()))%" }
            let change = changes[metric].map { "min_change: \(Figure.text($0))" }
            return "\(key(metric)): { \([tolerance, change].compactMap(\.self).joined(separator: ", ")) }"
        }
    }

    /// Cells that no tolerance keeps quiet, as comments.
    private var hopeless: [String] {
        let cells = calibration.cells.filter {
            $0.isGated && $0.falseAlarms ?? 0 > 0 && $0.suggestion == nil && $0.suggestedChange == nil
        }
        return cells.map { cell in
            let name = CleanText.line("\(cell.cell.page.name), \(cell.cell.metric)", most: 120)
            return "# No tolerance keeps this quiet; make it steadier, or don't gate it: \(name)"
        }
    }

    /// A metric's identifier as a YAML key, quoted unless it is a plain word.
    private func key(_ metric: String) -> String {
        let isWord = metric.utf8.first.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 } ?? false
        let isPlain = metric.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || byte == UInt8(ascii: "_")
        }
        return isWord && isPlain && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(metric)
            ? metric : YAMLText.quoted(metric)
    }
}

/// A calibration's suggestion for one setting of metrics: a value that suits most pages, and exceptions.
struct SuggestedSettings {
    /// The largest value over all environments, by metric and page.
    private var values: [String: [Page: Double]] = [:]

    init(_ cells: [CellCalibration], _ suggestion: (CellCalibration) -> Double?) {
        for cell in cells where cell.isGated {
            guard let value = suggestion(cell) else { continue }
            let known = values[cell.cell.metric]?[cell.cell.page] ?? value
            values[cell.cell.metric, default: [:]][cell.cell.page] = max(known, value)
        }
    }

    /// The value per metric that suits three quarters of the pages (rank rounded down) and every page that needs at
    /// most 1.5 times as much. With two pages the quieter one decides: a noisy page must not blind the others.
    var common: [String: Double] {
        values.compactMapValues { pages in
            let sorted = pages.values.sorted()
            let most = 1.5 * sorted[3 * (sorted.count - 1) / 4]
            return sorted.last { $0 <= most }
        }
    }

    /// The values of pages that need more, by metric.
    var exceptions: [Page: [String: Double]] {
        let common = common
        return values.reduce(into: [:]) { exceptions, item in
            for (page, value) in item.value where value > common[item.key] ?? value {
                exceptions[page, default: [:]][item.key] = value
            }
        }
    }
}
