import PerfgateModel
import Testing

@testable import PerfgateIngest

/// The state of the device, run by run.
struct StateTests {
    static let full =
        #"{"type":"state","iteration":2,"thermal_state":"fair","low_power_mode":true,"cpu_percent":12.5,"threads":31,"#
        + #""memory_bytes":181403648,"charging":true}"# + "\n"

    @Test func everyFieldIsKept() throws {
        let state = try #require(try LogFolder.measurements(runLine() + Self.full).runs.first?.states.first)
        #expect(state.iteration == 2)
        #expect(state.thermalState == "fair")
        #expect(state.lowPowerMode == true)
        #expect(state.cpuPercent == 12.5)
        #expect(state.threads == 31)
        #expect(state.memoryBytes == 181_403_648)
        #expect(state.isCharging == true)
        #expect(
            state.conditions
                == Context([
                    "thermal_state": .text("fair"), "low_power_mode": .flag(true), "cpu_percent": .number(12.5),
                    "threads": .number(31), "memory_bytes": .number(181_403_648), "charging": .flag(true),
                ]))
    }

    @Test func whatALineDoesNotSayIsUnknown() throws {
        let text = runLine("r", #","thermal_state":"nominal""#) + #"{"type":"state"}"# + "\n"
        let measurements = try LogFolder.measurements(text)
        #expect(measurements.runs.map(\.states) == [[RunState()]])
        #expect(RunState().conditions == Context())
        #expect(measurements.cells.isEmpty)
        #expect(measurements.diagnostics.isEmpty)
    }

    @Test func statesStandInTheOrderOfPartAndLineWithoutRepetition() throws {
        let folder = try LogFolder()
        func lines(_ states: [String]) -> String {
            states.map { #"{"type":"state","thermal_state":"\#($0)"}"# + "\n" }.joined()
        }
        let paths = [
            try folder.write(runLine("r", #","part":"launch-10""#) + lines(["critical"]), as: "a.ndjson"),
            try folder.write(
                runLine("r", #","part":"launch-2""#) + lines(["nominal", "nominal", "fair", "nominal"]), as: "b.ndjson"),
        ]
        let states = Ingest().read(paths).runs.flatMap(\.states).map(\.thermalState)
        #expect(states == ["nominal", "fair", "nominal", "critical"])
    }

    @Test func conditionsSelectStatesToo() throws {
        let text =
            runLine() + #"{"type":"state","network":"wifi","threads":1}"# + "\n"
            + #"{"type":"state","network":"lte","threads":2}"# + "\n"
        let measurements = try LogFolder.measurements(text) { $0.conditions = [.init(field: "network", value: "lte")] }
        #expect(measurements.runs.first?.states.map(\.threads) == [2])
    }

    @Test func aNegativeIterationIsABadRecord() throws {
        let measurements = try LogFolder.measurements(runLine() + #"{"type":"state","iteration":-1}"# + "\n")
        #expect(measurements.codes == [.badLine])
        #expect(measurements.runs.first?.states == [])
    }

    @Test func everyPartKeepsItsHeaderAndWhereItBegins() throws {
        let text =
            runLine("r", #","part":"launch-1.1","low_power_mode":false"#) + Self.full
            + runLine("r", #","part":"launch-1.2","low_power_mode":true"#)
        let streams = try #require(try LogFolder.measurements(text).runs.first?.streams)
        #expect(streams.map(\.line) == [1, 3])
        #expect(streams.map { $0.context?["low_power_mode"] } == [.flag(false), .flag(true)])
        #expect(streams.map(\.states.count) == [1, 0])
    }
}
