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
    public init(_ record: ScreenRecord, visit: String? = nil) {
        self.init(
            place: LogEvent.Place(page: record.screen, visit: visit), duration: Milliseconds(record.duration),
            counting: record.counting)
        frameCount = record.frameCount
        firstFPS = record.firstFPS
        minFPS = record.fpsMin
        maxFPS = record.fpsMax
        hitch = Milliseconds(record.hitch)
        hang = Milliseconds(record.hang)
    }
}
