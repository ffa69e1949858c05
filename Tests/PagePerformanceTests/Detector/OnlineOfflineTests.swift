import Testing
import SeededRandom

@testable import PagePerformance

/// A running detector gives exactly the metrics that are later computed from its ticks.
struct OnlineOfflineTests {
    /// A rehearsed detector's records.
    private struct Performance {
        let rehearsal: Rehearsal
        let records = KeptRecords()
        let clock: FrameClock

        init(seed: UInt64, keptTicks: Int = 0, hostile: Bool) {
            var generator = SeededGenerator(seed: seed)
            let ticks = hostile ? TickStream.hostile(150, &generator) : TickStream.plausible(150, &generator)
            rehearsal = Rehearsal(ticks, &generator)
            clock = seed % 3 == 0 ? .other : .vsync
            let detector = FrameDropDetector(FrameDropDetector.Configuration(clock: clock, keptTicks: keptTicks))
            detector.sink = records
            rehearsal.perform(on: detector)
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>, [false, true])
    func everyScrollHasTheSumsOfItsSegments(_ seed: UInt64, _ hostile: Bool) {
        let performance = Performance(seed: seed, hostile: hostile)
        var generator = SeededGenerator(seed: seed)
        let offline = performance.rehearsal.scrolls.enumerated().compactMap { number, segments in
            ScrollRecord(
                number: number, counting: .exact,
                frames: ScrollFrames(segments: segments.shuffled(using: &generator), clock: performance.clock))
        }
        #expect(performance.records.scrolls == offline, "seed \(seed)")
    }

    @Test(arguments: 0..<60 as Range<UInt64>, [false, true])
    func everyMetricOfAnIterationIsTheSame(_ seed: UInt64, _ hostile: Bool) {
        let performance = Performance(seed: seed, keptTicks: 1_000, hostile: hostile)
        var generator = SeededGenerator(seed: seed)
        var offline = IterationScrolls()
        for segments in performance.rehearsal.scrolls.shuffled(using: &generator) {
            offline.add(ScrollFrames(segments: segments, clock: performance.clock))
        }
        var logged = IterationScrolls()
        for (scroll, segments) in Self.loggedSegments(performance.records) where scroll != nil {
            logged.add(ScrollFrames(segments: segments, clock: performance.clock))
        }
        let scrolls = performance.records.scrolls
        for metric in FrameMetric.allCases {
            let online = scrolls.isEmpty ? nil : Self.value(of: metric, scrolls)
            let expected = offline.pairs > 0 ? offline.value(of: metric) : nil
            #expect(online == expected, "seed \(seed): \(metric)")
            #expect((logged.pairs > 0 ? logged.value(of: metric) : nil) == expected, "seed \(seed): \(metric)")
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>, [2, 3, 7])
    func keptTicksLoseNoIntervalWhereTheyAreCut(_ seed: UInt64, _ keptTicks: Int) {
        let performance = Performance(seed: seed, keptTicks: keptTicks, hostile: seed % 2 == 0)
        let logged = Self.loggedSegments(performance.records)
        for (number, segments) in performance.rehearsal.scrolls.enumerated() {
            let offline = ScrollFrames(segments: segments, clock: performance.clock)
            let frames = ScrollFrames(segments: logged[number] ?? [], clock: performance.clock)
            #expect(frames == offline, "seed \(seed), scroll \(number)")
        }
        #expect(performance.records.segments.allSatisfy { (2...keptTicks).contains($0.timestamps.count) })
        let numbers = performance.records.segments.map(\.segment)
        #expect(numbers == Array(0..<numbers.count))
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func dropsAddUpToTheirScroll(_ seed: UInt64) {
        let records = Performance(seed: seed, hostile: false).records
        for scroll in records.scrolls {
            let drops = records.drops.filter { $0.scroll == scroll.number }
            #expect(drops.reduce(0) { $0 + $1.framesDropped } == scroll.drops.total, "seed \(seed)")
            #expect(drops.count == scroll.drops.events, "seed \(seed)")
            #expect(drops.map(\.framesDropped).max() ?? 0 == scroll.drops.worst, "seed \(seed)")
        }
    }

    /// The ticks of the records, by scroll.
    private static func loggedSegments(_ records: KeptRecords) -> [Int?: [[FrameTick]]] {
        Dictionary(grouping: records.segments, by: \.scroll).mapValues { segments in
            segments.map { segment in
                segment.timestamps.indices.map { index in
                    FrameTick(
                        timestamp: Nanoseconds(segment.timestamps[index]),
                        target: segment.targets.map { Nanoseconds($0[index]) }, duration: segment.duration)
                }
            }
        }
    }

    /// The definition of the metric, applied to the records of an iteration's scrolls.
    private static func value(of metric: FrameMetric, _ scrolls: [ScrollRecord]) -> Double? {
        let duration = scrolls.reduce(Nanoseconds.zero) { $0 + $1.duration }
        let hitch = scrolls.reduce(Nanoseconds.zero) { $0 + ($1.hitch ?? .zero) }
        let threadHang = scrolls.reduce(Nanoseconds.zero) { $0 + $1.threadHang }
        return switch metric {
        case .droppedFrames: scrolls.map(\.drops.worst).max().map(Double.init)
        case .dropEvents: scrolls.map(\.drops.events).max().map(Double.init)
        case .droppedFramesTotal: Double(scrolls.reduce(0) { $0.saturatingSum($1.drops.total) })
        case .droppedFramesScroll: scrolls.map(\.drops.total).max().map(Double.init)
        case .hitchRatio: 1_000 * Double(hitch.count) / Double(duration.count)
        case .scrollThreadHang: Milliseconds(threadHang).value
        case .hitchRatioScreen, .hangRate, .fpsMean, .fpsMin, .fpsMax, .firstFPS, .firstFrame: nil
        }
    }
}
