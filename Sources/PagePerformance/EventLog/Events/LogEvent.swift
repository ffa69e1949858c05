/// What the recorder can say: one case for each type of line in the perfgate log.
public enum LogEvent: Hashable, Sendable {
    /// A stream opens: under which name, and under which conditions.
    indirect case run(Run)
    /// The conditions changed, or an iteration begins.
    case state(State)
    /// All ticks of one segment.
    case frames(Frames)
    /// One tick.
    case frame(Frame)
    /// Frames were dropped at one instant.
    case frameDrop(FrameDrop)
    /// A scroll ended, with drops or without.
    case scroll(Scroll)
    /// A page visit ended, or reached a checkpoint.
    indirect case visit(Visit)
    /// A screen was left: what its frames were, summed.
    indirect case screen(Screen)
    /// Values of any other metric.
    indirect case metric(Metric)
    /// The stream ends.
    case end(End)

    /// Where it was measured; `nil` for what belongs to no page.
    public var place: Place? {
        switch self {
        case .run, .state, .end: nil
        case .frames(let frames): frames.place
        case .frame(let frame): frame.place
        case .frameDrop(let drop): drop.place
        case .scroll(let scroll): scroll.place
        case .visit(let visit): visit.place
        case .screen(let screen): screen.place
        case .metric(let metric): metric.place
        }
    }
}
