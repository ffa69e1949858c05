import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Contradicting values of one metric make a run bad data.
struct ConflictTests {
    static func visit(_ iteration: Int, formula: String, page: String = "P") -> String {
        #"{"type":"pps","page":"\#(page)","iteration":\#(iteration),"ttil_ms":500,"formula":"\#(formula)"}"# + "\n"
    }

    static let older = (0..<5).map { visit($0, formula: "1") }.joined()
    static let fault =
        "ttil of P has values with different formulas, ways to count frames, or units, which can't be compared. Only one "
        + "kind was used: measure all runs with one version of the recorder."

    @Test func aRunWithSeveralFormulasIsBad() throws {
        let measurements = try LogFolder.measurements(runLine() + Self.older + Self.visit(5, formula: "2"))
        #expect(measurements.codes == [.conflictingMetric])
        #expect(measurements.runs.map { $0.streams.flatMap(\.faults) } == [[Self.fault]])
    }

    @Test func onlyTheRunWhoseValuesAreLeftOutIsBad() throws {
        let log = runLine("r1") + Self.older + runLine("r2") + Self.visit(0, formula: "2")
        let measurements = try LogFolder.measurements(log)
        #expect(measurements.runs.map(\.isComplete) == [false, true])
        #expect(measurements.cells.filter { $0.key.metric == "ttil" }.values.flatMap(\.runs).map(\.run) == ["r2"])
    }

    @Test func otherPagesMayHaveOtherFormulas() throws {
        let measurements = try LogFolder.measurements(
            runLine() + Self.older + Self.visit(0, formula: "2", page: "Q"))
        #expect(measurements.codes == [])
        #expect(measurements.runs.map(\.isComplete) == [true])
    }
}
