import PerfgateModel

/// What a process counts since its start or the last `dumpsys gfxinfo PACKAGE reset`.
struct GfxinfoSummary: Sendable, Hashable {
    /// The values by the names of their lines: `Total frames rendered`, `Janky frames`, `50th percentile`, …
    private(set) var values: [String: Double] = [:]

    /// Whether a frame was drawn; without one the percentiles mean nothing.
    var hasFrames: Bool { (values[Self.total] ?? 0) > 0 }

    /// Takes a line such as `90th percentile: 48ms`; `false` where it is none of the known ones.
    ///
    /// A line that comes again is that of a window, and is left alone.
    mutating func take(_ line: String) -> Bool {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, Self.metrics[String(parts[0])] != nil else { return false }
        let digits = parts[1].drop { $0 == " " }.prefix { $0.isNumber }
        if let value = Double(digits), values[String(parts[0])] == nil { values[String(parts[0])] = value }
        return true
    }

    /// The metrics with their values, in the order of the metrics' identifiers.
    var measured: [(metric: Metric, value: Double)] {
        let measured = values.compactMap { name, value in Self.metrics[name].map { (metric: $0, value: value) } }
        return measured.sorted { $0.metric.id.precedesInUTF8($1.metric.id) }
    }

    private static let total = "Total frames rendered"

    private static let metrics: [String: Metric] = [
        total: Metric(id: "frame_count", unit: .frames, better: .higher),
        "Janky frames": Metric(id: "janky_frames", unit: .frames, better: .lower),
        "50th percentile": Metric(id: "frame_time_p50", unit: .milliseconds, better: .lower),
        "90th percentile": Metric(id: "frame_time_p90", unit: .milliseconds, better: .lower),
        "95th percentile": Metric(id: "frame_time_p95", unit: .milliseconds, better: .lower),
        "99th percentile": Metric(id: "frame_time_p99", unit: .milliseconds, better: .lower),
    ]
}
