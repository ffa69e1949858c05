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
