import PerfgateModel

/// What a key of a timeline summary says, by its end.
struct FlutterMetric {
    /// The metric: `frame_count` is perfgate's, the others keep the tool's identifier.
    let metric: ForeignMetric
    /// Whether it means nothing where no frame was drawn.
    let needsFrames: Bool

    /// The meaning of a key; `nil` where it isn't known whether more or less of it is good.
    init?(_ key: String) {
        guard let unit = Self.units.first(where: { key.hasSuffix($0.ending) })?.unit else { return nil }
        let isCountOfFrames = ["frame_count", "frame_rasterizer_count"].contains(key)
        metric = ForeignMetric(id: key, unit: unit, better: isCountOfFrames ? .higher : .lower)
        needsFrames = !isCountOfFrames && !key.contains("gc")
    }

    private static let units: [(ending: String, unit: String)] = [
        ("_millis", "ms"), ("_gc_time", "ms"), ("_gc_count", "collections"), ("_budget_count", "frames"),
        ("frame_count", "frames"), ("frame_rasterizer_count", "frames"), ("_cache_memory", "MB"),
        ("_cache_count", "entries"),
        ("_vsync_transitions_missed", "frames"), ("_frame_request_pending_latency", "us"), ("_cpu_usage", "%"),
        ("_gpu_usage", "%"), ("_memory_usage", "MB"),
    ]
}
