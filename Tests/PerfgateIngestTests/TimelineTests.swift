import PagePerformance
import PerfgateModel
import Testing
import SeededRandom

@testable import PerfgateIngest

/// Frames over time in a small number of buckets.
struct TimelineTests {
    static let budget: UInt64 = 16_666_667

    static func pair(at start: UInt64, lasting interval: UInt64) throws -> FramePair {
        try #require(
            FramePair(
                from: FrameTick(timestamp: Nanoseconds(start), target: Nanoseconds(start + budget)),
                to: FrameTick(timestamp: Nanoseconds(start + interval))))
    }

    /// Consecutive frames from a start, some of them late.
    static func pairs(_ count: Int, _ generator: inout SeededGenerator) throws -> [FramePair] {
        var time = UInt64.random(in: 0...1 << 50, using: &generator)
        return try (0..<count).map { _ in
            let late = UInt64.random(in: 0..<20, using: &generator) == 0
            let interval = late ? budget * UInt64.random(in: 2...30, using: &generator) : budget
            defer { time += interval }
            return try pair(at: time, lasting: interval)
        }
    }

    static func timeline(_ pairs: some Sequence<FramePair>) throws -> FrameTimeline {
        var recorder = TimelineRecorder()
        for pair in pairs { recorder.add(pair) }
        return try #require(recorder.timeline)
    }

    @Test func nothingIsNoTimeline() {
        #expect(TimelineRecorder().timeline == nil)
    }

    @Test func aFrameStandsInItsBucket() throws {
        let timeline = try Self.timeline([
            Self.pair(at: 1 << 24, lasting: Self.budget), Self.pair(at: 4 << 24, lasting: 3 * Self.budget),
        ])
        #expect(timeline.bucketMS == 16.777216)
        #expect(timeline.buckets.map { $0?.longestMS } == [16.666667, nil, nil, 50.000001])
        #expect(timeline.buckets.map { $0?.budgetMS } == [16.666667, nil, nil, 16.666667])
        #expect(timeline.buckets.map { $0?.droppedFrames } == [0, nil, nil, 2])
        #expect(timeline.buckets.map { $0?.hitches } == [0, nil, nil, 1])
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func bucketsKeepTheWorstAndEveryDrop(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pairs = try Self.pairs(Int.random(in: 1...2_000, using: &generator), &generator)
        let timeline = try Self.timeline(pairs)
        #expect((1...48).contains(timeline.buckets.count), "seed \(seed)")
        let filled = timeline.buckets.compactMap { $0 }
        #expect(filled.map(\.longestMS).max() == pairs.map { Double($0.interval.count) / 1_000_000 }.max())
        #expect(filled.reduce(0) { $0 + $1.droppedFrames } == pairs.reduce(0) { $0 + $1.dropped }, "seed \(seed)")
        #expect(filled.reduce(0) { $0 + $1.hitches } == pairs.count { $0.hitch.count > 0 }, "seed \(seed)")
        // Bucket by bucket, from all frames at once.
        let width = UInt64(timeline.bucketMS * 1_000_000)
        let first = try #require(pairs.map { $0.start.count / width }.min())
        let groups = Dictionary(grouping: pairs) { Int($0.start.count / width - first) }
        for (index, bucket) in timeline.buckets.enumerated() {
            let longest = groups[index]?.map { Double($0.interval.count) / 1_000_000 }.max()
            #expect(bucket?.longestMS == longest, "seed \(seed), bucket \(index)")
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func theOrderOfFramesChangesNothing(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pairs = try Self.pairs(300, &generator)
        #expect(try Self.timeline(pairs.shuffled(using: &generator)) == Self.timeline(pairs), "seed \(seed)")
    }

    @Test func clocksThatJumpFindRoom() throws {
        let ends = try [0, .max - 2 * Self.budget, 1 << 40].map { try Self.pair(at: $0, lasting: Self.budget) }
        let timeline = try Self.timeline(ends)
        #expect(timeline.buckets.count <= 48)
        #expect(timeline.buckets.first != .some(nil))
        #expect(timeline.buckets.last != .some(nil))
    }
}
