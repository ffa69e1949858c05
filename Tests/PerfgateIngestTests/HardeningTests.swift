import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Lines that once gave a wrong value, or a valid run from a bad log.
struct HardeningTests {
    @Test(arguments: [#"{"type":"frames","page":"P","scroll":0,"timestamps_ns":[]}"#])
    func noTicksAreNoScroll(_ line: String) throws {
        #expect(try LogFolder.measurements(runLine() + line + "\n").values("P", "dropped_frames") == nil)
    }

    @Test func framesWithoutTheirKeyAreABadRecord() throws {
        let measurements = try LogFolder.measurements(runLine() + #"{"type":"frames","page":"P","scroll":0}"# + "\n")
        #expect(measurements.codes == [.badLine])
    }

    @Test func aReplacedVisitTakesEverythingWithIt() throws {
        let visits = [10, 20].map {
            #"{"type":"pps","page":"P","visit_id":"v","duration_ms":1000,"mth_ms":[\#($0)],"candidates":{"x_ms":\#($0)}}"#
                + "\n"
        }
        let measurements = try LogFolder.measurements(runLine() + visits.joined())
        #expect(measurements.values("P", "mth") == [20])
        #expect(measurements.values("P", "candidates.x") == [20])
        #expect(measurements.pages.values.map(\.seconds) == [1])
    }

    @Test(arguments: [
        #"{"type":"pps","page":"NAME","ttil_ms":5}"#, #"{"type":"metric","page":"P","metric":"NAME","values":[1]}"#,
        #"{"type":"metric","page":"P","metric":"m","unit":"NAME","values":[1]}"#,
        #"{"type":"pps","page":"P","test":"NAME","ttil_ms":5}"#,
        #"{"type":"pps","page":"P","network":"NAME","ttil_ms":5}"#,
        #"{"type":"run","run_id":"NAME","app":"a"}"#, #"{"type":"run","run_id":"r","device":"NAME"}"#,
    ])
    func aNameHasAThousandBytesAtMost(line: String) throws {
        func codes(_ count: Int) throws -> [DiagnosticCode] {
            let name = String(repeating: "x", count: count)
            // Twice, because the second of two equal lines is read by the skeleton learned from the first.
            let lines = String(repeating: line.replacing("NAME", with: name) + "\n", count: 2)
            return try LogFolder.measurements(runLine() + lines).codes.filter { $0 == .badLine }
        }
        #expect(try codes(1_000) == [])
        #expect(try codes(1_001) == [.badLine])
    }

    @Test func ofManyLinesThatCantBeReadTheFirstAreReportedAndTheOthersCounted() throws {
        let bad = (0..<621).map { "{" + String(repeating: " ", count: $0) + "[\n" }.joined()
        let diagnostics = try LogFolder.measurements(runLine() + bad).diagnostics
        #expect(diagnostics.count == 21 && diagnostics.allSatisfy { $0.code == .badLine && $0.severity == .error })
        #expect(diagnostics.prefix(20).map(\.line) == (2...21).map { $0 })
        #expect(diagnostics.last?.line == 22)
        #expect(
            diagnostics.last?.message == "601 more like the 20 before, from this line on, aren't listed.")
    }

    @Test func linesWithTheSameFaultAreSummedUpAndNameTheKey() throws {
        let line = #"{"type":"pps","page":"P","ttil_ms":500,"duration_ms":"x"}"# + "\n"
        let all = String(repeating: line, count: 1_000) + "[\n" + line
        let diagnostics = try LogFolder.measurements(runLine() + all).diagnostics
        #expect(diagnostics.map(\.line) == [2, 1_002])
        #expect(
            diagnostics.first?.message
                == "The line's \"duration_ms\" can't be read: expected a number, found a string; change it to a number. "
                + "The same 1000 more times, the last on line 1003.")
    }

    @Test(arguments: ["duration_ms", "ttfl_ms", "iteration", "alt_ms", "rclt", "frames_ms", "values", "memory_bytes"])
    func aValueOfAWrongTypeNamesItsKey(_ key: String) throws {
        let line = #"{"type":"pps","page":"P","KEY":true}"#.replacing("KEY", with: key)
        let messages = try LogFolder.measurements(runLine() + line + "\n").diagnostics.map(\.message)
        #expect(messages.contains { $0.hasPrefix("The line's \"\(key)\" can't be read") }, "\(messages)")
    }

    @Test func aBadLastRecordIsNotACutLine() throws {
        let measurements = try LogFolder.measurements(runLine() + #"{"type":"pps","page":"P","ttil_ms":-1}"#)
        #expect(measurements.codes == [.badLine])
        #expect(measurements.runs.first?.isComplete == false)
    }

    @Test(arguments: [
        #""type":"pps","alt_ms":[-5,10]"#, #""type":"pps","sth_ms":[-5,10]"#,
        #""type":"pps","rclt":[{"ms":-1},{"ms":9}]"#,
        #""type":"metric","metric":"launch","unit":"s","values":[-3]"#,
    ])
    func negativeTimesAreBadRecords(_ fields: String) throws {
        let measurements = try LogFolder.measurements(runLine() + #"{"page":"P",\#(fields)}"# + "\n")
        #expect(measurements.codes == [.badLine])
    }

    @Test func valuesThatOverflowAreLeftOutAndReported() throws {
        let line = #"{"type":"pps","page":"P","ttil_ms":500,"alt_ms":[1e308,1e308]}"#
        let measurements = try LogFolder.measurements(runLine() + line + "\n")
        #expect(measurements.values("P", "alt") == [])
        #expect(measurements.values("P", "ttil") == [500])
        #expect(measurements.codes == [.valueNotFinite, .valueNotFinite])
    }

    @Test func aBadRecordCountsAsOneLine() throws {
        let text =
            runLine("r", #","expects_end":true"#) + #"{"type":"pps","page":"P","ttil_ms":-1}"# + "\n"
            + #"{"type":"end","run_id":"r","lines":3}"# + "\n"
        #expect(try LogFolder.measurements(text) { $0.badLines = 1 }.runs.first?.isComplete == true)
    }

    @Test func anotherVersionIsNotReadAtAll() throws {
        let text = #"{"type":"run","schema":2,"run_id":"r"}"# + "\n" + StreamTests.visit
        let measurements = try LogFolder.measurements(text) { $0.badLines = 5 }
        #expect(measurements.cells.isEmpty)
        #expect(measurements.codes.contains(.unsupportedVersion))
        #expect(measurements.runs.map(\.isComplete) == [false])
    }

    @Test func aLineWithItsOwnDeviceTakesItsRefreshRateOnlyFromItself() throws {
        let text =
            #"{"type":"run","run_id":"r"}"# + "\n" + #"{"type":"pps","page":"P","ttil_ms":1,"device":"d"}"# + "\n"
        let measurements = try LogFolder.measurements(text) { $0.context = Context(["max_fps": .number(60)]) }
        #expect(measurements.environments.map(\.maxFPS) == [nil])
    }
}
