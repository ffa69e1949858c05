import PerfgateJSON
import PerfgateModel

/// What files of other tools measured, as the lines of a perfgate log: read again, it gives the same cells, pages and
/// runs, without the rules and flags that it was made with.
package struct ConvertedLog: Sendable {
    private let runs: [Run]
    private let cells: [String: [PlacedCell]]

    /// Takes the sound runs of other tools; those that are bad data are left out.
    package init(_ survey: InputReport) {
        cells = Dictionary(grouping: survey.cells, by: \.run)
        let known = Set(cells.keys)
        runs = survey.measurements.runs.filter { known.contains($0.id) && $0.isComplete }
    }

    /// Whether there is nothing to write.
    package var isEmpty: Bool { runs.isEmpty }

    /// The log: a run after the other, each closed by its `end` line.
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

    /// A line for each iteration, also for one that gave no sample.
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
    /// Writes the fields that differ from those of the run. A line with a device of its own takes the refresh rate only
    /// from itself, so that it has to say both.
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

/// What a file of another tool says of one metric, with the page that it was put on.
package struct PlacedCell: Sendable, Hashable {
    /// The name of the format.
    package let format: String
    /// The identifier of the run.
    package let run: String
    /// What the file names: a test, process, table or event; the rules of `map:` are matched against it.
    package let subject: String
    /// The pattern of the rule that matched; `nil` where none did.
    package let pattern: String?
    /// The page that it was put on.
    package let page: Page
    /// The test as reports name it; `nil` where none is known.
    package let test: String?
    /// What was measured.
    package let metric: Metric
    /// The conditions: those of the run with what the rule found.
    package let context: Context
    /// The samples; all of them finite.
    package let samples: [Sample]
    /// The iterations that measured it, with a sample or without.
    package let iterations: Set<Int>
}

extension PlacedCell: Comparable {
    /// By run, page, subject, test, then metric: an order that doesn't depend on that of the files.
    package static func < (lhs: PlacedCell, rhs: PlacedCell) -> Bool { lhs.order.lexicographicallyPrecedes(rhs.order) }

    private var order: [UInt8] {
        Array([run, page.name, subject, test ?? "", metric.id, metric.unit.symbol].map(\.utf8).joined(separator: [0]))
    }
}
