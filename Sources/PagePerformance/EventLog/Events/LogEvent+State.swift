extension LogEvent {
    /// The conditions at one moment, or what became of the log itself.
    public struct State: Hashable, Sendable {
        /// The iteration that begins, from 0; `nil`: the one that the log is in.
        public var iteration: Int?
        /// The conditions.
        public var conditions: DeviceConditions
        /// How many events this launch lost so far, because there was no room for them; `nil` where none was.
        public var eventsLost: Int?

        /// Makes a state of its parts.
        public init(
            iteration: Int? = nil, conditions: DeviceConditions = DeviceConditions(), eventsLost: Int? = nil
        ) {
            self.iteration = iteration
            self.conditions = conditions
            self.eventsLost = eventsLost
        }
    }
}
