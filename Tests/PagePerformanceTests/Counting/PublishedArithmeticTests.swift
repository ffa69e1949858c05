import Testing
import SeededRandom

@testable import PagePerformance

/// The published recorders, implemented as their articles describe them, in seconds. Over random lives of 100 ticks,
/// whole nanoseconds give the same results.
struct PublishedArithmeticTests {
    private static let seeds = UInt64(0)..<800

    /// Ticks that mostly follow each other; one in ten has no duration.
    private static func ticks(_ generator: inout SeededGenerator) -> [FrameTick] {
        TickStream.plausible(100, &generator).map { tick in
            Int.random(in: 0..<10, using: &generator) > 0
                ? tick : FrameTick(timestamp: tick.timestamp, target: tick.due, duration: .zero)
        }
    }

    @Test func droppedFrames() {
        var (reported, pauses) = (0, 0)
        for seed in Self.seeds {
            var generator = SeededGenerator(seed: seed)
            var published = PublishedDetector()
            let detector = FrameDropDetector(FrameDropDetector.Configuration(counting: .published))
            let records = KeptRecords()
            detector.sink = records
            for tick in Self.ticks(&generator) {
                switch Int.random(in: 0..<24, using: &generator) {
                case 0: (published.isPaused, _) = (true, detector.pause())
                case 1, 2, 3: (published.isPaused, _) = (false, detector.resume())
                case 4: (published.isPaused, _) = (true, detector.willResignActive())
                case 5, 6: (published.isPaused, published.last, _) = (false, 0, detector.didBecomeActive())
                case 7: (published.frames, published.events, _) = (0, 0, detector.clearFrameDropCount())
                default: break
                }
                published.tick(Self.seconds(tick.timestamp), duration: Self.seconds(tick.duration))
                detector.tick(tick)
                pauses += published.isPaused ? 1 : 0
                #expect(detector.isPaused == published.isPaused, "seed \(seed)")
                #expect(detector.currentFrameDropCount == published.frames, "seed \(seed)")
                #expect(detector.currentFrameDropEventCount == published.events, "seed \(seed)")
            }
            #expect(records.drops.map(\.framesDropped) == published.reports, "seed \(seed)")
            reported += published.reports.count
        }
        #expect(reported > 5_000 && pauses > 5_000)
    }

    @Test func screens() throws {
        var (screens, hangs) = (0, 0)
        for seed in Self.seeds {
            var generator = SeededGenerator(seed: seed)
            var published = PublishedTracker()
            let tracker = ScreenPerformanceTracker(counting: .published, maxFPS: 120)
            tracker.track(screen: "A")
            for tick in Self.ticks(&generator) + [nil] as [FrameTick?] {
                if tick == nil || Int.random(in: 0..<30, using: &generator) == 0 {
                    let record = tracker.track(screen: "A")
                    // A visit of fewer than two frames is dropped.
                    let expected = published.frames > 1 ? published : nil
                    published = PublishedTracker(last: published.last, lastTarget: published.lastTarget)
                    #expect((record == nil) == (expected == nil), "seed \(seed)")
                    guard let record, let expected else { continue }
                    (screens, hangs) = (screens + 1, hangs + (expected.hang > 0 ? 1 : 0))
                    let pairs: [(Double?, Double)] = [
                        (record.firstFPS, try #require(expected.firstFPS)),
                        (record.fpsMean, Double(expected.frames) / expected.time),
                        (record.fpsMin, min(120, 1 / expected.longest)), (record.fpsMax, 1 / expected.shortest),
                        (record.hitchRatio, 1_000 * expected.hitch / expected.time),
                        (record.hangRate, 3_600 * expected.hang / expected.time),
                    ]
                    for (place, (ours, theirs)) in pairs.enumerated() {
                        #expect(abs(try #require(ours) - theirs) < 1e-4 * max(1, theirs), "seed \(seed): \(place)")
                    }
                    #expect(record.frameCount == expected.frames, "seed \(seed)")
                }
                if Int.random(in: 0..<30, using: &generator) == 0 {
                    published.last = 0
                    tracker.interrupt()
                }
                guard let tick else { continue }
                published.tick(Self.seconds(tick.timestamp), target: Self.seconds(tick.due))
                tracker.tick(tick)
            }
        }
        #expect(screens > 2_000 && hangs > 500)
    }

    private static func seconds(_ time: Nanoseconds?) -> Double {
        Double(time?.count ?? 0) / 1e9
    }
}

/// KSScrollPerformanceDetector as described by K. Sherman: its reports at each call of its display link.
private struct PublishedDetector {
    var isPaused = true
    var last = 0.0
    var frames = 0
    var events = 0
    var reports: [Int] = []

    mutating func tick(_ timestamp: Double, duration: Double) {
        guard !isPaused else { return }
        guard last != 0 else { return last = timestamp }
        guard duration != 0 else { return }
        let stayed = Int(((timestamp - last) / duration).rounded())
        last = timestamp
        guard stayed > 1 else { return }
        frames += stayed
        events += 1
        reports.append(stayed)
    }
}

/// hh.ru's ScreenPerformanceTracker as described in its article: the sums of one screen.
private struct PublishedTracker {
    var last = 0.0
    var lastTarget = 0.0
    var firstFPS: Double?
    var frames = 0
    var time = 0.0
    var longest = 0.0
    var shortest = Double.infinity
    var hitch = 0.0
    var hang = 0.0

    init(last: Double = 0, lastTarget: Double = 0) {
        (self.last, self.lastTarget) = (last, lastTarget)
    }

    mutating func tick(_ timestamp: Double, target: Double) {
        defer { (last, lastTarget) = (timestamp, target) }
        guard last > 0 else { return }
        let shown = max(timestamp, lastTarget) - last
        guard shown > 0 else { return }
        guard firstFPS != nil else { return firstFPS = 1 / shown }
        frames += 1
        time += shown
        (longest, shortest) = (max(longest, shown), min(shortest, shown))
        hitch += max(timestamp - lastTarget, 0)
        if shown > 0.25 { hang += shown - 0.25 }
    }
}
