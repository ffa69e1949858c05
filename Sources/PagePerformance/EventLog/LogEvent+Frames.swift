extension LogEvent {
    /// All ticks of one segment: a stretch without a pause.
    public struct Frames: Hashable, Sendable {
        /// Where it was measured.
        public var place: Place
        /// The scroll's number within page and iteration, from 0; `nil` outside scrolls.
        public var scroll: Int?
        /// The segment's number within the scroll, or outside scrolls within the iteration; from 0.
        public var segment: Int
        /// The ticks, in the order in which they came.
        public var ticks: [FrameTick]
        /// What their timestamps are taken from.
        public var clock: FrameClock

        /// Makes a segment of its parts.
        public init(
            place: Place, scroll: Int? = nil, segment: Int = 0, ticks: [FrameTick], clock: FrameClock = .vsync
        ) {
            self.place = place
            self.scroll = scroll
            self.segment = segment
            self.ticks = ticks
            self.clock = clock
        }
    }

    /// One tick. A log writes it as it comes, so that a kill loses little; a line a tick is 5 times as long.
    public struct Frame: Hashable, Sendable {
        /// Where it was measured.
        public var place: Place
        /// The scroll's number within page and iteration, from 0; `nil` outside scrolls.
        public var scroll: Int?
        /// The segment's number, which doesn't fall while a scroll goes on; from 0.
        public var segment: Int
        /// The tick.
        public var tick: FrameTick
        /// What its timestamp is taken from.
        public var clock: FrameClock

        /// Makes a frame of its parts.
        public init(
            place: Place, scroll: Int? = nil, segment: Int = 0, tick: FrameTick, clock: FrameClock = .vsync
        ) {
            self.place = place
            self.scroll = scroll
            self.segment = segment
            self.tick = tick
            self.clock = clock
        }
    }
}

extension LogEvent.Frames {
    /// Takes a stretch of ticks that a detector kept.
    public init(_ segment: SegmentRecord, place: LogEvent.Place) {
        let ticks = segment.timestamps.enumerated().map { index, timestamp in
            FrameTick(
                timestamp: Nanoseconds(timestamp), target: segment.targets.map { Nanoseconds($0[index]) },
                duration: segment.duration)
        }
        self.init(place: place, scroll: segment.scroll, segment: segment.segment, ticks: ticks, clock: segment.clock)
    }
}

extension LogEvent {
    /// Frames dropped at one instant of a scroll.
    public struct FrameDrop: Hashable, Sendable {
        /// Where it was measured.
        public var place: Place
        /// The scroll's number within page and iteration, from 0.
        public var scroll: Int
        /// How many frames were dropped, 0 or more.
        public var framesDropped: Int
        /// All frames dropped in this scroll so far, these included; 0 or more.
        public var cumulativeFrames: Int
        /// The instants of this scroll so far at which frames were dropped, this one included; 0 or more.
        public var cumulativeEvents: Int
        /// How they were counted.
        public var counting: FrameCounting

        /// Makes a drop of its parts.
        public init(
            place: Place, scroll: Int, framesDropped: Int, cumulativeFrames: Int, cumulativeEvents: Int,
            counting: FrameCounting = .exact
        ) {
            self.place = place
            self.scroll = scroll
            self.framesDropped = framesDropped
            self.cumulativeFrames = cumulativeFrames
            self.cumulativeEvents = cumulativeEvents
            self.counting = counting
        }
    }

    /// The end of a scroll, which makes "no frame dropped" a measurement.
    public struct Scroll: Hashable, Sendable {
        /// Where it was measured.
        public var place: Place
        /// The scroll's number within page and iteration, from 0.
        public var scroll: Int
        /// How long it lasted; finite, 0 or more.
        public var duration: Milliseconds
        /// What its intervals add up to, so that no tick has to be kept for it.
        public var sums = ScrollSums()

        /// Makes an end of a scroll of its parts.
        public init(place: Place, scroll: Int, duration: Milliseconds) {
            self.place = place
            self.scroll = scroll
            self.duration = duration
        }
    }
}

extension LogEvent {
    /// What the frames of a screen were over its whole life.
    public struct Screen: Hashable, Sendable {
        /// Where it was measured.
        public var place: Place
        /// How long the screen was measured, more than 0.
        public var duration: Milliseconds
        /// How many frames it showed, 0 or more; `nil` where they were not counted.
        public var frameCount: Int?
        /// Frames per second of the first interval, above 0; `nil` where there was none.
        public var firstFPS: Double?
        /// Frames per second of the longest interval, 0 or more; `nil` where there was none.
        public var minFPS: Double?
        /// Frames per second of the shortest interval, 0 or more; `nil` where there was none.
        public var maxFPS: Double?
        /// The sum of hitches, 0 or more; `nil` where they were not measured.
        public var hitch: Milliseconds?
        /// The sum of hangs, 0 or more; `nil` where they were not measured.
        public var hang: Milliseconds?
        /// Beyond which an interval was a hang.
        public var hangThreshold = Milliseconds(.hangThreshold)
        /// How it was counted.
        public var counting: FrameCounting

        /// Makes a screen of which only the duration is known.
        public init(place: Place, duration: Milliseconds, counting: FrameCounting = .exact) {
            self.place = place
            self.duration = duration
            self.counting = counting
        }
    }
}

extension LogEvent.Screen {
    /// Takes what a tracker measured.
    public init(_ record: ScreenRecord, place: LogEvent.Place) {
        self.init(place: place, duration: Milliseconds(record.duration), counting: record.counting)
        frameCount = record.frameCount
        firstFPS = record.firstFPS
        minFPS = record.fpsMin
        maxFPS = record.fpsMax
        hitch = Milliseconds(record.hitch)
        hang = Milliseconds(record.hang)
        hangThreshold = Milliseconds(record.hangThreshold)
    }
}
