import Testing
import SeededRandom

@testable import PagePerformance

/// The published recorders reckon in seconds; whole nanoseconds give what they give.
struct PublishedArithmeticTests {
    @Test(arguments: 0..<50 as Range<UInt64>)
    func droppedFrames(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let ticks = TickStream.plausible(200, &generator)
        var counter = ScrollCounter(counting: .published)
        let read = ticks.map { counter.advance(to: $0) }
        let seconds = zip(ticks, ticks.dropFirst()).map { first, second in
            let frames =
                (Self.seconds(second.timestamp) - Self.seconds(first.timestamp)) / Self.seconds(second.duration)
            return frames >= 1.5 ? Int(frames.rounded()) : 0
        }
        #expect(read == [0] + seconds, "seed \(seed)")
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func screens(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let ticks = TickStream.plausible(200, &generator)
        var counter = ScreenCounter(counting: .published, maxFPS: 120)
        for tick in ticks { counter.advance(to: tick) }
        let record = try #require(counter.record(screen: "Search"))

        let pairs = Array(zip(ticks, ticks.dropFirst()))
        let times = pairs.map { max(Self.seconds($1.timestamp), Self.seconds($0.due)) - Self.seconds($0.timestamp) }
        let late = pairs.map { max(0, Self.seconds($1.timestamp) - Self.seconds($0.due)) }
        let counted = Array(zip(times, late).dropFirst())
        let hang = counted.reduce(0) { $0 + max(0, $1.0 - 0.25) }
        let hitch = counted.reduce(0) { $0 + $1.1 }
        let duration = counted.reduce(0) { $0 + $1.0 }
        #expect(record.frameCount == counted.count)
        #expect(abs(try #require(record.firstFPS) * times[0] - 1) < 1e-6, "seed \(seed)")
        #expect(abs(try #require(record.fpsMean) - Double(counted.count) / duration) < 1e-6, "seed \(seed)")
        #expect(abs(try #require(record.fpsMin) - (counted.map { 1 / $0.0 }.min() ?? 0)) < 1e-6, "seed \(seed)")
        #expect(abs(try #require(record.fpsMax) - (counted.map { 1 / $0.0 }.max() ?? 0)) < 1e-4, "seed \(seed)")
        #expect(abs(try #require(record.hitchRatio) - 1_000 * hitch / duration) < 1e-4, "seed \(seed)")
        #expect(abs(try #require(record.hangRate) - 3_600 * hang / duration) < 1e-4, "seed \(seed)")
    }

    private static func seconds(_ time: Nanoseconds?) -> Double {
        Double(time?.count ?? 0) / 1e9
    }
}
