extension LogEvent {
    /// All ticks of one segment: a stretch without a pause.
    public struct Frames: Hashable, Sendable {
        /// The place of the measurement.
        public var place: Place
        /// The scroll's number within page and iteration, from 0; `nil` outside scrolls.
        public var scroll: Int?
        /// The segment's number within the scroll, or outside scrolls within the iteration; from 0.
        public var segment: Int
        /// The ticks in chronological order.
        public var ticks: [FrameTick]
        /// The source of their timestamps.
        public var clock: FrameClock

        /// Makes a segment from its parts.
        public init(
            place: Place, scroll: Int? = nil, segment: Int = 0, ticks: [FrameTick], clock: FrameClock = .vsync
        ) {
            (self.place, self.scroll, self.segment, self.ticks) = (place, scroll, segment, ticks)
            self.clock = clock
        }

        /// Takes a stretch of ticks from a detector.
        public init(_ segment: SegmentRecord, place: Place) {
            let ticks = segment.timestamps.enumerated().map { index, timestamp in
                FrameTick(
                    timestamp: Nanoseconds(timestamp), target: segment.targets.map { Nanoseconds($0[index]) },
                    duration: segment.duration)
            }
            self.init(
                place: place, scroll: segment.scroll, segment: segment.segment, ticks: ticks, clock: segment.clock)
        }
    }

    /// One tick. A log writes it immediately, so a kill loses little; a line per tick is 5 times as long.
    public struct Frame: Hashable, Sendable {
        /// The place of the measurement.
        public var place: Place
        /// The scroll's number within page and iteration, from 0; `nil` outside scrolls.
        public var scroll: Int?
        /// The segment's number, which doesn't decrease during a scroll; from 0.
        public var segment: Int
        /// The tick.
        public var tick: FrameTick
        /// The source of its timestamp.
        public var clock: FrameClock

        /// Makes a frame from its parts.
        public init(place: Place, scroll: Int? = nil, segment: Int = 0, tick: FrameTick, clock: FrameClock = .vsync) {
            (self.place, self.scroll, self.segment, self.tick) = (place, scroll, segment, tick)
            self.clock = clock
        }
    }

    /// Frames dropped at one instant of a scroll.
    public struct FrameDrop: Hashable, Sendable {
        /// The place of the measurement.
        public var place: Place
        /// The scroll's number within page and iteration, from 0.
        public var scroll: Int
        /// The number of dropped frames, 0 or more.
        public var framesDropped: Int
        /// All frames dropped in this scroll so far, including these; 0 or more.
        public var cumulativeFrames: Int
        /// The instants with dropped frames in this scroll so far, including this one; 0 or more.
        public var cumulativeEvents: Int
        /// How they were counted.
        public var counting: FrameCounting

        /// Makes a drop from its parts.
        public init(
            place: Place, scroll: Int, framesDropped: Int, cumulativeFrames: Int, cumulativeEvents: Int,
            counting: FrameCounting = .exact
        ) {
            (self.place, self.scroll, self.framesDropped) = (place, scroll, framesDropped)
            (self.cumulativeFrames, self.cumulativeEvents) = (cumulativeFrames, cumulativeEvents)
            self.counting = counting
        }
    }

    /// The end of a scroll, which makes "no frame dropped" a measurement.
    public struct Scroll: Hashable, Sendable {
        /// The place of the measurement.
        public var place: Place
        /// The scroll's number within page and iteration, from 0.
        public var scroll: Int
        /// Its duration; finite, 0 or more.
        public var duration: Milliseconds
        /// The sums of its intervals, so no tick has to be kept for them.
        public var sums = ScrollSums()

        /// Makes an end of a scroll from its parts.
        public init(place: Place, scroll: Int, duration: Milliseconds) {
            (self.place, self.scroll, self.duration) = (place, scroll, duration)
        }
    }

    /// The frames of a screen over its whole life.
    public struct Screen: Hashable, Sendable {
        /// The place of the measurement.
        public var place: Place
        /// The measured duration of the screen, more than 0.
        public var duration: Milliseconds
        /// The number of frames that it showed, 0 or more; `nil` if they weren't counted.
        public var frameCount: Int?
        /// Frames per second of the first interval, above 0; `nil` without one.
        public var firstFPS: Double?
        /// Frames per second of the longest interval, 0 or more; `nil` without one.
        public var minFPS: Double?
        /// Frames per second of the shortest interval, 0 or more; `nil` without one.
        public var maxFPS: Double?
        /// The sum of hitches, 0 or more; `nil` if not measured.
        public var hitch: Milliseconds?
        /// The sum of hangs, 0 or more; `nil` if not measured.
        public var hang: Milliseconds?
        /// The interval beyond which the screen hung.
        public var hangThreshold = Milliseconds(.hangThreshold)
        /// How frames were counted.
        public var counting: FrameCounting

        /// Makes a screen with only its duration known.
        public init(place: Place, duration: Milliseconds, counting: FrameCounting = .exact) {
            (self.place, self.duration, self.counting) = (place, duration, counting)
        }

        /// Takes a tracker's measurement.
        public init(_ record: ScreenRecord, place: Place) {
            self.init(place: place, duration: Milliseconds(record.duration), counting: record.counting)
            frameCount = record.frameCount
            (firstFPS, minFPS, maxFPS) = (record.firstFPS, record.fpsMin, record.fpsMax)
            (hitch, hang) = (Milliseconds(record.hitch), Milliseconds(record.hang))
            hangThreshold = Milliseconds(record.hangThreshold)
        }
    }
}
