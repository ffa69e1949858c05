extension FrameDropDetector {
    /// How a detector measures.
    public struct Configuration: Hashable, Sendable {
        /// How frames are counted.
        public var counting: FrameCounting

        /// What the ticks' timestamps are taken from.
        public var clock: FrameClock

        /// The highest frame rate of the display, above 0.
        public var maxFPS: Int

        /// Whether ticks count where no scroll has begun; those of other screen activity are then counted too.
        public var countsOutsideScrolls: Bool

        /// How many ticks are kept for the sink's segment records; below 2 none are.
        public var keptTicks: Int

        /// Makes a configuration; by default every tick of a 60 Hz display is counted exactly, and none kept.
        public init(
            counting: FrameCounting = .exact, clock: FrameClock = .vsync, maxFPS: Int = 60,
            countsOutsideScrolls: Bool = true, keptTicks: Int = 0
        ) {
            self.counting = counting
            self.clock = clock
            self.maxFPS = maxFPS
            self.countsOutsideScrolls = countsOutsideScrolls
            self.keptTicks = keptTicks
        }
    }
}
