extension LogEvent {
    /// The event's line in the log, with its line feed, in UTF-8.
    public var line: [UInt8] {
        var encoder = LineEncoder()
        encode(into: &encoder)
        return encoder.bytes
    }

    func encode(into encoder: inout LineEncoder) {
        switch self {
        case .run(let run): encoder.line(.run, run.encode)
        case .state(let state): encoder.line(.state, state.encode)
        case .frames(let frames): encoder.line(.frames, frames.encode)
        case .frame(let frame): encoder.line(.frame, frame.encode)
        case .frameDrop(let drop): encoder.line(.frameDrop, drop.encode)
        case .scroll(let scroll): encoder.line(.scroll, scroll.encode)
        case .visit(let visit): encoder.line(.visit, visit.encode)
        case .screen(let screen): encoder.line(.screen, screen.encode)
        case .metric(let metric): encoder.line(.metric, metric.encode)
        case .end(let end): encoder.line(.end, end.encode)
        }
    }
}

extension LogEvent.Place {
    func encode(into encoder: inout LineEncoder) {
        encoder.text(.page, page)
        encoder.whole(.iteration, iteration)
        encoder.text(.test, test)
        encoder.flag(.lowPowerMode, conditions.isLowPowerModeOn)
        encoder.text(.network, conditions.network?.rawValue)
        encoder.instant(.at, time)
        encoder.text(.user, user)
    }
}

extension LogEvent.Run {
    func encode(into encoder: inout LineEncoder) {
        encoder.whole(.schema, 1)
        encoder.text(.runID, id)
        encoder.text(.part, part)
        encoder.text(.shard, shard)
        encoder.whole(.iterations, iterations)
        if expectsEnd { encoder.flag(.expectsEnd, true) }
        encoder.text(.app, app.identifier)
        encoder.text(.appVersion, app.version)
        encoder.text(.build, app.build)
        encoder.text(.commit, app.commit)
        encoder.text(.device, device.model)
        encoder.text(.deviceID, device.identifier)
        encoder.flag(.simulator, device.isSimulator)
        encoder.text(.os, device.system)
        encoder.number(.maxFPS, device.maxFPS)
        conditions.encode(into: &encoder)
        encoder.text(.startedAt, startedAt)
        if isProfiled { encoder.flag(.profiled, true) }
        if !tags.values.isEmpty { encoder.tags(tags) }
    }
}

extension LogEvent.State {
    func encode(into encoder: inout LineEncoder) {
        encoder.whole(.iteration, iteration)
        conditions.encode(into: &encoder)
        encoder.whole(.eventsLost, eventsLost)
        if let tags { encoder.tags(tags) }
    }
}

extension DeviceConditions {
    func encode(into encoder: inout LineEncoder) {
        encoder.flag(.lowPowerMode, isLowPowerModeOn)
        encoder.text(.thermalState, thermalState?.rawValue)
        encoder.text(.network, network?.rawValue)
        encoder.flag(.charging, isCharging)
        encoder.number(.cpuPercent, processorPercent)
        encoder.whole(.threads, threads)
        encoder.whole(.memoryBytes, memoryBytes.map { Int(clamping: $0) })
    }
}

extension LogEvent.End {
    func encode(into encoder: inout LineEncoder) {
        encoder.text(.runID, run)
        encoder.text(.part, part)
        encoder.whole(.lines, lines)
        if lost > 0 { encoder.whole(.eventsLost, lost) }
    }
}

extension LogEvent.Frames {
    func encode(into encoder: inout LineEncoder) {
        place.encode(into: &encoder)
        encoder.whole(.scroll, scroll)
        encoder.whole(.segment, segment)
        encoder.list(.timestamps, ticks) { $0.whole($1.timestamp.count) }
        if needsTargets { encoder.list(.targets, ticks) { $0.whole(($1.due ?? $1.timestamp).count) } }
        if hasOneDuration { encoder.time(.duration, ticks.first?.duration) }
        if clock == .other { encoder.text(.clock, "other") }
    }

    /// Whether all ticks have the same duration, or none has one: a line has room for one duration.
    private var hasOneDuration: Bool { ticks.allSatisfy { $0.duration == ticks.first?.duration } }

    /// Whether the durations don't already define when the next frame is due.
    ///
    /// A tick with an unknown due time is written as due "at once", which readers also treat as unknown.
    private var needsTargets: Bool { !hasOneDuration || ticks.contains { $0.target != nil } }
}

extension LogEvent.Frame {
    func encode(into encoder: inout LineEncoder) {
        place.encode(into: &encoder)
        encoder.whole(.scroll, scroll)
        encoder.whole(.segment, segment)
        encoder.time(.timestamp, tick.timestamp)
        encoder.time(.target, tick.target)
        encoder.time(.duration, tick.duration)
        if clock == .other { encoder.text(.clock, "other") }
    }
}

extension LogEvent.FrameDrop {
    func encode(into encoder: inout LineEncoder) {
        place.encode(into: &encoder)
        encoder.whole(.scroll, scroll)
        encoder.whole(.framesDropped, framesDropped)
        encoder.whole(.cumulativeFrames, cumulativeFrames)
        encoder.whole(.cumulativeEvents, cumulativeEvents)
        encoder.text(.counting, counting.rawValue)
    }
}

extension LogEvent.Scroll {
    func encode(into encoder: inout LineEncoder) {
        place.encode(into: &encoder)
        encoder.whole(.scroll, scroll)
        encoder.time(.durationMS, duration)
        encoder.whole(.frames, sums.frames)
        encoder.time(.framesMS, sums.duration.map { Milliseconds($0) })
        encoder.time(.hitch, sums.hitch.map { Milliseconds($0) })
        encoder.time(.scrollThreadHang, sums.threadHang.map { Milliseconds($0) })
    }
}

extension LogEvent.Visit {
    func encode(into encoder: inout LineEncoder) {
        place.encode(into: &encoder)
        encoder.text(.visitID, place.visit)
        encoder.time(.start, start)
        if isCheckpoint { encoder.flag(.checkpoint, true) }
        if isContinued { encoder.flag(.continued, true) }
        if isInactive { encoder.flag(.inactive, true) }
        encoder.text(.outcome, outcome?.rawValue)
        encoder.time(.durationMS, duration)
        encoder.time(.ttfl, firstLayout)
        encoder.time(.ttil, initialLoad)
        encoder.times(.scrollThreadHang, scrollThreadHangs)
        encoder.times(.mainThreadHang, mainThreadHangs)
        encoder.times(.additionalLoads, additionalLoads)
        encoder.loads(.moreAdditionalLoads, moreAdditionalLoads)
        encoder.list(.richContent, richContentLoads?.lazy.filter(\.duration.value.isFinite)) { encoder, load in
            encoder.object(load.encode)
        }
        encoder.loads(.moreRichContent, moreRichContentLoads)
        if !candidates.isEmpty { encoder.members(.candidates, candidates) }
        encoder.text(.formula, formula)
    }
}

extension RichContentLoad {
    func encode(into encoder: inout LineEncoder) {
        encoder.time(.ms, duration)
        encoder.text(.outcome, outcome.rawValue)
        encoder.text(.url, url)
    }
}

extension LogEvent.Screen {
    func encode(into encoder: inout LineEncoder) {
        place.encode(into: &encoder)
        encoder.time(.durationMS, duration)
        encoder.whole(.frameCount, frameCount)
        encoder.number(.firstFPS, firstFPS)
        encoder.number(.minFPS, minFPS)
        encoder.number(.maxShownFPS, maxFPS)
        encoder.time(.hitch, hitch)
        encoder.time(.hang, hang)
        if hangThreshold != Milliseconds(.hangThreshold) { encoder.time(.hangThreshold, hangThreshold) }
        encoder.text(.counting, counting.rawValue)
    }
}

extension LogEvent.CustomMetric {
    func encode(into encoder: inout LineEncoder) {
        place.encode(into: &encoder)
        encoder.text(.metric, id)
        encoder.text(.unit, unit)
        encoder.text(.better, isHigherBetter.map { $0 ? "higher" : "lower" })
        encoder.list(.values, values.lazy.filter(\.isFinite)) { $0.number($1) }
        encoder.text(.formula, formula)
    }
}
