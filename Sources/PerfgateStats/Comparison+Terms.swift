extension Comparison {
    /// What a comparison needs to know besides the samples.
    public struct Terms: Equatable, Sendable {
        /// The change that is too small to matter.
        public let tolerance: Tolerance
        /// Which number stands for the middle of a sample.
        public let centre: Centre
        /// Which direction is the better one.
        public let better: Better
        /// How improbable a change must be.
        public let significance: Significance

        /// The terms of a comparison.
        public init(tolerance: Tolerance, centre: Centre, better: Better, significance: Significance) {
            self.tolerance = tolerance
            self.centre = centre
            self.better = better
            self.significance = significance
        }
    }

    /// Which direction is the better one.
    public enum Better: String, Sendable, CaseIterable {
        /// Less is better: times, dropped frames.
        case lower
        /// More is better: frames a second, scores.
        case higher

        /// The samples with their signs such that greater is worse.
        func turned(_ samples: SortedSamples) -> SortedSamples {
            self == .lower ? samples : samples.negated
        }
    }
}
