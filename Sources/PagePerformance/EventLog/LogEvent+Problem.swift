extension LogEvent {
    /// The reason why an event can't be a line of the log.
    public enum Problem: Hashable, Sendable {
        /// Its page has no visible character.
        case namelessPage
        /// It opens or closes a stream, which only the log itself does.
        case reserved
        /// A required value that is missing, or an invalid value, by its name in the log.
        case value(String)
    }

    /// The reason why a reader would refuse the event as a line; `nil`: none.
    ///
    /// An optional number that isn't finite is no reason: the line is written without it.
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
        case .metric(let metric):
            metric.isTime && metric.values.contains { $0 < 0 } ? "values" : nil
        }
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
        switch unit {
        case "ns", "nanoseconds", "us", "µs", "μs", "microseconds", "ms", "milliseconds", "s", "sec", "seconds", "min",
            "minutes":
            true
        default: false
        }
    }
}

extension Milliseconds {
    fileprivate var isMeasured: Bool { value.isFinite && value >= 0 }
}

extension Milliseconds? {
    fileprivate var isNegative: Bool { (self?.value ?? 0) < 0 }
}
