extension LogEvent {
    /// The line of the log that says this, with its line feed, in UTF-8.
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
    }
}

extension LogEvent.Run {
    func encode(into encoder: inout LineEncoder) {
        encoder.whole("schema", 1)
        encoder.text("run_id", id)
        encoder.text("part", part)
        encoder.text("shard", shard)
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
