/// How frames are counted: by the definitions of this library, or as two published recorders count them.
///
/// Exact counting is the one that a gate compares. Published counting is for teams whose old numbers come from
/// KSScrollPerformanceDetector or ScreenPerformanceTracker: it repeats what those do, faults included. The article
/// <doc:Counting> holds both side by side.
public enum FrameCounting: String, Hashable, Sendable, CaseIterable {
    /// By each frame's own due time; every interruption starts a new segment.
    case exact

    /// As the published recorders count.
    case published

    /// The frames that were really dropped where a recorder of this counting reports `reported` at one instant.
    ///
    /// The published detector reports the intervals that a frame stayed, one more than were dropped.
    public func dropped(reported: Int) -> Int {
        switch self {
        case .exact: max(0, reported)
        case .published: reported > 0 ? reported - 1 : 0
        }
    }
}
