import PerfgateModel
import Testing

@testable import PerfgateIngest

/// A `run` line that can't be read must not give its samples to the run before it.
struct BrokenRunLineTests {
    static func visit(_ value: Double, page: String = "P") -> String {
        #"{"type":"pps","page":"\#(page)","ttil_ms":\#(value)}"# + "\n"
    }

    @Test(arguments: [
        #"{"type":"run","schema":1,"run_id":"r2","device":"iPho"#, #"{"schema":1,"type" : "run","run_id":}"#,
        #"{"type":"run","schema":1}"#, #"{"type":"run","run_id":7}"#,
    ])
    func endsTheRunBeforeIt(_ line: String) throws {
        let text = runLine("r1") + Self.visit(500) + line + "\n" + Self.visit(900)
        let measurements = try LogFolder.measurements(text) { $0.badLines = 1 }
        let known = try #require(measurements.runs.first { $0.id == "r1" })
        let unknown = try #require(measurements.runs.first { $0.id != "r1" })
        #expect(measurements.cells.values.flatMap(\.runs).first { $0.run == "r1" }?.values == [500])
        #expect(known.isComplete)
        #expect(unknown.streams.flatMap(\.faults) == ["Its run line, line 3, is unreadable."])
    }

    @Test func anotherBrokenLineEndsNothing() throws {
        let text = runLine("r1") + Self.visit(500) + #"{"type":"pps","page":"run"# + "\n" + Self.visit(900)
        let measurements = try LogFolder.measurements(text) { $0.badLines = 1 }
        #expect(measurements.runs.map(\.id) == ["r1"])
        #expect(measurements.runs.map(\.isComplete) == [true])
        #expect(measurements.values("P", "ttil") == [500, 900])
    }
}
