import PagePerformance
import PerfgateModel
import PerfgateStats

/// A column of events: a fact about a page visit, as a key of a log line or a column of a warehouse table.
package enum FieldColumn: String, Sendable, Hashable, CaseIterable {
    /// The time: ISO 8601, or milliseconds since 1970.
    case at
    case app
    case release = "app_version"
    case page
    /// The operating system and its version.
    case os
    /// The device's model.
    case device
    /// The network, such as `wifi`.
    case network
    case lowPower = "low_power_mode"
    /// The salted user identifier; only used for counting.
    case user
    /// The outcome of the visit: `loaded`, `error` or `abandoned`.
    case outcome
    /// Time to first layout, in ms.
    case firstLayout = "ttfl_ms"
    /// Time to initial load, in ms.
    case initialLoad = "ttil_ms"
    /// The sum of scroll hang times in the visit, in ms.
    case threadHang = "sth_ms"
    /// The sum of additional load times, in ms.
    case additionalLoads = "alt_ms"
    case additionalLoadCount = "alt_count"
    /// The sum of image load times, in ms.
    case richContent = "rclt_ms"
    /// The number of loaded images.
    case richContentCount = "rclt_count"
    /// The sum of hitch durations, in ms.
    case hitch = "hitch_ms"
    /// The sum of hang durations, in ms.
    case hang = "hang_ms"
    /// The time on screen, in ms.
    case duration = "duration_ms"
    /// The number of frames shown.
    case frameCount = "frame_count"

    /// Whether it is a number from which metrics are computed.
    package var isMeasurement: Bool { self >= .firstLayout }
}

extension FieldColumn: Comparable {
    /// In declaration order.
    package static func < (lhs: FieldColumn, rhs: FieldColumn) -> Bool { lhs.order < rhs.order }

    /// The index in declaration order, from 0.
    package var order: Int { Self.orders[self] ?? 0 }

    private static let orders = Dictionary(uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })
}

/// A metric of events, and how its quantum is computed from an event's columns: one definition for logs and SQL.
package struct FieldMetric: Sendable, Hashable {
    /// How the quantum is computed; an event has no value if one of the columns is absent, or if there is no valid
    /// quantum.
    package enum Formula: Sendable, Hashable {
        /// The quantum of a column.
        case value(FieldColumn)
        /// The quantum of a sum divided by the count, which is a whole number above 0.
        case mean(sum: FieldColumn, count: FieldColumn)
        /// A column's quantum times a factor divided by another column's quantum, rounded to the nearest.
        case ratio(FieldColumn, per: FieldColumn, factor: Int)
        /// 1,000 quanta if the outcome isn't `loaded`, else 0.
        case failure
    }

    /// The identifier, unit and direction, as in the gate.
    package let metric: Metric
    /// How its quantum is computed.
    package let formula: Formula
    /// Whether only visits that loaded their page have it; a visit without an outcome counts as loaded.
    package let isOfLoads: Bool
    /// The number of quanta per unit.
    package let scale: Double

    private init(_ metric: Metric, _ formula: Formula, isOfLoads: Bool = false, scale: Double = 1_000) {
        self.metric = metric
        self.formula = formula
        self.isOfLoads = isOfLoads
        self.scale = scale
    }

    /// Every metric computed from columns, in the order of the documentation.
    package static let all = [
        FieldMetric(Metric(PageMetric.ttfl), .value(.firstLayout)),
        FieldMetric(Metric(PageMetric.ttil), .value(.initialLoad), isOfLoads: true),
        FieldMetric(Metric(PageMetric.alt), .mean(sum: .additionalLoads, count: .additionalLoadCount), isOfLoads: true),
        FieldMetric(Metric(PageMetric.rclt), .mean(sum: .richContent, count: .richContentCount), isOfLoads: true),
        FieldMetric(.loadFailures, .failure),
        FieldMetric(Metric(FrameMetric.scrollThreadHang), .value(.threadHang)),
        // ms of hitches per second: for 1 µs per µs, 1,000,000 quanta.
        FieldMetric(Metric(FrameMetric.hitchRatioScreen), .ratio(.hitch, per: .duration, factor: 1_000_000)),
        // Seconds of hangs per hour, in hundredths: for 1 µs per µs, 360,000 quanta.
        FieldMetric(Metric(FrameMetric.hangRate), .ratio(.hang, per: .duration, factor: 360_000), scale: 100),
        // Frames per second, in thousandths: for 1 frame per µs, 1,000,000,000 quanta.
        FieldMetric(Metric(FrameMetric.fpsMean), .ratio(.frameCount, per: .duration, factor: 1_000_000_000)),
    ]

    /// The metric with a name; a metric that only `metric` lines have keeps its own unit, and lower is better.
    package static func named(_ id: String) -> FieldMetric {
        if let known = all.first(where: { $0.metric.id == id }) { return known }
        let metric = MetricCatalog.definition(of: id)?.metric ?? Metric(id: id, unit: Unit(""), better: .lower)
        return FieldMetric(metric, .value(.initialLoad), scale: metric.unit == .secondsPerHour ? 100 : 1_000)
    }
}

extension FieldMetric.Formula {
    /// The number of quanta per unit of a column: counts are whole numbers, times are in µs.
    package static func scale(of column: FieldColumn) -> Double {
        switch column {
        case .frameCount, .additionalLoadCount, .richContentCount: 1
        default: 1_000
        }
    }

    /// The largest numerator of a ratio for which every intermediate number is exact in a double; larger ones are
    /// clamped.
    package static func mostNumerator(factor: Int) -> Int {
        min(Quantum.most, (1 << 53 - 1 - Quantum.most) / (2 * factor))
    }
}

/// The strata by which events may be counted.
package enum FieldStratum: String, Sendable, Hashable, CaseIterable {
    /// The operating system up to its first dot.
    case os
    /// The device class from the configuration; without classes the device.
    case deviceClass = "device_class"
    case network
    /// Whether low-power mode was on, `true` or `false`.
    case lowPower = "low_power"
}

/// The names of a team's data: the configuration's `field`, for logs and SQL alike.
package struct FieldMapping: Sendable, Hashable {
    /// The source of a column's values.
    package enum Source: Sendable, Hashable {
        /// A key of the log, or a column of a table.
        case name(String)
        /// An SQL expression, inserted unchanged; not for logs.
        case sql(String)
    }

    package struct DeviceClass: Sendable, Hashable {
        package let name: String
        /// The devices: full names, or prefixes followed by `*`.
        package let devices: [String]

        package init(name: String, devices: [String]) {
            self.name = name
            self.devices = devices
        }
    }

    package static let otherDevices = "other"

    /// The columns with a different source than their own name; `nil`: the events don't have the column.
    package var columns: [FieldColumn: Source?] = [:]
    /// The classes; the first match applies. Empty: each device is its own class.
    package var deviceClasses: [DeviceClass] = []
    /// The strata of T, in addition to app, page, release, day and metric.
    package var strata: [FieldStratum] = []

    /// The default mapping.
    package init() {}

    /// The source of a column's values; `nil` if the events don't have it.
    package func source(of column: FieldColumn) -> Source? { columns[column] ?? .name(column.rawValue) }
}

/// The configuration of field data.
package struct FieldSettings: Sendable, Hashable {
    /// The names of the team's data.
    package var mapping = FieldMapping()

    /// The percentiles for limits, checks and tables.
    package static let percentiles = [50, 75, 90, 95, 99]

    /// The default settings.
    package init() {}
}

/// Which events to use, and their names.
package struct FieldOptions: Sendable {
    /// The names of the team's data.
    package var mapping = FieldMapping()
    /// The conditions that all events must meet; empty: use all events.
    package var conditions: [FieldCondition] = []
    /// The days to use; `nil`: all.
    package var since: CalendarDay?
    package var until: CalendarDay?
    /// The releases to make G for; `nil`: none.
    package var pair: FieldPair?
    /// The number of buckets in memory above which finished files are written out.
    package var mostBuckets = 2_000_000

    /// The default options.
    package init() {}
}

/// A required value of events.
package struct FieldCondition: Sendable, Hashable {
    package let column: FieldColumn
    package let value: String

    package static let columns: [FieldColumn] = [.app, .release, .page, .os, .device, .network, .lowPower]

    /// Makes a condition; `nil` for a column that conditions can't use.
    package init?(column: FieldColumn, value: String) {
        guard Self.columns.contains(column) else { return nil }
        self.column = column
        self.value = value
    }

    /// The condition as text, such as `network=wifi`.
    package var text: String { "\(column.rawValue)=\(value)" }
}

/// Two compared releases.
package struct FieldPair: Sendable, Hashable {
    package let base: String
    /// The judged release.
    package let candidate: String

    package init(base: String, candidate: String) {
        self.base = base
        self.candidate = candidate
    }
}
