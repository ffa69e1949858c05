import SeededRandom
@testable import PagePerformance

/// Ticks like those of a display link.
enum TickStream {
    static let interval: UInt64 = 16_666_667

    /// Ticks of a 60 Hz display after `start`, with these actual durations in nanoseconds.
    static func ticks(_ intervals: [UInt64], from start: UInt64 = 1_000_000_000) -> [FrameTick] {
        var timestamps = [start]
        for interval in intervals { timestamps.append(timestamps[timestamps.count - 1] + interval) }
        return timestamps.map { tick($0) }
    }

    static func tick(_ timestamp: UInt64, expected: UInt64 = interval, duration: UInt64 = interval) -> FrameTick {
        FrameTick(
            timestamp: Nanoseconds(timestamp), target: Nanoseconds(timestamp &+ expected),
            duration: Nanoseconds(duration))
    }

    /// `count` frames on time.
    static func onTime(_ count: Int) -> [UInt64] {
        [UInt64](repeating: interval, count: count)
    }

    /// Ticks that mostly follow each other at changing rates, some of them late; never backwards.
    static func plausible(_ count: Int, _ generator: inout SeededGenerator) -> [FrameTick] {
        var now = UInt64.random(in: 1...1_000_000_000_000, using: &generator)
        return (0..<count).map { _ in
            let expected: UInt64 = [8_333_333, 16_666_667, 33_333_333].randomElement(using: &generator) ?? interval
            let tick = tick(now, expected: expected, duration: 8_333_333)
            let late: UInt64 =
                Int.random(in: 0..<5, using: &generator) == 0 ? .random(in: 0...400_000_000, using: &generator) : 0
            now += expected + late
            return tick
        }
    }

    /// Ticks that no display delivers: backwards, equal, at both ends of the clock, without a due time.
    static func hostile(_ count: Int, _ generator: inout SeededGenerator) -> [FrameTick] {
        let edges: [UInt64] = [0, 1, 2, 16_666_667, .max / 2, .max - 1, .max]
        func number(_ generator: inout SeededGenerator) -> UInt64 {
            Bool.random(using: &generator)
                ? edges.randomElement(using: &generator) ?? 0 : .random(in: 0...(.max), using: &generator)
        }
        return (0..<count).map { _ in
            FrameTick(
                timestamp: Nanoseconds(number(&generator)),
                target: Bool.random(using: &generator) ? Nanoseconds(number(&generator)) : nil,
                duration: Bool.random(using: &generator) ? Nanoseconds(number(&generator)) : nil)
        }
    }
}
