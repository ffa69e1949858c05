/// The sums over all frames of a screen's life, with or without scrolling, in constant memory. Sums are whole
/// nanoseconds and the first interval keeps its position in time, so values depend neither on the order of pairs nor on
/// the order of merging.
public struct ScreenFrames: Hashable, Sendable {
    /// An interval and its position among the others.
    public struct First: Hashable, Sendable {
        /// The position of the stretch of frames among the screen's others; 0 if only timestamps decide.
        public let order: UInt64
        /// When the interval began.
        public let start: Nanoseconds
        /// Its duration, above 0.
        public let interval: Nanoseconds

        /// Makes the first interval of a stretch.
        @inlinable public init(order: UInt64, start: Nanoseconds, interval: Nanoseconds) {
            (self.order, self.start, self.interval) = (order, start, interval)
        }

        /// Whether this interval came first; of two that began together, the longer came first.
        @inlinable func precedes(_ other: First) -> Bool {
            if order != other.order { return order < other.order }
            if start != other.start { return start < other.start }
            return interval > other.interval
        }
    }

    /// The position of this stretch of frames among the screen's others, which takes precedence over timestamps.
    public let order: UInt64
    /// The number of measured pairs.
    public internal(set) var pairs = 0
    /// The pairs that were left out because their frame had no due time after itself.
    public internal(set) var skippedPairs = 0
    /// Σ interval: the time covered by pairs.
    public internal(set) var duration = Nanoseconds(0)
    /// Σ hitch.
    public internal(set) var hitch = Nanoseconds(0)
    /// Σ hang.
    public internal(set) var hang = Nanoseconds(0)
    /// The longest interval; 0 without pairs.
    public internal(set) var longest = Nanoseconds(0)
    /// The shortest time that a frame was shown: until the next frame, and at least until its due time, because no
    /// display shows a frame for less; the longest time without pairs.
    public internal(set) var shortest = Nanoseconds(UInt64.max)
    /// The first interval after the screen opened; `nil` without one.
    public internal(set) var first: First?

    /// Makes a screen without frames; `order` ranks stretches whose timestamps aren't comparable.
    public init(order: UInt64 = 0) { self.order = order }

    /// Adds a tick by its role in the segment.
    public mutating func add(_ step: FrameSegment.Step, hangThreshold: Nanoseconds = .hangThreshold) {
        switch step {
        case .pair(let pair): add(pair, hangThreshold: hangThreshold)
        case .unmeasurable: skippedPairs = skippedPairs.saturatingSum(1)
        case .opened, .repeated, .reversed: break
        }
    }

    /// Adds a pair of neighbours.
    public mutating func add(_ pair: FramePair, hangThreshold: Nanoseconds = .hangThreshold) {
        note(first: First(order: order, start: pair.start, interval: pair.interval))
        add(
            interval: pair.interval, shown: max(pair.interval, pair.expected), hitch: pair.hitch,
            hang: pair.hang(from: hangThreshold))
    }

    /// Adds frames that were on time and began after `first`.
    package mutating func add(_ frames: OnTimeFrames) {
        pairs = pairs.saturatingSum(frames.pairs)
        duration += frames.duration
        longest = max(longest, frames.longest)
        shortest = min(shortest, frames.shortest)
    }

    /// Adds the frames of another stretch of the same screen.
    public mutating func merge(_ other: ScreenFrames) {
        pairs = pairs.saturatingSum(other.pairs)
        skippedPairs = skippedPairs.saturatingSum(other.skippedPairs)
        duration += other.duration
        hitch += other.hitch
        hang += other.hang
        longest = max(longest, other.longest)
        shortest = min(shortest, other.shortest)
        if let candidate = other.first { note(first: candidate) }
    }

    /// Adds an interval whose frame was shown until it was due, if the next frame came early.
    mutating func add(interval: Nanoseconds, shown: Nanoseconds, hitch: Nanoseconds, hang: Nanoseconds) {
        pairs = pairs.saturatingSum(1)
        duration += interval
        self.hitch += hitch
        self.hang += hang
        longest = max(longest, interval)
        shortest = min(shortest, shown)
    }

    mutating func note(first candidate: First) {
        guard let known = first else { return first = candidate }
        if candidate.precedes(known) { first = candidate }
    }

    /// Hitch time in ms per second of the screen's life; `nil` without an interval.
    public var hitchRatio: Double? { FrameRates.hitchRatio(hitch: hitch, duration: duration) }

    /// Hang time in seconds per hour of the screen's life; `nil` without an interval.
    public var hangRate: Double? { FrameRates.hangRate(hang: hang, duration: duration) }

    /// Intervals per second; `nil` without an interval.
    public var fpsMean: Double? { FrameRates.framesPerSecond(frames: pairs, duration: duration) }

    /// Frames per second at the longest interval; `nil` without an interval.
    public var fpsMin: Double? { pairs > 0 ? FrameRates.framesPerSecond(frames: 1, duration: longest) : nil }

    /// Frames per second at the shortest time that a frame was shown; `nil` without an interval.
    public var fpsMax: Double? { pairs > 0 ? FrameRates.framesPerSecond(frames: 1, duration: shortest) : nil }

    /// Frames per second at the first interval after the screen opened; `nil` without an interval.
    public var firstFPS: Double? { first.flatMap { FrameRates.framesPerSecond(frames: 1, duration: $0.interval) } }

    /// The first interval after the screen opened; `nil` without an interval.
    public var firstFrame: Milliseconds? { first.map { Milliseconds($0.interval) } }

    /// These frames' sample for `metric`, in its unit; `nil` without one, and for metrics of scrolls.
    public func value(of metric: FrameMetric) -> Double? {
        switch metric {
        case .hitchRatioScreen: hitchRatio
        case .hangRate: hangRate
        case .fpsMean: fpsMean
        case .fpsMin: fpsMin
        case .fpsMax: fpsMax
        case .firstFPS: firstFPS
        case .firstFrame: firstFrame?.value
        case .droppedFrames, .dropEvents, .droppedFramesTotal, .droppedFramesScroll, .hitchRatio, .scrollThreadHang: nil
        }
    }
}

/// The measurement of a screen between its opening and its end: the values of a log's `screen` line.
public struct ScreenRecord: Hashable, Sendable {
    /// The screen's name.
    public let screen: String
    /// How frames were counted; values of different countings aren't comparable.
    public let counting: FrameCounting
    /// Σ interval: the time covered by frames, above 0.
    public let duration: Nanoseconds
    /// The number of measured frames, above 0.
    public let frameCount: Int
    /// Frames per second at the first interval; `nil` without one.
    public let firstFPS: Double?
    /// Frames per second at the longest interval.
    public let fpsMin: Double?
    /// Frames per second at the shortest time that a frame was shown.
    public let fpsMax: Double?
    /// Σ hitch.
    public let hitch: Nanoseconds
    /// Σ hang.
    public let hang: Nanoseconds
    /// The interval beyond which the screen hung; hangs of different thresholds aren't comparable.
    public let hangThreshold: Nanoseconds

    /// Frames per second on average; never `nil` for a record from a counter.
    public var fpsMean: Double? { FrameRates.framesPerSecond(frames: frameCount, duration: duration) }

    /// Hitch time in ms per second.
    public var hitchRatio: Double? { FrameRates.hitchRatio(hitch: hitch, duration: duration) }

    /// Hang time in seconds per hour.
    public var hangRate: Double? { FrameRates.hangRate(hang: hang, duration: duration) }
}

/// The quotients that turn sums of times into reported values; each is `nil` if the divisor is 0.
enum FrameRates {
    /// Hitch time in ms per second (Apple's hitch time ratio, WWDC 2020 "Eliminate animation hitches with XCTest").
    static func hitchRatio(hitch: Nanoseconds, duration: Nanoseconds) -> Double? {
        duration.count == 0 ? nil : 1_000 * Double(hitch.count) / Double(duration.count)
    }

    /// Hang time in seconds per hour (Apple's hang rate, Xcode Organizer).
    static func hangRate(hang: Nanoseconds, duration: Nanoseconds) -> Double? {
        duration.count == 0 ? nil : 3_600 * Double(hang.count) / Double(duration.count)
    }

    static func framesPerSecond(frames: Int, duration: Nanoseconds) -> Double? {
        duration.count == 0 ? nil : 1_000_000_000 * Double(frames) / Double(duration.count)
    }
}

/// The metrics that come from frames, by the identifiers they have in logs, baselines and configurations.
public enum FrameMetric: String, Hashable, Sendable, CaseIterable {
    /// The most frames dropped at one instant, in one iteration.
    case droppedFrames = "dropped_frames"
    /// The most drop events in one scroll, in one iteration.
    case dropEvents = "drop_events"
    /// All frames dropped in one iteration.
    case droppedFramesTotal = "dropped_frames_total"
    /// The most frames dropped in one scroll, in one iteration.
    case droppedFramesScroll = "dropped_frames_scroll"
    /// 1000 · Σ hitch / Σ interval over one iteration's scrolls.
    case hitchRatio = "hitch_ratio"
    /// Σ (interval − expected) over the scrolling intervals that lasted twice as long as expected.
    case scrollThreadHang = "scroll_thread_hang"
    /// 1000 · Σ hitch / Σ interval over the whole life of the screen; its bands differ from those of `hitchRatio`.
    case hitchRatioScreen = "hitch_ratio_screen"
    /// 3600 · Σ hang / Σ interval over the whole life of the screen.
    case hangRate = "hang_rate"
    /// Intervals / Σ interval.
    case fpsMean = "fps_mean"
    /// 1 / the longest interval.
    case fpsMin = "fps_min"
    /// 1 / the shortest max(tᵢ, gᵢ₋₁) − tᵢ₋₁: an early tick makes no display faster.
    case fpsMax = "fps_max"
    /// 1 / the first interval after the screen opened.
    case firstFPS = "first_fps"
    /// The first interval after the screen opened.
    case firstFrame = "first_frame"

    /// The unit in which a value is reported.
    public var unit: String {
        switch self {
        case .droppedFrames, .droppedFramesTotal, .droppedFramesScroll: "frames"
        case .dropEvents: "events"
        case .hitchRatio, .hitchRatioScreen: "ms/s"
        case .hangRate: "s/h"
        case .fpsMean, .fpsMin, .fpsMax, .firstFPS: "fps"
        case .scrollThreadHang, .firstFrame: "ms"
        }
    }

    /// Whether a greater value is better.
    public var isHigherBetter: Bool { unit == "fps" }

    /// Whether the metric comes from scrolls only, and not from the whole life of the screen.
    public var isFromScrolls: Bool {
        switch self {
        case .droppedFrames, .dropEvents, .droppedFramesTotal, .droppedFramesScroll, .hitchRatio, .scrollThreadHang:
            true
        case .hitchRatioScreen, .hangRate, .fpsMean, .fpsMin, .fpsMax, .firstFPS, .firstFrame: false
        }
    }
}
