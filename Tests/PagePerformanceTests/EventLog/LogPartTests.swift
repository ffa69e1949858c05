import Foundation
import Testing

@testable import PagePerformance

/// How a long log is split into files.
struct LogPartTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)").path

    private static func options(_ size: Int?) -> EventLogOptions {
        EventLogOptions(partSize: size, writeInterval: .zero)
    }

    @Test func aFullPartIsFollowedByTheNext() async {
        let sink = CollectingSink()
        let log = EventLog(EventLogTests.run, to: sink, options: Self.options(400))
        for number in 0..<12 { log.record(EventLogTests.scroll(number)) }
        await log.close()
        #expect(sink.names == ["launch-1", "launch-1.2", "launch-1.3"])
        for (name, lines) in zip(sink.names, sink.lines) {
            #expect(lines.first?.contains(#""part":"\#(name)""#) == true)
            #expect(lines.last == #"{"type":"end","run_id":"r","part":"\#(name)","lines":\#(lines.count)}"#)
        }
        let events = sink.lines.flatMap { $0.dropFirst().dropLast() }
        #expect(events.count == 12)
    }

    @Test func aPartEndsBetweenScrolls() async {
        let sink = CollectingSink()
        let log = EventLog(EventLogTests.run, to: sink, options: Self.options(400))
        for time in 0..<9 as Range<UInt64> { log.record(EventLogTests.tick(time, scroll: 0)) }
        log.record(EventLogTests.scroll(0))
        log.record(EventLogTests.tick(9, scroll: 1))
        await log.close()
        #expect(sink.lines.map(\.count) == [12, 3])
    }

    @Test func aScrollThatNeverEndsIsGivenUp() async throws {
        let sink = CollectingSink()
        let log = EventLog(EventLogTests.run, to: sink, options: Self.options(400))
        for time in 0..<100 as Range<UInt64> { log.record(EventLogTests.tick(time, scroll: 0)) }
        log.record(EventLogTests.scroll(0))
        log.record(EventLogTests.scroll(1))
        await log.close()
        #expect(sink.names == ["launch-1", "launch-1.2"])
        let last = try #require(sink.lines.last)
        // The scroll that was cut off has no end; the next one has.
        #expect(last.contains { $0.contains(#""events_lost":"#) })
        #expect(!last.contains { $0.contains(#""type":"scroll""#) && $0.contains(#""scroll":0"#) })
        #expect(last.contains { $0.contains(#""type":"scroll""#) && $0.contains(#""scroll":1"#) })
    }

    @Test func aFileIsNeverWrittenOver() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for _ in 0..<3 {
            let log = EventLog(EventLogTests.run, to: FileSink(folder: folder + "/a/b"))
            log.record(EventLogTests.scroll(1))
            #expect(await log.close() == .written)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/a/b").sorted()
        #expect(names == ["r_launch-1.2.ndjson", "r_launch-1.3.ndjson", "r_launch-1.ndjson"])
        let second = try String(contentsOfFile: folder + "/a/b/r_launch-1.2.ndjson", encoding: .utf8)
        #expect(second.hasPrefix(#"{"type":"run","schema":1,"run_id":"r","part":"launch-1.2"}"#))
    }

    @Test func aNameCannotLeaveTheFolder() {
        let path = FileSink(folder: "/logs").path(run: "../r 1/\u{1F600}", part: String(repeating: "p", count: 200))
        #expect(path == "/logs/..-r-1-----_" + String(repeating: "p", count: 80) + ".ndjson")
    }

    @Test func aFolderThatCannotBeMadeIsReportedWithItsCause() async {
        let log = EventLog(EventLogTests.run, to: FileSink(folder: "/dev/null/logs"))
        log.record(EventLogTests.scroll(1))
        #expect(await log.close() == .lost)
        #expect(log.failure == .cannotCreate(path: "/dev/null/logs", code: ENOTDIR))
        #expect(log.failure?.description.hasSuffix("Give the log a folder that the app may write to.") == true)
    }

    @Test func aClosureGetsOneObjectAtATime() async {
        let lines = LockedValue<[String]>([])
        let log = EventLog(EventLogTests.run, to: ClosureSink { line in lines.withLock { $0.append(line) } })
        log.record(EventLogTests.scroll(1))
        await log.close()
        #expect(lines.withLock { $0.count } == 3)
        #expect(lines.withLock { $0.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") } })
    }

    @Test func theLaunchNamesRunPartIterationAndFolder() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let variables = [
            "PERFGATE_RUN_ID": "r-9", "PERFGATE_PART": "launch-4", "PERFGATE_ITERATION": "6", "PERFGATE_SHARD": "1/2",
        ]
        let launch = LaunchEnvironment({ variables[$0] }, time: .seconds(1), process: 1)
        let log = EventLog(
            launch, folder: folder, app: AppFacts(identifier: "com.example.app"),
            device: DeviceFacts(model: "iPhone12,1", maxFPS: 60), conditions: DeviceConditions())
        log.record(EventLogTests.scroll(1))
        var warm = DeviceConditions()
        warm.thermalState = .serious
        log.beginIteration(7, conditions: warm)
        log.record(EventLogTests.scroll(0))
        await log.close()
        let text = try String(contentsOfFile: folder + "/r-9_launch-4.ndjson", encoding: .utf8)
        #expect(
            text == #"""
                {"type":"run","schema":1,"run_id":"r-9","part":"launch-4","shard":"1/2","app":"com.example.app",\#
                "device":"iPhone12,1","max_fps":60,"started_at":"1970-01-01T00:00:01Z"}
                {"type":"scroll","page":"P","iteration":6,"scroll":1,"duration_ms":1}
                {"type":"state","iteration":7,"thermal_state":"serious"}
                {"type":"scroll","page":"P","iteration":7,"scroll":0,"duration_ms":0}
                {"type":"end","run_id":"r-9","part":"launch-4","lines":5}

                """#)
    }
}
