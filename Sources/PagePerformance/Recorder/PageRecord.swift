/// What a recorder measured of a page.
public struct PageRecord: Hashable, Sendable {
    /// What was measured.
    public enum Content: Hashable, Sendable {
        /// The visit ended, or reached a checkpoint.
        case visit(PageVisitEvent)
        /// The page was left, or covered by another one: what its frames were.
        case screen(ScreenRecord)
        /// Frames were dropped at one instant of a scroll.
        case drop(FrameDrop)
        /// A scroll ended, with drops or without.
        case scroll(ScrollRecord)
        /// A stretch of ticks of a scroll is complete, where ticks are kept.
        case segment(SegmentRecord)
        /// How often a view's body was evaluated during the visit.
        case bodyEvaluations(Int, view: String)
    }

    /// The page's name.
    public var page: String
    /// The identity of the visit that it belongs to, by which a log that takes some visits only chooses.
    public var visitID: String
    /// What was measured.
    public var content: Content

    /// Makes a record.
    public init(page: String, visitID: String, content: Content) {
        self.page = page
        self.visitID = visitID
        self.content = content
    }
}
