extension LogEvent.Frames {
    func encode(into encoder: inout LineEncoder) {
        place.encode(into: &encoder)
        encoder.whole("scroll", scroll)
        encoder.whole("segment", segment)
        encoder.list("timestamps_ns", ticks) { $0.whole($1.timestamp.count) }
        if needsTargets { encoder.list("targets_ns", ticks) { $0.whole(($1.due ?? $1.timestamp).count) } }
        if hasOneDuration { encoder.time("duration_ns", ticks.first?.duration) }
        if clock == .other { encoder.text("clock", "other") }
    }

    /// Whether all ticks have the same duration, or none has any: a line has room for one.
    private var hasOneDuration: Bool {
        ticks.allSatisfy { $0.duration == ticks.first?.duration }
    }

    /// Whether the durations don't already say when the next frame is due.
    ///
    /// Of a tick of which that isn't known the line says "at once", which readers take for unknown too.
    private var needsTargets: Bool {
        !hasOneDuration || ticks.contains { $0.target != nil }
    }
}

extension LogEvent.Frame {
    func encode(into encoder: inout LineEncoder) {
        place.encode(into: &encoder)
        encoder.whole("scroll", scroll)
        encoder.whole("segment", segment)
        encoder.time("timestamp_ns", tick.timestamp)
        encoder.time("target_ns", tick.target)
        encoder.time("duration_ns", tick.duration)
        if clock == .other { encoder.text("clock", "other") }
    }
}

extension LogEvent.FrameDrop {
    func encode(into encoder: inout LineEncoder) {
        place.encode(into: &encoder)
        encoder.whole("scroll", scroll)
        encoder.whole("frames_dropped", framesDropped)
        encoder.whole("cumulative_frames_dropped", cumulativeFrames)
        encoder.whole("cumulative_frame_drop_events", cumulativeEvents)
        encoder.text("counting", counting.rawValue)
    }
}

extension LogEvent.Scroll {
    func encode(into encoder: inout LineEncoder) {
        place.encode(into: &encoder)
        encoder.whole("scroll", scroll)
        encoder.time("duration_ms", duration)
    }
}
