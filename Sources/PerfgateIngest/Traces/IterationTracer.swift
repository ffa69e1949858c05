import PagePerformance
import PerfgateModel

/// Draws the frames of one iteration of a page: the worst of its scrolls, and what lies outside of them.
struct IterationTracer {
    /// One scroll, or what lies outside of them.
    struct Stretch {
        /// The number of the scroll; `nil` outside of them.
        let scroll: Int?
        fileprivate(set) var severity = FrameSeverity()
        fileprivate var recorder = TimelineRecorder()

        /// Whether it makes room where there are too many.
        fileprivate func isMilder(than other: Stretch) -> Bool {
            if severity != other.severity { return severity < other.severity }
            return (scroll ?? -1) > (other.scroll ?? -1)
        }
    }

    /// How many stretches are drawn at most.
    static let capacity = 8

    /// The number of the iteration in its stream.
    let iteration: Int32
    /// The stretches in no order.
    private(set) var stretches: [Stretch] = []
    /// How bad all of its frames were.
    private(set) var severity = FrameSeverity()
    private var last = 0

    init(iteration: Int32) {
        self.iteration = iteration
    }

    /// Lends what draws a scroll, or what lies outside of them, for some frames and how bad they are.
    @inline(__always)
    mutating func draw(scroll: Int?, _ body: (inout TimelineRecorder, inout FrameSeverity) -> Void) {
        let index = index(of: scroll)
        var added = FrameSeverity()
        body(&stretches[index].recorder, &added)
        stretches[index].severity.merge(added)
        severity.merge(added)
    }

    /// The frames of a scroll over time, or of what lies outside of them; `nil` where they weren't drawn.
    func timeline(of scroll: Int?) -> FrameTimeline? {
        stretches.first { $0.scroll == scroll }?.recorder.timeline
    }

    private mutating func index(of scroll: Int?) -> Int {
        if last < stretches.count, stretches[last].scroll == scroll { return last }
        if let known = stretches.firstIndex(where: { $0.scroll == scroll }) {
            last = known
        } else if stretches.count < Self.capacity {
            stretches.append(Stretch(scroll: scroll))
            last = stretches.count - 1
        } else {
            last = stretches.indices.dropFirst().reduce(0) {
                stretches[$1].isMilder(than: stretches[$0]) ? $1 : $0
            }
            stretches[last] = Stretch(scroll: scroll)
        }
        return last
    }
}
