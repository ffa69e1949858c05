/// The frames of the worst iteration of a page: the one with the most frames dropped at one instant of a scroll, then
/// the most dropped frames, then the longest hitches.
public struct FrameTrace: Sendable, Hashable {
    /// The identifier of the run.
    public let run: String
    /// The launch; `nil` where the log doesn't say.
    public let part: String?
    /// The repetition of the test within the run, from 0.
    public let iteration: Int
    /// How many scrolls it had.
    public let scrollCount: Int
    /// Its scrolls in the order of their numbers; of many the worst 48.
    public let scrolls: [ScrollTrace]
    /// The frames outside scrolls over time; `nil` without ticks of them.
    public let screen: FrameTimeline?

    /// Makes a trace of its parts.
    public init(
        run: String, part: String? = nil, iteration: Int, scrollCount: Int, scrolls: [ScrollTrace],
        screen: FrameTimeline? = nil
    ) {
        self.run = run
        self.part = part
        self.iteration = iteration
        self.scrollCount = scrollCount
        self.scrolls = scrolls
        self.screen = screen
    }
}
