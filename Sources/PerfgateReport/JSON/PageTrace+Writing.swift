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
    /// Writes the buckets, one that no frame began in as an empty object, so that the others keep their place.
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
