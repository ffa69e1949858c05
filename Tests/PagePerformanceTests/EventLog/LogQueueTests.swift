import Testing

@testable import PagePerformance

/// Events waiting to be written, and events that don't fit.
struct LogQueueTests {
    private static func scroll(_ number: Int, page: String = "P") -> LogEvent {
        .scroll(LogEvent.Scroll(place: LogEvent.Place(page: page), scroll: number, duration: .zero))
    }

    private static func frames(_ count: Int) -> LogEvent {
        .frames(
            LogEvent.Frames(
                place: LogEvent.Place(page: "P"), scroll: 9,
                ticks: Array(
                    repeating: FrameTick(timestamp: .zero), count: count)))
    }

    /// Appends scrolls, and returns which were accepted.
    private static func append(_ numbers: Range<Int>, to queue: inout LogQueue) -> [Bool] {
        numbers.map { queue.append(scroll($0), completion: nil) }
    }

    @Test func givesEverythingInOrder() {
        var queue = LogQueue(limit: 1 << 20)
        let taken = Self.append(0..<5, to: &queue)
        #expect(!taken.contains(false))
        queue.append(.flush { _ in })
        let numbers = queue.take().entries.map { entry -> Int? in
            if case .event(let event, lost: 0, _) = entry { event.scrollKey?.scroll } else { nil }
        }
        #expect(numbers == [0, 1, 2, 3, 4, nil])
        #expect(queue.isEmpty)
    }

    @Test func losesWhatHasNoRoomAndSaysOfWhichScroll() {
        var queue = LogQueue(limit: Self.scroll(0).memory * 3)
        let taken = Self.append(0..<5, to: &queue)
        #expect(taken == [true, true, true, false, false])
        #expect(queue.lost == 2)
        let batches = [queue.take(), queue.take()]
        #expect(batches.map(\.lost) == [2, 2])
        #expect(batches.map { $0.damaged.map(\.scroll).sorted() } == [[3, 4], []])
    }

    @Test func countsWhatIsBeingWrittenUntilItIsReleased() {
        var queue = LogQueue(limit: Self.scroll(0).memory * 2)
        let first = Self.append(0..<1, to: &queue)
        #expect(queue.isHalfFull)
        _ = queue.take()
        let whileWriting = Self.append(1..<3, to: &queue)
        queue.release()
        let after = Self.append(3..<5, to: &queue)
        #expect([first, whileWriting, after] == [[true], [true, false], [true, false]])
    }

    @Test func everyEntrySaysWhatWasLostBeforeIt() {
        var queue = LogQueue(limit: Self.scroll(0).memory)
        _ = Self.append(0..<2, to: &queue)
        _ = queue.take()
        queue.release()
        _ = Self.append(2..<3, to: &queue)
        guard case .event(_, lost: 1, _) = queue.take().entries.first else {
            Issue.record("the loss is not told")
            return
        }
    }

    @Test func weighsListsAndTextsByTheirLength() {
        #expect(Self.frames(1_000).memory - Self.frames(0).memory == 1_000 * MemoryLayout<FrameTick>.stride)
        #expect(Self.scroll(0, page: String(repeating: "P", count: 500)).memory - Self.scroll(0).memory == 499)
        var visit = LogEvent.Visit(place: LogEvent.Place(page: "P"))
        let empty = LogEvent.visit(visit).memory
        visit.additionalLoads = Array(repeating: .zero, count: 100)
        visit.richContentLoads = [
            RichContentLoad(duration: .zero, outcome: .loaded, url: String(repeating: "u", count: 900))
        ]
        #expect(LogEvent.visit(visit).memory >= empty + 800 + 900)
    }

    @Test func noFloodOfDamageTakesMemory() {
        var queue = LogQueue(limit: 0)
        let taken = Self.append(0..<ScrollLedger.limit * 3, to: &queue)
        let batch = queue.take()
        #expect(!taken.contains(true))
        #expect(batch.damaged.count == ScrollLedger.limit + 1)
    }
}
