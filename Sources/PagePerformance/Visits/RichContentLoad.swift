/// The wait for one image during a visit, from its placeholder to its end.
public struct RichContentLoad: Hashable, Sendable {
    /// How the wait ended.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// The image was shown.
        case loaded
        /// The placeholder went away without its image: scrolled off, reused, or left with the page.
        case hidden
    }

    /// How long the placeholder was visible, at least 0; 0 where the image was there before it was seen.
    public var duration: Milliseconds
    /// How the wait ended; only `loaded` ones count towards the mean.
    public var outcome: Outcome
    /// Where the image came from, as the app told it; `nil` where that is unknown, too long, or the wait too short.
    public var url: String?

    /// Makes an entry.
    public init(duration: Milliseconds, outcome: Outcome, url: String? = nil) {
        self.duration = duration
        self.outcome = outcome
        self.url = url
    }
}
