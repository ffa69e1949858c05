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
        public var counting: Counting

        /// Makes a screen of which only the duration is known.
        public init(place: Place, duration: Milliseconds, counting: Counting = .exact) {
            self.place = place
            self.duration = duration
            self.counting = counting
        }
    }

    /// Values of a metric that has no line of its own, such as `launch`.
    public struct Metric: Hashable, Sendable {
        /// Where it was measured.
        public var place: Place
        /// The metric's identifier.
        public var id: String
        /// The unit's symbol, such as `ms`.
        public var unit: String
        /// Whether a greater value is the better one; `nil`: as perfgate knows the metric, else lower is better.
        public var isHigherBetter: Bool?
        /// The values, finite; empty: measured, and nothing happened.
        public var values: [Double]
        /// The version of the formula; `nil`: the reader's default, which is `1`.
        public var formula: String?

        /// Makes a metric of its parts.
        public init(
            place: Place, id: String, unit: String, isHigherBetter: Bool? = nil, values: [Double],
            formula: String? = nil
        ) {
            self.place = place
            self.id = id
            self.unit = unit
            self.isHigherBetter = isHigherBetter
            self.values = values
            self.formula = formula
        }
    }
}
