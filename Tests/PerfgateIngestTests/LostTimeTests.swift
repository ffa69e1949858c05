import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Ticks give the duration of dropped frames; lines that only count them don't.
struct LostTimeTests {
    /// A scroll on a 120 Hz phone with frames of 16.67 ms, as in low-power mode: two were dropped.
    static let frames = #"""
        {"type":"frames","page":"P","scroll":0,"timestamps_ns":[1000000000,1016666667,1066666668,1083333335],\#
        "targets_ns":[1016666667,1033333334,1083333335,1100000002]}

        """#
    static let drop = #"{"type":"frame_drop","page":"P","scroll":0,"frames_dropped":2}"# + "\n"

    static func samples(_ log: String, _ metric: String) throws -> [Sample] {
        let measurements = try LogFolder.measurements(runLine() + log)
        let cell = try #require(measurements.cells.first { $0.key.metric == metric })
        return cell.value.runs.flatMap(\.samples)
    }

    @Test(arguments: ["dropped_frames", "dropped_frames_total", "dropped_frames_scroll"])
    func ticksTellTheTime(_ metric: String) throws {
        let sample = try #require(Self.samples(Self.frames, metric).first)
        #expect(sample.value == 2)
        #expect(try abs(#require(sample.framesAtSixtyHertz) - 2) < 1e-6)
    }

    @Test(arguments: ["drop_events", "scroll_thread_hang", "hitch_ratio"])
    func othersHaveNone(_ metric: String) throws {
        #expect(try Self.samples(Self.frames, metric).map(\.framesAtSixtyHertz) == [nil])
    }

    @Test func countsHaveNone() throws {
        #expect(try Self.samples(Self.drop, "dropped_frames") == [Sample(2)])
    }
}
