extension LogEvent {
    /// The head of a stream: which launch of which run it is, and under which conditions it measured.
    public struct Run: Hashable, Sendable {
        /// The run's identifier, which all launches of one stretch of measuring share.
        public var id: String
        /// The launch of the app within the run, such as `launch-1`; unlike that of any other stream of the run.
        public var part: String
        /// Which share of the tests this machine has, such as `2/5`; `nil` where the run isn't spread.
        public var shard: String?
        /// Whether the stream promises an `end` line: without one the gate then takes it for bad data.
        public var expectsEnd: Bool
        /// When the launch began, in ISO 8601, UTC; `nil` where no clock was given.
        public var startedAt: String?
        /// What is measured.
        public var app: AppFacts
        /// What it is measured on.
        public var device: DeviceFacts
        /// The conditions at the start.
        public var conditions: DeviceConditions

        /// Makes a head of its parts.
        public init(
            id: String, part: String, shard: String? = nil, expectsEnd: Bool = false, startedAt: String? = nil,
            app: AppFacts = AppFacts(), device: DeviceFacts = DeviceFacts(),
            conditions: DeviceConditions = DeviceConditions()
        ) {
            self.id = id
            self.part = part
            self.shard = shard
            self.expectsEnd = expectsEnd
            self.startedAt = startedAt
            self.app = app
            self.device = device
            self.conditions = conditions
        }
    }

    /// The foot of a stream.
    public struct End: Hashable, Sendable {
        /// The run's identifier, as in the head.
        public var run: String
        /// The launch, as in the head.
        public var part: String
        /// How many lines the stream would have if none had been lost: the head and this one included.
        public var lines: Int
        /// How many of them were lost, 0 or more.
        public var lost: Int

        /// Makes a foot of its parts.
        public init(run: String, part: String, lines: Int, lost: Int = 0) {
            self.run = run
            self.part = part
            self.lines = lines
            self.lost = lost
        }
    }
}
