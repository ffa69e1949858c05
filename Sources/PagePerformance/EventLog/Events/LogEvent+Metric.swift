extension LogEvent {
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
