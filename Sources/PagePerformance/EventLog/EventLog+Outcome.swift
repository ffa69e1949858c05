extension EventLog {
    /// What became of an event, or of everything before a flush.
    public enum Outcome: Hashable, Sendable {
        /// The sink has it; with a file: the system has it, and a kill of the app no longer loses it.
        case written
        /// There was no room, its scroll had lost a line before, or the sink failed.
        case lost
        /// It can't be a line.
        case refused(LogEvent.Problem)
        /// Its visit isn't among those that are logged.
        case sampledOut
        /// The log was closed before.
        case closed
    }

    /// Hears of an outcome, on whatever thread knows it first; it must return soon.
    public typealias Completion = @Sendable (Outcome) -> Void

    /// What became of all events so far. Those that wait to be written are in none of the counts.
    public struct Counts: Hashable, Sendable {
        /// The events that the sink has.
        public internal(set) var written = 0
        /// Those that were lost.
        public internal(set) var lost = 0
        /// Those that can't be lines.
        public internal(set) var refused = 0
        /// Those whose visit isn't among those that are logged.
        public internal(set) var sampledOut = 0
        /// Those that came after the log was closed.
        public internal(set) var late = 0
    }
}
