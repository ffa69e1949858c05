import PagePerformance
import Testing

@testable import PageSimulator

/// The times of frames and of other events.
struct TimelineTests {
    /// 100 Hz makes frame numbers readable.
    private let timeline = Timeline(start: .seconds(1), framesPerSecond: 100)
    private let events = Events()

    private final class Events {
        var all: [String] = []
    }

    init() {
        timeline.onTick = { [events] tick in
            events.all.append("frame \((tick.timestamp.count - 1_000_000_000) / 10_000_000)")
        }
    }

    @Test func aFrameComesAtEachVsync() {
        timeline.run(for: .milliseconds(35))
        #expect(events.all == ["frame 1", "frame 2", "frame 3"])
        #expect(timeline.clock.now == .milliseconds(1_035))
        timeline.run(for: .milliseconds(5))
        #expect(events.all.last == "frame 4")
    }

    @Test func thingsHappenInOrderBetweenFrames() {
        timeline.after(.milliseconds(15)) { [events] in events.all.append("second") }
        timeline.after(.milliseconds(5)) { [events, timeline] in
            events.all.append("first")
            timeline.after(.milliseconds(10)) { events.all.append("third") }
        }
        timeline.run(for: .milliseconds(25))
        #expect(events.all == ["first", "frame 1", "second", "third", "frame 2"])
    }

    @Test func nothingHappensWhileTheThreadWorks() {
        timeline.after(.milliseconds(5)) { [events] in events.all.append("late") }
        timeline.work(.milliseconds(25))
        #expect(events.all.isEmpty)
        timeline.run(for: .milliseconds(6))
        #expect(events.all == ["late", "frame 3"])
    }

    @Test(arguments: 0...5)
    func aStallDropsItsFrames(frames: Int) {
        timeline.run(for: .milliseconds(12))
        timeline.stall(frames: frames)
        timeline.run(for: .milliseconds(100))
        #expect(Array(events.all.prefix(2)) == ["frame 1", "frame \(2 + frames)"])
        #expect(events.all.count == 11 - frames)
    }

    @Test func aPageThatIsGoneHearsNothing() {
        timeline.after(.milliseconds(5)) { [events] in events.all.append("never") }
        timeline.forget()
        timeline.run(for: .milliseconds(9))
        #expect(events.all.isEmpty)
    }
}
