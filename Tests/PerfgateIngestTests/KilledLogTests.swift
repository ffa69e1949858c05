import Foundation
import PagePerformance
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// A recorder that is killed while ten threads record: every acknowledged event is in the log, complete and once.
///
/// `PERFGATE_LOG_EVENTS` sets another number of events per thread.
struct KilledLogTests {
    static let threads = 10
    static let eventsPerThread =
        ProcessInfo.processInfo.environment["PERFGATE_LOG_EVENTS"].flatMap { Int($0) } ?? 3_000

    static var count: Int { threads * eventsPerThread }

    @Test(arguments: [(nil, 1 << 30), (400_000, 1 << 30), (nil, 1 << 20)])
    func everyAcknowledgedLineIsThere(partSize: Int?, bufferLimit: Int) async throws {
        let folder = try LogFolder()
        let path = folder.url.path
        let journal = try Acknowledgements(path: path + "/acknowledged", count: Self.count)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, partSize = partSize as Int?, bufferLimit = bufferLimit as Int] in
            try Self.recordUntilKilled(path, EventLogOptions(bufferLimit: bufferLimit, partSize: partSize))
        }

        let acknowledged = journal.numbers
        let read = Ingest().read([path])
        let values = try #require(read.values("Thread", "number")).map { Int($0) }
        let found = Set(values)
        #expect((1..<Self.count).contains(acknowledged.count))
        #expect(acknowledged.subtracting(found).isEmpty)
        // Each event is there once, and no unrecorded event is.
        #expect(values.count == found.count)
        #expect(found.allSatisfy { (0..<Self.count).contains($0) })
        #expect(read.runs.map(\.id) == ["r-kill"])
        #expect(read.runs.map(\.isComplete) == [true])
        #expect(Set(read.codes).isSubset(of: [.cutLastLine, .wrongLineCount, .unknownField, .skippedFiles]))
    }

    /// Runs in a separate process.
    private static func recordUntilKilled(_ folder: String, _ options: EventLogOptions) throws {
        let journal = try Acknowledgements(path: folder + "/acknowledged", count: count)
        let log = EventLog(LogEvent.Run(id: "r-kill", part: "launch-1"), to: FileSink(folder: folder), options: options)
        for thread in 0..<threads {
            Thread.detachNewThread {
                record(thread, in: log, journal)
            }
        }
        while journal.count == 0 || journal.count + log.counts.lost < count / 3 { usleep(2_000) }
        kill(getpid(), SIGKILL)
    }

    /// Records a thread's numbered events.
    private static func record(_ thread: Int, in log: EventLog, _ journal: Acknowledgements) {
        for number in thread * eventsPerThread..<(thread + 1) * eventsPerThread {
            let metric = LogEvent.CustomMetric(
                place: LogEvent.Place(page: "Thread"), id: "number", unit: "points", values: [Double(number)])
            log.record(.metric(metric)) { if $0 == .written { journal.note(number) } }
        }
    }
}

/// The acknowledged numbers, in memory shared by two processes that outlives both.
private final class Acknowledgements: @unchecked Sendable {
    private let bytes: UnsafeMutableBufferPointer<UInt8>

    init(path: String, count: Int) throws {
        let file = open(path, O_RDWR | O_CREAT, 0o644)
        defer { close(file) }
        guard file >= 0, ftruncate(file, off_t(count)) == 0,
            let memory = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED
        else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        bytes = UnsafeMutableBufferPointer(start: memory.assumingMemoryBound(to: UInt8.self), count: count)
    }

    deinit { munmap(bytes.baseAddress, bytes.count) }

    /// The log calls it on its only thread.
    func note(_ number: Int) { bytes[number] = 1 }

    var count: Int { bytes.count { $0 == 1 } }

    var numbers: Set<Int> { Set(bytes.indices.filter { bytes[$0] == 1 }) }
}
