import PerfgateModel
import Testing

@testable import PerfgateIngest

/// An unreadable `run` line must not assign its samples to the previous run.
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
        let ttil = measurements.cells.filter { $0.key.metric == "ttil" }.values
        #expect(ttil.flatMap(\.runs).first { $0.run == "r1" }?.values == [500])
        #expect(known.isComplete)
        #expect(unknown.streams.flatMap(\.faults) == ["Its run line, line 3, is unreadable."])
    }

    /// A line that is cut off before its type may be a `run` line: its samples then belong to no run.
    @Test(arguments: [
        #"{"type":"r"#, #"{"type":"run"#, #"{"run_id":"r2","device":"iPho"#, #"{"device":"iPhone12,1","run_id":"r2""#,
    ])
    func aLineThatMayBeARunLineEndsTheRunToo(_ line: String) throws {
        let text = runLine("r1") + Self.visit(500) + line + "\n" + Self.visit(900)
        let measurements = try LogFolder.measurements(text) { $0.badLines = 1 }
        let ttil = measurements.cells.filter { $0.key.metric == "ttil" }.values
        #expect(ttil.flatMap(\.runs).first { $0.run == "r1" }?.values == [500])
        let unknown = try #require(measurements.runs.first { $0.id != "r1" })
        let message = "Line 3 is unreadable and cut before its type: it may be a run line."
        #expect(unknown.streams.flatMap(\.faults) == [message])
    }

    /// Without a readable `run` line, any unreadable line may have been it.
    @Test(arguments: [
        #"{"schema":1,"device":"iPho"# + "\n" + visit(500), visit(500) + #"{"type":"pps","pa"# + "\n" + visit(600),
    ])
    func aFileWithoutARunLineIsBadData(_ text: String) throws {
        let measurements = try LogFolder.measurements(text) { $0.badLines = 5 }
        #expect(measurements.runs.count == 1 && measurements.runs.allSatisfy { !$0.isComplete })
        let faults = measurements.runs.flatMap(\.streams).flatMap(\.faults)
        #expect(faults.first?.hasPrefix("It has no run line, which an unreadable line") == true)
    }

    @Test(arguments: [
        #"{"type":"pps","page":"run"#, "a line of another tool", #"{"page":"run","ttil_ms":"#, #"{"type":"e"#,
        #"{"type":"pps","run_id":"r1","#,
    ])
    func anotherBrokenLineEndsNothing(_ line: String) throws {
        let text = runLine("r1") + Self.visit(500) + line + "\n" + Self.visit(900)
        let measurements = try LogFolder.measurements(text) { $0.badLines = 1 }
        #expect(measurements.runs.map(\.id) == ["r1"])
        #expect(measurements.runs.map(\.isComplete) == [true])
        #expect(measurements.values("P", "ttil") == [500, 900])
    }
}
