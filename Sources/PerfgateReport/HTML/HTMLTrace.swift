import PerfgateCompare
import PerfgateModel

/// The frames of a page's worst iteration, and the phases of its slowest visit.
struct HTMLTrace {
    private let trace: PageTrace

    init(_ trace: PageTrace) { self.trace = trace }

    var markup: Markup { "\(frames)\(visit)" }

    private var frames: Markup {
        guard let frames = trace.frames else { return Markup() }
        let whole = SVGFrameTimeline(frames).map { figure($0, $0.summary + Self.legend) }
        let strip = frames.worstScroll.flatMap { worst in
            SVGFrameTimeline(FrameTrace(run: "", iteration: 0, scrollCount: 1, scrolls: [worst])).map {
                figure($0, "Scroll \(worst.number), the worst. \($0.summary)\(Self.legend)")
            }
        }
        let rest = whole.map { "<details><summary>The whole iteration</summary>\n\($0)</details>\n" as Markup }
        let plot = strip.map { "\($0)\(rest)" as Markup } ?? whole
        let left = frames.scrollCount - frames.scrolls.count
        let names = ["Scroll", "Duration", "Drop events", "Worst drop", "Dropped frames", "Longest frame"]
        let table = Markup.table(
            "Scroll by scroll", of: "the worst iteration", names, frames.scrolls.map(row),
            note: left > 0 ? "\(left) milder scroll\(left == 1 ? " is" : "s are") left out." : nil)
        let scrolls = Figure.count(frames.scrollCount, "scroll")
        return """
            <h4>Frames of the worst iteration</h4>
            <p>\(Self.place(frames.run, frames.part, frames.iteration)), \(scrolls).</p>
            \(plot)\(frames.scrolls.isEmpty ? Markup() : table)
            """
    }

    private func figure(_ plot: SVGFrameTimeline, _ caption: String) -> Markup {
        "<figure>\(plot.markup)<figcaption>\(caption)</figcaption></figure>\n"
    }

    private var visit: Markup {
        guard let visit = trace.visit, !visit.phases.isEmpty else { return Markup() }
        let duration = visit.durationMS.map { ", which lasted \(Figure.text($0 / 1_000, "s"))" } ?? ""
        return """
            <h4>Phases of the slowest visit</h4>
            <p>\(Self.place(visit.run, visit.part, visit.iteration))\(duration).</p>
            <ul class="phases">
            \(Self.bars(visit.phases))</ul>

            """
    }

    private static func bars(_ phases: [VisitTrace.Phase]) -> [Markup] {
        let longest = phases.map(\.milliseconds).max() ?? 0
        return phases.map { phase in
            let title = MetricCatalog.definition(of: phase.metric)?.title
            let name: Markup = title.map { "\($0) <code>\(phase.metric)</code>" } ?? "<bdi>\(phase.metric)</bdi>"
            let width = longest > 0 ? max(phase.milliseconds / longest, 0) * 100 : 0
            return """
                <li>\(name) \(Figure.text(phase.milliseconds, "ms"))<svg width="100%" height="12" aria-hidden="true">\
                <rect width="\(length: max(width, 0.3))%" height="12" fill="currentColor" fill-opacity="0.6"/></svg></li>

                """
        }
    }

    private static let legend =
        " A bar is the longest frame of its time interval, the dashed line the frame budget, a triangle a frame that"
        + " came late, as wide as it was long."

    private static func place(_ run: String, _ part: String?, _ iteration: Int) -> String {
        "Run \(CleanText.line(run, most: 120))\(part.map { ", \(CleanText.line($0, most: 120))" } ?? ""), "
            + "iteration \(iteration)"
    }

    private func row(_ scroll: ScrollTrace) -> Markup {
        let numbers = [
            scroll.durationMS.map { Figure.text($0 / 1_000, "s") } ?? "–", String(scroll.dropEvents),
            String(scroll.worstDrop), String(scroll.droppedFrames),
            scroll.longestMS.map { Figure.text($0, "ms") } ?? "–",
        ]
        return "<tr><th scope=\"row\">\(scroll.number)</th>\(Markup.numbers(numbers))</tr>\n"
    }
}

extension FrameTrace {
    /// The scroll with the worst drops, then with the longest frame; `nil` if no other frames are traced beside it.
    fileprivate var worstScroll: ScrollTrace? {
        let traced = scrolls.filter { $0.timeline != nil }
        guard traced.count + (screen == nil ? 0 : 1) > 1 else { return nil }
        return traced.max {
            ($0.worstDrop, $0.droppedFrames, $0.longestMS ?? 0) < ($1.worstDrop, $1.droppedFrames, $1.longestMS ?? 0)
        }
    }
}

extension ScrollTrace { fileprivate var longestMS: Double? { timeline?.buckets.compactMap { $0?.longestMS }.max() } }
