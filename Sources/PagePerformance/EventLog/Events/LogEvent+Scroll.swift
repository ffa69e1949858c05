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

        /// Makes an end of a scroll of its parts.
        public init(place: Place, scroll: Int, duration: Milliseconds) {
            self.place = place
            self.scroll = scroll
            self.duration = duration
        }
    }
}
