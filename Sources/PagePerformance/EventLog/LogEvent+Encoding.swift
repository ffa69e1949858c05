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
        case .frames(let frames): encoder.line(.frames, at: frames.place, frames.encode)
        case .frame(let frame): encoder.line(.frame, at: frame.place, frame.encode)
        case .frameDrop(let drop): encoder.line(.frameDrop, at: drop.place, drop.encode)
        case .scroll(let scroll): encoder.line(.scroll, at: scroll.place, scroll.encode)
        case .visit(let visit): encoder.line(.visit, at: visit.place, visit.encode)
        case .screen(let screen): encoder.line(.screen, at: screen.place, screen.encode)
        case .metric(let metric): encoder.line(.metric, at: metric.place, metric.encode)
        case .end(let end): encoder.line(.end, end.encode)
        }
    }

    /// The reason why an event can't be a line of the log.
    public enum Problem: Hashable, Sendable {
        /// Its page has no visible character.
        case namelessPage
        /// It opens or closes a stream, which only the log itself does.
        case reserved
        /// A required value that is missing, or an invalid value, by its name in the log.
        case value(String)
    }

    /// The reason why a reader would refuse the event as a line; `nil`: none. An optional number that isn't finite is
    /// no reason: the line is written without it.
    public var problem: Problem? {
        if let place { return place.problem ?? valueProblem.map(Problem.value) }
        switch self {
        case .run, .end: return .reserved
        default: return nil
        }
    }

    private var valueProblem: String? {
        switch self {
        case .run, .end, .state, .frame: nil
        case .frames(let frames): frames.ticks.isEmpty ? "timestamps_ns" : nil
        case .frameDrop(let drop): drop.framesDropped < 0 ? "frames_dropped" : nil
        case .scroll(let scroll): scroll.duration.isMeasured ? scroll.valueProblem : "duration_ms"
        case .visit(let visit): visit.valueProblem
        case .screen(let screen): screen.valueProblem
        case .metric(let metric): metric.isTime && metric.values.contains { $0 < 0 } ? "values" : nil
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
        encoder.whole(.scroll, scroll)
        encoder.whole(.segment, segment)
        encoder.list(.timestamps, ticks) { $0.whole($1.timestamp.count) }
        if needsTargets { encoder.list(.targets, ticks) { $0.whole(($1.due ?? $1.timestamp).count) } }
        if hasOneDuration { encoder.time(.duration, ticks.first?.duration) }
        if clock == .other { encoder.text(.clock, "other") }
    }

    /// Whether all ticks have the same duration, or none has one: a line has room for one duration.
    private var hasOneDuration: Bool { ticks.allSatisfy { $0.duration == ticks.first?.duration } }

    /// Whether the durations don't already define when the next frame is due. A tick with an unknown due time is
    /// written as due "at once", which readers also treat as unknown.
    private var needsTargets: Bool { !hasOneDuration || ticks.contains { $0.target != nil } }
}

extension LogEvent.Frame {
    func encode(into encoder: inout LineEncoder) {
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
        encoder.whole(.scroll, scroll)
        encoder.whole(.framesDropped, framesDropped)
        encoder.whole(.cumulativeFrames, cumulativeFrames)
        encoder.whole(.cumulativeEvents, cumulativeEvents)
        encoder.text(.counting, counting.rawValue)
    }
}

extension LogEvent.Scroll {
    func encode(into encoder: inout LineEncoder) {
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
        encoder.list(.richContent, richContentLoads?.lazy.filter(\.duration.value.isFinite)) { $0.object($1.encode) }
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
        encoder.text(.metric, id)
        encoder.text(.unit, unit)
        encoder.text(.better, isHigherBetter.map { $0 ? "higher" : "lower" })
        encoder.list(.values, values.lazy.filter(\.isFinite)) { $0.number($1) }
        encoder.text(.formula, formula)
    }
}

extension LogEvent.Place {
    fileprivate var problem: LogEvent.Problem? {
        if page.allSatisfy(\.isWhitespace) { return .namelessPage }
        return (iteration ?? 0) < 0 ? .value("iteration") : nil
    }
}

extension LogEvent.Visit {
    fileprivate var valueProblem: String? {
        let lists = [("sth_ms", scrollThreadHangs), ("mth_ms", mainThreadHangs), ("alt_ms", additionalLoads)]
        let times = [("duration_ms", duration), ("ttfl_ms", firstLayout), ("ttil_ms", initialLoad)]
        return times.first { $0.1.isNegative }?.0
            ?? lists.first { $0.1?.contains { $0.value < 0 } ?? false }?.0
            ?? (richContentLoads?.contains { $0.duration.value < 0 } ?? false ? "rclt" : nil)
    }
}

extension LogEvent.Scroll {
    fileprivate var valueProblem: String? {
        if sums.frames ?? 0 < 0 { return "frames" }
        return sums.hitch != nil && sums.duration == nil ? "frames_ms" : nil
    }
}

extension LogEvent.Screen {
    fileprivate var valueProblem: String? {
        guard duration.isMeasured, duration > .zero else { return "duration_ms" }
        if hitch.isNegative { return "hitch_ms" }
        if hang.isNegative { return "hang_ms" }
        return (firstFPS ?? 0) < 0 ? "first_fps" : nil
    }
}

extension LogEvent.CustomMetric {
    /// Whether a reader converts its unit to milliseconds.
    fileprivate var isTime: Bool {
        [
            "ns", "nanoseconds", "us", "µs", "μs", "microseconds", "ms", "milliseconds", "s", "sec", "seconds", "min",
            "minutes",
        ].contains(unit)
    }
}

extension Milliseconds { fileprivate var isMeasured: Bool { value.isFinite && value >= 0 } }

extension Milliseconds? { fileprivate var isNegative: Bool { (self?.value ?? 0) < 0 } }
