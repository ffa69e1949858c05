/// The slowest visit of a page: the one with the longest initial load, then the longest first layout.
public struct VisitTrace: Sendable, Hashable {
    /// A phase of the visit.
    public struct Phase: Sendable, Hashable {
        /// The identifier of its metric, such as `ttil`.
        public let metric: String
        /// How long it took, in ms; finite.
        public let milliseconds: Double

        /// Makes a phase of its parts.
        public init(metric: String, milliseconds: Double) {
            self.metric = metric
            self.milliseconds = milliseconds
        }
    }

    /// The identifier of the run.
    public let run: String
    /// The launch; `nil` where the log doesn't say.
    public let part: String?
    /// The repetition of the test within the run, from 0.
    public let iteration: Int
    /// How long the visit lasted, in ms; `nil` where the log doesn't say.
    public let durationMS: Double?
    /// Its measured phases in the order of the page metrics.
    public let phases: [Phase]

    /// Makes a trace of its parts.
    public init(run: String, part: String? = nil, iteration: Int, durationMS: Double? = nil, phases: [Phase]) {
        self.run = run
        self.part = part
        self.iteration = iteration
        self.durationMS = durationMS
        self.phases = phases
    }
}
