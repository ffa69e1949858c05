import PerfgateKit
import PerfgateModel

/// What a calibration suggests for one key of metrics: a value that does for most pages, and values for the others.
struct SuggestedSettings {
    /// The greatest over environments, by metric and page.
    private var values: [String: [Page: Double]] = [:]

    /// Takes the suggestions of gated cells.
    init(_ cells: [CellCalibration], _ suggestion: (CellCalibration) -> Double?) {
        for cell in cells where cell.isGated {
            guard let value = suggestion(cell) else { continue }
            let known = values[cell.cell.metric]?[cell.cell.page] ?? value
            values[cell.cell.metric, default: [:]][cell.cell.page] = max(known, value)
        }
    }

    /// The value that does for three of four pages, rounded down, and for those that ask for at most half as much again; by
    /// metric. Of two pages the quieter one sets it: what a noisy page needs must not blind the others.
    var common: [String: Double] {
        values.compactMapValues { pages in
            let sorted = pages.values.sorted()
            let most = 1.5 * sorted[3 * (sorted.count - 1) / 4]
            return sorted.last { $0 <= most }
        }
    }

    /// The values of pages that ask for more, by metric.
    var exceptions: [Page: [String: Double]] {
        let common = common
        return values.reduce(into: [:]) { exceptions, item in
            for (page, value) in item.value where value > common[item.key] ?? value {
                exceptions[page, default: [:]][item.key] = value
            }
        }
    }
}
