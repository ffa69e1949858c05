import PerfgateCompare
import PerfgateModel

/// What a page's part shows beside its comparisons: the frames of the worst iteration, and the slowest visit.
struct HTMLTrace {
    private let trace: PageTrace

    /// Makes the part of a trace.
    init(_ trace: PageTrace) {
        self.trace = trace
    }

    /// The frames; `nil` without any.
    var frames: TemplateContext? {
        guard let frames = trace.frames else { return nil }
        let plot = SVGFrameTimeline(frames)
        let rows = frames.scrolls.map(row)
        return [
            "origin": .text(origin(of: frames)), "plot": .markup(plot?.markup),
            "legend": .text(plot.map { $0.summary + Self.legend }),
            "scrolls": .list(rows.isEmpty ? [] : [["rows": .list(rows), "left": .text(left(of: frames))]]),
        ]
    }

    /// The visit; `nil` without phases.
    var visit: TemplateContext? {
        guard let visit = trace.visit, let plot = SVGPhases(visit) else { return nil }
        let duration = visit.durationMS.map { ", which lasted \(ReportNumber.text($0 / 1_000, "s"))" } ?? ""
        let phases = visit.phases.map { phase -> TemplateContext in
            let title = MetricCatalog.definition(of: phase.metric)?.title
            return [
                "name": .text(title.map { "\(phase.metric), \($0)" } ?? phase.metric),
                "value": .text(ReportNumber.text(phase.milliseconds, "ms")),
            ]
        }
        let place = Self.place(visit.run, visit.part, visit.iteration)
        return [
            "origin": .text("\(place)\(duration)."), "plot": .markup(plot.markup), "phases": .list(phases),
        ]
    }

    private static let legend =
        " A bar is the longest frame of its stretch of time, the dashed line the budget of a frame, a triangle a frame that"
        + " came late."

    private func origin(of frames: FrameTrace) -> String {
        let scrolls = Figure.count(frames.scrollCount, "scroll")
        return "\(Self.place(frames.run, frames.part, frames.iteration)), \(scrolls)."
    }

    private static func place(_ run: String, _ part: String?, _ iteration: Int) -> String {
        "Run \(CleanText.line(run, most: 120))\(part.map { ", \(CleanText.line($0, most: 120))" } ?? ""), "
            + "iteration \(iteration)"
    }

    private func left(of frames: FrameTrace) -> String? {
        let left = frames.scrollCount - frames.scrolls.count
        return left > 0 ? "\(left) milder scroll\(left == 1 ? " is" : "s are") left out." : nil
    }

    private func row(_ scroll: ScrollTrace) -> TemplateContext {
        let longest = scroll.timeline?.buckets.compactMap { $0?.longestMS }.max()
        return [
            "scroll": .text(String(scroll.number)),
            "duration": .text(scroll.durationMS.map { ReportNumber.text($0 / 1_000, "s") } ?? "–"),
            "events": .text(String(scroll.dropEvents)), "worst": .text(String(scroll.worstDrop)),
            "frames": .text(String(scroll.droppedFrames)),
            "longest": .text(longest.map { ReportNumber.text($0, "ms") } ?? "–"),
        ]
    }
}
