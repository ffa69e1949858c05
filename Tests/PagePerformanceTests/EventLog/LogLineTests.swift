import Foundation
import PagePerformance
import Testing
import SeededRandom

/// The line of each event.
struct LogLineTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let event: LogEvent
        let line: String
        var testDescription: String { String(line.prefix(40)) }
    }

    static let place = LogEvent.Place(page: "Search", iteration: 2, visit: "v-1", test: "T/C/t")
    static let ticks = [FrameTick(timestamp: Nanoseconds(10)), FrameTick(timestamp: Nanoseconds(20))]

    static let examples = [
        Example(
            event: .frames(LogEvent.Frames(place: place, scroll: 0, ticks: ticks.map(timed))),
            line: #"""
                {"type":"frames","page":"Search","iteration":2,"test":"T/C/t","scroll":0,"segment":0,\#
                "timestamps_ns":[10,20],"duration_ns":7}
                """#),
        Example(
            event: .frames(LogEvent.Frames(place: place, segment: 1, ticks: ticks.map(due), clock: .other)),
            line: #"""
                {"type":"frames","page":"Search","iteration":2,"test":"T/C/t","segment":1,\#
                "timestamps_ns":[10,20],"targets_ns":[19,29],"duration_ns":7,"clock":"other"}
                """#),
        Example(
            event: .frame(LogEvent.Frame(place: place, scroll: 3, tick: due(ticks[0]))),
            line: #"""
                {"type":"frame","page":"Search","iteration":2,"test":"T/C/t","scroll":3,"segment":0,\#
                "timestamp_ns":10,"target_ns":19,"duration_ns":7}
                """#),
        Example(
            event: .frameDrop(
                LogEvent.FrameDrop(place: place, scroll: 0, framesDropped: 2, cumulativeFrames: 5, cumulativeEvents: 2)),
            line: #"""
                {"type":"frame_drop","page":"Search","iteration":2,"test":"T/C/t","scroll":0,"frames_dropped":2,\#
                "cumulative_frames_dropped":5,"cumulative_frame_drop_events":2,"counting":"exact"}
                """#),
        Example(
            event: .scroll(LogEvent.Scroll(place: place, scroll: 0, duration: .milliseconds(812.4))),
            line: #"""
                {"type":"scroll","page":"Search","iteration":2,"test":"T/C/t","scroll":0,"duration_ms":812.4}
                """#),
        Example(event: .visit(visit), line: visitLine),
        Example(event: .screen(screen), line: screenLine),
        Example(
            event: .metric(
                LogEvent.CustomMetric(
                    place: LogEvent.Place(page: "App"), id: "launch", unit: "ms", isHigherBetter: false, values: [412])),
            line: #"{"type":"metric","page":"App","metric":"launch","unit":"ms","better":"lower","values":[412]}"#),
        Example(
            event: .state(LogEvent.State(iteration: 1, conditions: conditions, eventsLost: 4)),
            line: #"""
                {"type":"state","iteration":1,"low_power_mode":false,"thermal_state":"fair","network":"wifi",\#
                "charging":true,"cpu_percent":12.5,"threads":31,"memory_bytes":181403648,"events_lost":4}
                """#),
        Example(
            event: .run(LogEvent.Run(id: "r-8f2", part: "launch-1")),
            line: #"{"type":"run","schema":1,"run_id":"r-8f2","part":"launch-1"}"#),
        Example(event: .run(run), line: runLine),
        Example(
            event: .end(LogEvent.End(run: "r-8f2", part: "launch-1", lines: 1_204)),
            line: #"{"type":"end","run_id":"r-8f2","part":"launch-1","lines":1204}"#),
    ]

    @Test(arguments: examples)
    func saysEachTypeAsAgreed(_ example: Example) throws {
        #expect(String(decoding: example.event.line, as: UTF8.self) == example.line + "\n")
        let read = try JSONSerialization.jsonObject(with: Data(example.event.line))
        #expect(read is [String: Any])
    }

    @Test func leavesOutWhatIsNoFiniteNumber() throws {
        var visit = LogEvent.Visit(place: LogEvent.Place(page: "P"))
        visit.firstLayout = .milliseconds(.nan)
        visit.initialLoad = .milliseconds(.infinity)
        visit.additionalLoads = [.milliseconds(.nan), .milliseconds(1)]
        let line = String(decoding: LogEvent.visit(visit).line, as: UTF8.self)
        #expect(line == #"{"type":"pps","page":"P","outcome":"loaded","alt_ms":[1]}"# + "\n")
    }

    @Test func saysTargetsWhereDurationsDiffer() {
        let ticks = [Self.timed(Self.ticks[0]), FrameTick(timestamp: Nanoseconds(20), duration: Nanoseconds(9))]
        let frames = LogEvent.Frames(place: LogEvent.Place(page: "P"), ticks: ticks)
        let line = String(decoding: LogEvent.frames(frames).line, as: UTF8.self)
        #expect(line.contains(#""targets_ns":[17,29]}"#))
        #expect(!line.contains("duration_ns"))
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func anotherReaderReadsTheSameTexts(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let text = Self.text(&generator)
        let place = LogEvent.Place(page: text, test: Self.text(&generator))
        let event = LogEvent.metric(LogEvent.CustomMetric(place: place, id: "m", unit: "ms", values: []))
        let read = try JSONSerialization.jsonObject(with: Data(event.line)) as? [String: Any]
        let page = try #require(read?["page"] as? String)
        #expect(page.unicodeScalars.elementsEqual(text.unicodeScalars), "seed \(seed)")
        #expect(event.line.count { $0 == 0x0A } == 1, "seed \(seed)")
        #expect(event.line.dropLast().allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "seed \(seed)")
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func anotherReaderReadsTheSameNumbers(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let values =
            (0..<8).map { _ in Double(bitPattern: generator.next()) }.filter(\.isFinite) + [
                -0.0, .leastNonzeroMagnitude,
            ]
        let place = LogEvent.Place(page: "P", iteration: Int(truncatingIfNeeded: generator.next()))
        let event = LogEvent.metric(LogEvent.CustomMetric(place: place, id: "m", unit: "points", values: values))
        let read = try JSONDecoder().decode(Numbers.self, from: Data(event.line))
        #expect(read.values.map(\.bitPattern) == values.map(\.bitPattern), "seed \(seed)")
        #expect(read.iteration == place.iteration, "seed \(seed)")
    }

    private struct Numbers: Decodable {
        let iteration: Int
        let values: [Double]
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        let ranges: [ClosedRange<UInt32>] = [0...0x7F, 0x20...0x7E, 0x80...0x9F, 0x2028...0x2029, 0x1F600...0x1F64F]
        let count = Int(generator.next() % 12)
        let scalars = (0..<count).compactMap { _ in
            Unicode.Scalar(UInt32.random(in: ranges[Int(generator.next() % 5)], using: &generator))
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func timed(_ tick: FrameTick) -> FrameTick {
        FrameTick(timestamp: tick.timestamp, duration: Nanoseconds(7))
    }

    private static func due(_ tick: FrameTick) -> FrameTick {
        FrameTick(timestamp: tick.timestamp, target: tick.timestamp + Nanoseconds(9), duration: Nanoseconds(7))
    }
}
