import PerfgateCompare
import PerfgateJSON
import PerfgateModel

extension PageTrace {
    /// Writes the worst iteration and the slowest visit.
    func write(to object: inout JSONObjectWriter) {
        if let frames { object.object("frames") { frames.write(to: &$0) } }
        if let visit { object.object("visit") { visit.write(to: &$0) } }
    }
}

extension FrameTrace {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("run_id", run)
        object.write("part", part)
        object.write("iteration", iteration)
        object.write("scroll_count", scrollCount)
        object.objects("scrolls", scrolls) { $0.write(to: &$1) }
        if let screen { object.object("screen") { screen.write(to: &$0) } }
    }
}

extension ScrollTrace {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("scroll", number)
        object.write("drop_events", dropEvents)
        object.write("worst_drop", worstDrop)
        object.write("dropped_frames", droppedFrames)
        object.write(finite: "duration_ms", durationMS)
        if let timeline { object.object("timeline") { timeline.write(to: &$0) } }
    }
}

extension FrameTimeline {
    /// Writes the buckets; a bucket without frames is an empty object, so the others keep their positions.
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("bucket_ms", bucketMS)
        object.objects("buckets", buckets, .line) { bucket, object in
            guard let bucket else { return }
            object.write("longest_ms", bucket.longestMS)
            object.write("budget_ms", bucket.budgetMS)
            if bucket.droppedFrames > 0 { object.write("dropped_frames", bucket.droppedFrames) }
            if bucket.hitches > 0 { object.write("hitches", bucket.hitches) }
        }
    }
}

extension VisitTrace {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("run_id", run)
        object.write("part", part)
        object.write("iteration", iteration)
        object.write(finite: "duration_ms", durationMS)
        object.objects("phases", phases, .line) { phase, object in
            object.write("metric", phase.metric)
            object.write("ms", phase.milliseconds)
        }
    }
}

extension ReportReader {
    /// The worst iteration and the slowest visit of a page.
    static func trace(_ node: JSONNode) throws(JSONDocumentError) -> PageTrace {
        var trace = PageTrace()
        if let frames = try node.optional("frames") { trace.frames = try self.frames(frames) }
        if let visit = try node.optional("visit") { trace.visit = try self.visit(visit) }
        return trace
    }

    /// The most scrolls, and the most buckets of each, that a drawing has room for.
    private static let mostParts = 1_000
    /// The longest time in ms: about thirty years.
    private static let longest = 0...1e12

    private static func frames(_ node: JSONNode) throws(JSONDocumentError) -> FrameTrace {
        FrameTrace(
            run: try node["run_id"].text(), part: try node.optional("part")?.text(),
            iteration: try node["iteration"].whole(), scrollCount: try node["scroll_count"].whole(),
            scrolls: try node["scrolls"].list(most: mostParts, scroll),
            screen: try node.optional("screen").map(timeline))
    }

    private static func scroll(_ node: JSONNode) throws(JSONDocumentError) -> ScrollTrace {
        ScrollTrace(
            number: try node["scroll"].whole(), dropEvents: try node["drop_events"].whole(),
            worstDrop: try node["worst_drop"].whole(), droppedFrames: try node["dropped_frames"].whole(),
            durationMS: try node.optional("duration_ms")?.number(in: longest),
            timeline: try node.optional("timeline").map(timeline))
    }

    private static func timeline(_ node: JSONNode) throws(JSONDocumentError) -> FrameTimeline {
        FrameTimeline(
            bucketMS: try node["bucket_ms"].number(in: longest),
            buckets: try node["buckets"].list(most: mostParts, bucket))
    }

    private static func bucket(_ node: JSONNode) throws(JSONDocumentError) -> FrameTimeline.Bucket? {
        guard let time = try node.optional("longest_ms") else { return nil }
        return FrameTimeline.Bucket(
            longestMS: try time.number(in: longest), budgetMS: try node["budget_ms"].number(in: longest),
            droppedFrames: try node.optional("dropped_frames")?.whole() ?? 0,
            hitches: try node.optional("hitches")?.whole() ?? 0)
    }

    private static func visit(_ node: JSONNode) throws(JSONDocumentError) -> VisitTrace {
        VisitTrace(
            run: try node["run_id"].text(), part: try node.optional("part")?.text(),
            iteration: try node["iteration"].whole(), durationMS: try node.optional("duration_ms")?.number(in: longest),
            phases: try node["phases"].list(most: mostParts, phase))
    }

    private static func phase(_ node: JSONNode) throws(JSONDocumentError) -> VisitTrace.Phase {
        VisitTrace.Phase(metric: try node["metric"].text(), milliseconds: try node["ms"].double())
    }
}
