/// What a recorder measured, with the page that it belongs to.
public enum PageRecord: Hashable, Sendable {
    /// A page visit ended, or reached a checkpoint.
    case visit(PageVisitEvent)
    /// A page was left, or covered by another one: what its frames were.
    case screen(ScreenRecord)
    /// Frames were dropped at one instant of a scroll.
    case drop(FrameDrop, page: String)
    /// A scroll ended, with drops or without.
    case scroll(ScrollRecord, page: String)
    /// A stretch of ticks of a scroll is complete, where ticks are kept.
    case segment(SegmentRecord, page: String)
    /// How often a view's body was evaluated during a visit of the page.
    case bodyEvaluations(Int, view: String, page: String)
}
