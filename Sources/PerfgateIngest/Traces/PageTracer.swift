import PagePerformance

/// Draws the frames of one page in one stream: of its iterations the worst one, and the one that goes on.
///
/// An iteration whose frames come in several stretches with two or more others between them is drawn from its last
/// stretch on: memory has to stay the same, however many iterations there are.
struct PageTracer {
    private var current: IterationTracer?
    private var kept: IterationTracer?

    /// The worst iteration; of equal ones the one that came first.
    var worst: IterationTracer? {
        guard let current, let other = kept else { return current ?? kept }
        return Self.worse(current, other)
    }

    /// Lends what draws an iteration's scroll, or what lies outside of them, for some frames and how bad they are.
    @inline(__always)
    mutating func draw(
        iteration: Int32, scroll: Int?, _ body: (inout TimelineRecorder, inout FrameSeverity) -> Void
    ) {
        if current?.iteration != iteration { turn(to: iteration) }
        current?.draw(scroll: scroll, body)
    }

    @inline(never)
    private mutating func turn(to iteration: Int32) {
        if kept?.iteration == iteration { return swap(&current, &kept) }
        kept = worst
        current = IterationTracer(iteration: iteration)
    }

    private static func worse(_ first: IterationTracer, _ second: IterationTracer) -> IterationTracer {
        if first.severity != second.severity { return first.severity > second.severity ? first : second }
        return first.iteration < second.iteration ? first : second
    }
}
