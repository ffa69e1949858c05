extension LogEvent {
    /// The event's line in the log, with its line feed, in UTF-8.
    public var line: [UInt8] {
        var encoder = LineEncoder()
        encode(into: &encoder)
        return encoder.bytes
    }

    func encode(into encoder: inout LineEncoder) {
        switch self {
        case .run(let run): encoder.line("run", run.encode)
        case .state(let state): encoder.line("state", state.encode)
        case .frames(let frames): encoder.line("frames", frames.encode)
        case .frame(let frame): encoder.line("frame", frame.encode)
        case .frameDrop(let drop): encoder.line("frame_drop", drop.encode)
        case .scroll(let scroll): encoder.line("scroll", scroll.encode)
        case .visit(let visit): encoder.line("pps", visit.encode)
        case .screen(let screen): encoder.line("screen", screen.encode)
        case .metric(let metric): encoder.line("metric", metric.encode)
        case .end(let end): encoder.line("end", end.encode)
        }
    }
}

extension LogEvent.Place {
    func encode(into encoder: inout LineEncoder) {
        encoder.text("page", page)
        encoder.whole("iteration", iteration)
        encoder.text("test", test)
        encoder.flag("low_power_mode", conditions.isLowPowerModeOn)
        encoder.text("network", conditions.network?.rawValue)
    }
}

extension LogEvent.Run {
    func encode(into encoder: inout LineEncoder) {
        encoder.whole("schema", 1)
        encoder.text("run_id", id)
        encoder.text("part", part)
        encoder.text("shard", shard)
        encoder.whole("iterations", iterations)
        if expectsEnd { encoder.flag("expects_end", true) }
        encoder.text("app", app.identifier)
        encoder.text("app_version", app.version)
        encoder.text("build", app.build)
        encoder.text("commit", app.commit)
        encoder.text("device", device.model)
        encoder.text("device_id", device.identifier)
        encoder.flag("simulator", device.isSimulator)
        encoder.text("os", device.system)
        encoder.number("max_fps", device.maxFPS)
        conditions.encode(into: &encoder)
        encoder.text("started_at", startedAt)
    }
}

extension LogEvent.State {
    func encode(into encoder: inout LineEncoder) {
        encoder.whole("iteration", iteration)
        conditions.encode(into: &encoder)
        encoder.whole("events_lost", eventsLost)
    }
}

extension DeviceConditions {
    func encode(into encoder: inout LineEncoder) {
        encoder.flag("low_power_mode", isLowPowerModeOn)
        encoder.text("thermal_state", thermalState?.rawValue)
        encoder.text("network", network?.rawValue)
        encoder.flag("charging", isCharging)
        encoder.number("cpu_percent", processorPercent)
        encoder.whole("threads", threads)
        encoder.whole("memory_bytes", memoryBytes.map { Int(clamping: $0) })
    }
}

extension LogEvent.End {
    func encode(into encoder: inout LineEncoder) {
        encoder.text("run_id", run)
        encoder.text("part", part)
        encoder.whole("lines", lines)
        if lost > 0 { encoder.whole("events_lost", lost) }
    }
}

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

    /// Whether all ticks have the same duration, or none has one: a line has room for one duration.
    private var hasOneDuration: Bool {
        ticks.allSatisfy { $0.duration == ticks.first?.duration }
    }

    /// Whether the durations don't already define when the next frame is due.
    ///
    /// A tick with an unknown due time is written as due "at once", which readers also treat as unknown.
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
        encoder.whole("frames", sums.frames)
        encoder.time("frames_ms", sums.duration.map { Milliseconds($0) })
        encoder.time("hitch_ms", sums.hitch.map { Milliseconds($0) })
        encoder.time("sth_ms", sums.threadHang.map { Milliseconds($0) })
    }
}

extension LogEvent.Visit {
    func encode(into encoder: inout LineEncoder) {
        place.encode(into: &encoder)
        encoder.text("visit_id", place.visit)
        if isCheckpoint { encoder.flag("checkpoint", true) }
        encoder.text("outcome", outcome?.rawValue)
        encoder.time("duration_ms", duration)
        encoder.time("ttfl_ms", firstLayout)
        encoder.time("ttil_ms", initialLoad)
        encoder.times("sth_ms", scrollThreadHangs)
        encoder.times("mth_ms", mainThreadHangs)
        encoder.times("alt_ms", additionalLoads)
        encoder.list("rclt", richContentLoads?.lazy.filter(\.duration.value.isFinite)) { encoder, load in
            encoder.object(load.encode)
        }
        if !candidates.isEmpty { encoder.members("candidates", candidates) }
        encoder.text("formula", formula)
    }
}

extension RichContentLoad {
    func encode(into encoder: inout LineEncoder) {
        encoder.time("ms", duration)
        encoder.text("outcome", outcome.rawValue)
        encoder.text("url", url)
    }
}

extension LogEvent.Screen {
    func encode(into encoder: inout LineEncoder) {
        place.encode(into: &encoder)
        encoder.time("duration_ms", duration)
        encoder.whole("frame_count", frameCount)
        encoder.number("first_fps", firstFPS)
        encoder.number("fps_min", minFPS)
        encoder.number("fps_max", maxFPS)
        encoder.time("hitch_ms", hitch)
        encoder.time("hang_ms", hang)
        if hangThreshold != Milliseconds(.hangThreshold) { encoder.time("hang_threshold_ms", hangThreshold) }
        encoder.text("counting", counting.rawValue)
    }
}

extension LogEvent.CustomMetric {
    func encode(into encoder: inout LineEncoder) {
        place.encode(into: &encoder)
        encoder.text("metric", id)
        encoder.text("unit", unit)
        encoder.text("better", isHigherBetter.map { $0 ? "higher" : "lower" })
        encoder.list("values", values.lazy.filter(\.isFinite)) { $0.number($1) }
        encoder.text("formula", formula)
    }
}
