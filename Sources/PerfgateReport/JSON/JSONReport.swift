import PerfgateCompare
import PerfgateJSON

/// The report as JSON: everything that a `GateReport` holds, for scripts and for rendering it again.
///
/// What is absent isn't written, and neither is a number that isn't finite, which JSON can't say. `GateReport(json:)`
/// reads it back; writing what was read gives the same bytes.
public struct JSONReport: Sendable {
    private let report: GateReport

    /// Takes a finished report.
    public init(_ report: GateReport) {
        self.report = report
    }

    /// The document in UTF-8: two spaces a level, a final line feed.
    public func bytes() -> [UInt8] {
        JSONWriter(layout: .indented).object { root in
            root.write("schema", GateReport.schema)
            root.write("tool", report.tool)
            root.write("verdict", report.outcome.rawValue)
            root.write("exit_code", report.exitCode)
            root.object("failing", .line) { report.failing.write(to: &$0) }
            root.write("headline", report.headline)
            root.write("notes", list: report.notes, .lines)
            root.object("counts", .line) { Self.write(report.counts, to: &$0) }
            root.objects("runs", report.runs) { $0.write(to: &$1) }
            root.objects("environments", report.environments) { $0.write(to: &$1) }
            root.objects("pages", report.pages) { $0.write(to: &$1) }
            root.objects("comparisons", report.comparisons) { $0.write(to: &$1) }
            if let pinned = report.pinned {
                root.object("pinned") { object in
                    object.write("name", pinned.name)
                    object.object("counts", .line) { Self.write(pinned.counts, to: &$0) }
                    object.objects("comparisons", pinned.comparisons) { $0.write(to: &$1) }
                }
            }
            root.objects("faulty_inputs", report.faultyInputs) { $0.write(to: &$1) }
            root.objects("diagnostics", report.diagnostics) { $0.write(to: &$1) }
            root.objects("next", report.next) { $0.write(to: &$1) }
        }
    }

    private static func write(_ counts: [Verdict: Int], to object: inout JSONObjectWriter) {
        for verdict in Verdict.allCases { object.write(verdict.rawValue, counts[verdict]) }
    }
}

extension FailingKinds {
    /// Writes whether each kind fails.
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write(Verdict.inconclusive.rawValue, inconclusive)
        object.write("suspects", suspects)
        object.write(Verdict.noBaseline.rawValue, noBaseline)
        object.write(Verdict.missing.rawValue, missing)
    }
}

extension JSONObjectWriter {
    /// Writes a member that is an array of objects, an object after the other.
    mutating func objects<Element>(
        _ key: String, _ elements: [Element], _ layout: JSONWriter.ContainerLayout = .lines,
        _ write: (Element, inout JSONObjectWriter) -> Void
    ) {
        array(key) { list in
            for element in elements { list.object(layout) { write(element, &$0) } }
        }
    }

    /// Writes a number, or nothing where it is absent or not finite.
    mutating func write(finite key: String, _ number: Double?) {
        guard let number, number.isFinite else { return }
        write(key, number)
    }
}
