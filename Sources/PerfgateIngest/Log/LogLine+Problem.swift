import PerfgateModel

extension LogLine {
    /// What keeps a line of a type from being a measurement; `nil`: nothing.
    @inline(__always)
    func problem(as type: LineType) -> LineError? {
        switch type {
        case .frame: fields.timestamp == nil ? .lacks("timestamp_ns") : nil
        case .frames: problemOfFrames
        case .frameDrop: problemOfDrop
        case .scroll: fields.scroll == nil ? .lacks("scroll") : negative("duration_ms", fields.durationMS)
        case .pps: problemOfVisit
        case .screen: problemOfScreen
        default: problemOfMetric
        }
    }

    private var problemOfFrames: LineError? {
        if !fields.hasTimestamps { return .lacks("timestamps_ns") }
        guard !targets.isEmpty, targets.count != timestamps.count else { return nil }
        return .invalid("targets_ns", "has \(targets.count) entries for \(timestamps.count) timestamps")
    }

    private var problemOfDrop: LineError? {
        if fields.scroll == nil { return .lacks("scroll") }
        guard let frames = rare.framesDropped else { return .lacks("frames_dropped") }
        return frames < 0 ? .invalid("frames_dropped", "is negative") : nil
    }

    private var problemOfVisit: LineError? {
        if visit.outcome == nil { return .invalid("outcome", "is none of loaded, error, abandoned") }
        if visit.hasUnknownOutcome { return .invalid("rclt", "has an outcome that is none of loaded, hidden, error") }
        if visit.hasNegativeTime { return .invalid("sth_ms, mth_ms, alt_ms or rclt", "holds a negative time") }
        return negative("duration_ms", fields.durationMS) ?? negative("ttfl_ms", visit.ttfl)
            ?? negative("ttil_ms", visit.ttil)
    }

    private var problemOfScreen: LineError? {
        guard let duration = fields.durationMS else { return .lacks("duration_ms") }
        if duration <= 0 { return .invalid("duration_ms", "is not above 0") }
        return negative("hitch_ms", rare.hitchMS) ?? negative("hang_ms", rare.hangMS)
            ?? negative("first_fps", rare.firstFPS)
    }

    private var problemOfMetric: LineError? {
        guard let id = rare.metric?.string else { return .lacks("metric") }
        guard rare.hasValues else { return .lacks("values") }
        let conversion = UnitConversion(from: rare.unit?.string ?? "")
        if values.contains(where: { !conversion.convert($0).isFinite }) {
            return .invalid("values", "holds one that is too large in \(conversion.unit)")
        }
        let known = MetricCatalog.definition(of: id)?.metric
        if let problem = problemOfDirection(known) { return problem }
        return known.flatMap { problemOfUnit($0) ?? problemOfValues($0) }
    }

    private func problemOfDirection(_ known: Metric?) -> LineError? {
        guard let text = rare.better?.string else { return nil }
        guard let better = Better(rawValue: text) else { return .invalid("better", "is none of lower, higher") }
        guard let known, better != known.better else { return nil }
        return .invalid("better", "is \(text), and of \(known.id) \(known.better.rawValue) values are better")
    }

    /// A known metric in a unit of its own would be another metric, which nothing gates.
    private func problemOfUnit(_ known: Metric) -> LineError? {
        guard let unit = rare.unit?.string else { return .lacks("unit") }
        guard UnitConversion(from: unit).unit != known.unit else { return nil }
        return .invalid("unit", "is \"\(unit)\", and \(known.id) needs one that converts to \(known.unit)")
    }

    /// What perfgate doesn't know may be a margin, such as by how much frames missed their deadline.
    private func problemOfValues(_ known: Metric) -> LineError? {
        guard known.unit == .milliseconds, values.contains(where: { $0 < 0 }) else { return nil }
        return .invalid("values", "holds a negative time")
    }

    private func negative(_ field: String, _ time: Double?) -> LineError? {
        guard let time, time < 0 else { return nil }
        return .invalid(field, "is negative")
    }
}
