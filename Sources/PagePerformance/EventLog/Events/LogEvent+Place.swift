extension LogEvent {
    /// Where something was measured.
    public struct Place: Hashable, Sendable {
        /// The page's name, any text with a visible character; a component tested alone is a page too.
        public var page: String
        /// The repetition of the test within the run, from 0; `nil`: the one that the log is in.
        public var iteration: Int?
        /// The visit's identifier: sampling decides by it, and a `pps` line carries it; `nil` where there is none.
        public var visit: String?
        /// The test, as `Target/Class/test`; `nil`: the one that the log is in.
        public var test: String?

        /// Makes a place of its parts.
        public init(page: String, iteration: Int? = nil, visit: String? = nil, test: String? = nil) {
            self.page = page
            self.iteration = iteration
            self.visit = visit
            self.test = test
        }
    }
}
