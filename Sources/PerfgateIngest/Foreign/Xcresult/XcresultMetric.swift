import PerfgateModel

/// What the identifier of an XCTest metric says.
///
///     com.apple.dt.XCTMetric_OSSignpost-Scroll_Deceleration.animation.hitch.time.ratio
///                            family     label               quantity
struct XcresultMetric {
    /// perfgate's identifier, or the tool's own for a metric that perfgate doesn't know.
    let metric: ForeignMetric
    /// What was measured: the signpost or application with the family, such as `OSSignpost-Scroll_Deceleration`; `nil`
    /// where the identifier says none.
    let label: String?

    /// The meaning of an identifier.
    ///
    /// - Parameter unit: The unit as the file spells it. A known quantity in a unit of another dimension stays foreign.
    init(identifier: String, unit: String, better: Better?) {
        let parts = Self.parts(of: identifier)
        label = parts.flatMap { $0.label.map { label in "\(parts?.family ?? "")-\(label)" } }
        if let id = parts?.id, let known = MetricCatalog.definition(of: id)?.metric {
            let metric = ForeignMetric(id: id, unit: unit, better: known.better)
            if metric.metric.unit == known.unit {
                self.metric = metric
                return
            }
        }
        metric = ForeignMetric(id: identifier, unit: unit, better: better ?? Self.guess(identifier))
    }

    /// The meaning of what a file measured.
    init(_ series: XcresultTestRun.Series) {
        self.init(identifier: series.identifier, unit: series.unit, better: series.better)
    }

    /// Whether it is one of the metrics that perfgate knows.
    var isKnown: Bool { MetricCatalog.definition(of: metric.metric.id) != nil }

    private struct Parts {
        let family: String
        let label: String?
        let id: String
    }

    /// A label may have dots, as a bundle identifier has: so the quantity is looked for at the end.
    private static func parts(of identifier: String) -> Parts? {
        guard identifier.hasPrefix(prefix), !identifier.contains("normalized") else { return nil }
        let text = identifier.dropFirst(prefix.count)
        for (family, quantities) in known where text.hasPrefix(family) {
            let rest = text.dropFirst(family.count)
            for (quantity, id) in quantities where rest.hasSuffix("." + quantity) {
                let label = rest.dropLast(quantity.count + 1)
                guard label.isEmpty || label.hasPrefix("-") else { continue }
                return Parts(family: family, label: label.isEmpty ? nil : String(label.dropFirst()), id: id)
            }
        }
        return nil
    }

    private static func guess(_ identifier: String) -> Better? {
        identifier.hasSuffix("frame.rate") || identifier.hasSuffix("frame.count") ? .higher : nil
    }

    /// What the identifiers of XCTest's metrics begin with.
    static let prefix = "com.apple.dt.XCTMetric_"

    /// The families with their quantities, the longer ends first.
    private static let known: [(family: String, quantities: [(end: String, id: String)])] = [
        (
            "OSSignpost",
            [
                ("animation.hitch.time.ratio", "hitch_ratio"), ("animation.hitch.number", "hitches"),
                ("animation.hitches.total.duration", "hitch_duration"), ("animation.frame.rate", "fps_mean"),
                ("animation.frame.count", "frame_count"), ("duration", "duration"),
            ]
        ),
        ("Hitch", [("time.ratio", "hitch_ratio"), ("number", "hitches"), ("total.duration", "hitch_duration")]),
        ("ApplicationLaunch", [("duration", "launch")]),
        ("Clock", [("time.monotonic", "duration")]),
    ]
}
