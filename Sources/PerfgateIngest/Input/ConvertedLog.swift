import PerfgateJSON
import PerfgateModel

/// Measurements of other tools as the lines of a perfgate log; reading it gives the same cells, pages and runs,
/// without the rules and flags.
package struct ConvertedLog: Sendable {
    private let runs: [Run]
    private let cells: [String: [PlacedCell]]

    /// Takes the sound runs of other tools; bad runs are left out.
    package init(_ survey: InputReport) {
        cells = Dictionary(grouping: survey.cells, by: \.run)
        let known = Set(cells.keys)
        runs = survey.measurements.runs.filter { known.contains($0.id) && $0.isComplete }
    }

    /// The log: one run after the other, each closed by its `end` line.
    package var bytes: [UInt8] { runs.flatMap(lines) }

    private func lines(of run: Run) -> [UInt8] {
        let cells = cells[run.id] ?? []
        let measured = cells.flatMap { lines(of: $0, in: run) }
        let begin = JSONWriter().object { line in
            line.write("type", "run")
            line.write("schema", 1)
            line.write("run_id", run.id)
            line.write(run.context, without: Context())
            line.write("expects_end", true)
        }
        let end = JSONWriter().object { line in
            line.write("type", "end")
            line.write("run_id", run.id)
            line.write("lines", measured.count + 2)
        }
        return begin + measured.flatMap { $0 } + end
    }

    /// One line per iteration, including those without samples.
    private func lines(of cell: PlacedCell, in run: Run) -> [[UInt8]] {
        let samples = Dictionary(grouping: cell.samples, by: \.iteration)
        return cell.iterations.union(samples.keys).sorted().map { iteration in
            JSONWriter().object { line in
                line.write("type", "metric")
                line.write("page", cell.page.name)
                line.write("iteration", iteration)
                line.write("metric", cell.metric.id)
                line.write("unit", cell.metric.unit.symbol)
                line.write("better", cell.metric.better.rawValue)
                line.write("values", list: (samples[iteration] ?? []).sorted().map(\.value))
                line.write("test", cell.test)
                line.write(cell.context, without: run.context)
            }
        }
    }
}

extension JSONObjectWriter {
    /// Writes the fields that differ from the run's. A line with its own device needs its own refresh rate, too.
    fileprivate mutating func write(_ context: Context, without known: Context) {
        let hasOwnDevice = context["device"] != known["device"]
        for name in Context.names {
            guard let value = context[name] else { continue }
            guard value != known[name] || hasOwnDevice && name == "max_fps" else { continue }
            switch value {
            case .text(let text): write(name, text)
            case .number(let number): write(name, number)
            case .flag(let flag): write(name, flag)
            }
        }
    }
}

/// A file's measurement of one metric, with its page.
package struct PlacedCell: Sendable, Hashable {
    package let format: String
    package let run: String
    /// The test, process, table or event in the file, against which the rules of `map:` are matched.
    package let subject: String
    /// The pattern of the matching rule; `nil` if none matched.
    package let pattern: String?
    package let page: Page
    /// The test's name for reports; `nil` if unknown.
    package let test: String?
    package let metric: Metric
    /// The conditions: the run's plus the rule's.
    package let context: Context
    /// The samples; all of them finite.
    package let samples: [Sample]
    /// The iterations that measured it, with or without samples.
    package let iterations: Set<Int>
}

extension PlacedCell: Comparable {
    /// Sorts by run, page, subject, test, then metric, independent of file order.
    package static func < (lhs: PlacedCell, rhs: PlacedCell) -> Bool { lhs.order.lexicographicallyPrecedes(rhs.order) }

    private var order: [UInt8] {
        Array([run, page.name, subject, test ?? "", metric.id, metric.unit.symbol].map(\.utf8).joined(separator: [0]))
    }
}
