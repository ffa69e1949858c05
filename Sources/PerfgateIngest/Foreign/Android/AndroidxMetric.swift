import PerfgateModel

/// What the identifier of a metric of androidx.benchmark says.
struct AndroidxMetric {
    /// perfgate's metric, or the tool's own for one that perfgate doesn't know.
    let metric: ForeignMetric
    /// Whether it says by how much frames missed their deadline, below zero those that didn't.
    let isOverrun: Bool

    private let id: String
    private let unit: String

    /// The meaning of an identifier: its end is its unit.
    init(_ identifier: String) {
        id = Self.newNames[identifier] ?? identifier
        unit = Self.units.first { identifier.hasSuffix($0.ending) }?.unit ?? ""
        metric = ForeignMetric(id: Self.known[id] ?? id, unit: Self.unitsOfKnown[id] ?? unit)
        isOverrun = id == "frameOverrunMs"
    }

    /// The metric of a quantile of the values, such as `frameDurationCpuMs_p90`.
    func quantile(_ ending: String) -> ForeignMetric { ForeignMetric(id: "\(id)_\(ending)", unit: unit) }

    /// What the releases before 1.1 called their metrics; the percentiles were those of `dumpsys gfxinfo`.
    private static let newNames = [
        "startupMs": "timeToInitialDisplayMs", "fullyDrawnMs": "timeToFullDisplayMs", "totalFrameCount": "frameCount",
        "frameCpuTimeMs": "frameDurationCpuMs", "frameNegativeSlackMs": "frameOverrunMs",
        "frameTime50thPercentileMs": "frame_time_p50", "frameTime90thPercentileMs": "frame_time_p90",
        "frameTime95thPercentileMs": "frame_time_p95", "frameTime99thPercentileMs": "frame_time_p99",
    ]

    /// perfgate's names.
    private static let known = ["timeToInitialDisplayMs": "launch", "frameCount": "frame_count"]
    private static let unitsOfKnown = ["frameCount": "frames"]

    private static let units: [(ending: String, unit: String)] = [
        ("Ms", "ms"), ("Ns", "ns"), ("Us", "us"), ("Kb", "kB"), ("Bytes", "B"), ("Percent", "%"), ("Uws", "µWs"),
        ("Uw", "µW"), ("Mw", "mW"), ("Mj", "mJ"),
    ]
}
