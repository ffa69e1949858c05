/// The frames of one scroll, or of a screen outside its scrolls, over time: few buckets, each with its worst frame.
public struct FrameTimeline: Sendable, Hashable {
    /// What happened in one stretch of time.
    public struct Bucket: Sendable, Hashable {
        /// How long the longest frame that began in it stayed, in ms; above 0.
        public let longestMS: Double
        /// How long that frame should have stayed, in ms; above 0.
        public let budgetMS: Double
        /// How many frames were dropped in it; at least 0.
        public let droppedFrames: Int
        /// How many of its frames came later than the tolerance allows; at least 0.
        public let hitches: Int

        /// Makes a bucket of its parts.
        public init(longestMS: Double, budgetMS: Double, droppedFrames: Int = 0, hitches: Int = 0) {
            self.longestMS = longestMS
            self.budgetMS = budgetMS
            self.droppedFrames = droppedFrames
            self.hitches = hitches
        }
    }

    /// How much time a bucket stands for, in ms; above 0.
    public let bucketMS: Double
    /// The buckets in the order of time, at most 48; `nil` where no frame began.
    public let buckets: [Bucket?]

    /// Makes a timeline of its parts.
    public init(bucketMS: Double, buckets: [Bucket?]) {
        self.bucketMS = bucketMS
        self.buckets = buckets
    }
}
