import PerfgateKit
import PerfgateModel
import PerfgateReport

/// Suggested tolerances as a part of `perfgate.yml`: one for each metric that does for most pages, and one of their
/// own for pages that are much noisier.
struct CalibrationPatch {
    private let calibration: Calibration

    /// Writes what a calibration suggests.
    init(_ calibration: Calibration) {
        self.calibration = calibration
    }

    /// The lines, each with a line feed.
    var text: String {
        let metrics = tolerances.sorted { $0.key.precedesInUTF8($1.key) }.map { metric, percent in
            "  \(key(metric)): { tolerance: \(percent)% }"
        }
        let pages = exceptions.sorted { $0.key < $1.key }.map { page, metrics in
            let list = metrics.sorted { $0.key.precedesInUTF8($1.key) }.map { "\(key($0)): { tolerance: \($1)% }" }
            return "  - { match: \(YAMLText.quoted(page.name)), metrics: { \(list.joined(separator: ", ")) } }"
        }
        return ([head] + section("metrics:", metrics) + section("pages:", pages) + hopeless).map { $0 + "\n" }.joined()
    }

    private var head: String {
        "# Suggested by `perfgate calibrate`: tolerances at which noise alone fails 0.1 cells a run at most."
    }

    private func section(_ title: String, _ lines: [String]) -> [String] { lines.isEmpty ? [] : [title] + lines }

    /// The suggestions in percent, by metric and page: the greatest over environments.
    private var suggestions: [String: [Page: Int]] {
        calibration.cells.reduce(into: [:]) { suggestions, cell in
            guard cell.isGated, let share = cell.suggestion else { return }
            let percent = Int((100 * share).rounded())
            suggestions[cell.cell.metric, default: [:]][cell.cell.page, default: 0].raise(to: percent)
        }
    }

    /// The tolerance that does for three of four pages, and for those that ask for at most half as much again; by metric.
    private var tolerances: [String: Int] {
        suggestions.compactMapValues { pages in
            let sorted = pages.values.sorted()
            let most = sorted[(3 * sorted.count + 3) / 4 - 1] * 3 / 2
            return sorted.last { $0 <= most }
        }
    }

    private var exceptions: [Page: [String: Int]] {
        let tolerances = tolerances
        return suggestions.reduce(into: [:]) { exceptions, item in
            for (page, percent) in item.value where percent > tolerances[item.key] ?? percent {
                exceptions[page, default: [:]][item.key] = percent
            }
        }
    }

    /// What no tolerance keeps quiet, as comments.
    private var hopeless: [String] {
        let cells = calibration.cells.filter { $0.isGated && $0.falseAlarms ?? 0 > 0 && $0.suggestion == nil }
        return cells.map { cell in
            let name = CleanText.line("\(cell.cell.page.name), \(cell.cell.metric)", most: 120)
            return "# No tolerance keeps this quiet; steady it, or don't gate on it: \(name)"
        }
    }

    /// A metric's identifier as a key: plain where it is a word.
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

extension Int {
    fileprivate mutating func raise(to other: Int) { self = Swift.max(self, other) }
}
