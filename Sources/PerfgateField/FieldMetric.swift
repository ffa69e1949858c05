import PagePerformance
import PerfgateModel
import PerfgateStats

/// A column of events: what an app sends of a page's visit, as a key of a log line or a column of a warehouse table.
package enum FieldColumn: String, Sendable, Hashable, CaseIterable {
    /// When it was: ISO 8601, or milliseconds since 1970.
    case at
    /// The app's identifier.
    case app
    /// The release, as people name it.
    case release = "app_version"
    /// The page's name.
    case page
    /// The operating system and its version.
    case os
    /// The device's model.
    case device
    /// The network, such as `wifi`.
    case network
    /// Whether low-power mode was on.
    case lowPower = "low_power_mode"
    /// Who it was, salted; used for nothing but counting.
    case user
    /// How the visit ended: `loaded`, `error` or `abandoned`.
    case outcome
    /// Time to first layout, in ms.
    case firstLayout = "ttfl_ms"
    /// Time to initial load, in ms.
    case initialLoad = "ttil_ms"
    /// How long scrolling hung in the visit, in ms, summed.
    case threadHang = "sth_ms"
    /// How long additional loads took together, in ms.
    case additionalLoads = "alt_ms"
    /// How many additional loads there were.
    case additionalLoadCount = "alt_count"
    /// How long loads of images took together, in ms.
    case richContent = "rclt_ms"
    /// How many images were loaded.
    case richContentCount = "rclt_count"
    /// How long hitches lasted together, in ms.
    case hitch = "hitch_ms"
    /// How long hangs lasted together, in ms.
    case hang = "hang_ms"
    /// How long the page was on screen, in ms.
    case duration = "duration_ms"
    /// How many frames were shown.
    case frameCount = "frame_count"

    /// Whether it holds a number that metrics are made of.
    package var isMeasurement: Bool { self >= .firstLayout }
}

extension FieldColumn: Comparable {
    /// In the order of their declaration.
    package static func < (lhs: FieldColumn, rhs: FieldColumn) -> Bool { lhs.order < rhs.order }

    /// The place in the order of declaration, from 0.
    package var order: Int { Self.orders[self] ?? 0 }

    private static let orders = Dictionary(uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })
}

/// A metric of events, and how its quantum is made of an event's columns: one definition for logs and for SQL.
package struct FieldMetric: Sendable, Hashable {
    /// How the quantum is made; an event in which one of its columns is absent, or leaves no quantum, has no value.
    package enum Formula: Sendable, Hashable {
        /// The quantum of a column.
        case value(FieldColumn)
        /// The quantum of a sum by how many were summed, which is a whole number above 0.
        case mean(sum: FieldColumn, count: FieldColumn)
        /// A column's quantum times a factor by another column's quantum, rounded to the nearest.
        case ratio(FieldColumn, per: FieldColumn, factor: Int)
        /// 1,000 quanta where the outcome is another than `loaded`, else 0.
        case failure
    }

    /// The identifier, unit and direction, those of the gate.
    package let metric: Metric
    /// How its quantum is made.
    package let formula: Formula
    /// Whether only visits that loaded their page have it; one that doesn't say its outcome did.
    package let isOfLoads: Bool
    /// How many quanta a unit has.
    package let scale: Double

    private init(_ metric: Metric, _ formula: Formula, isOfLoads: Bool = false, scale: Double = 1_000) {
        self.metric = metric
        self.formula = formula
        self.isOfLoads = isOfLoads
        self.scale = scale
    }

    /// Every metric of columns, in the order of the documentation.
    package static let all = [
        FieldMetric(Metric(PageMetric.ttfl), .value(.firstLayout)),
        FieldMetric(Metric(PageMetric.ttil), .value(.initialLoad), isOfLoads: true),
        FieldMetric(Metric(PageMetric.alt), .mean(sum: .additionalLoads, count: .additionalLoadCount), isOfLoads: true),
        FieldMetric(Metric(PageMetric.rclt), .mean(sum: .richContent, count: .richContentCount), isOfLoads: true),
        FieldMetric(.loadFailures, .failure),
        FieldMetric(Metric(FrameMetric.scrollThreadHang), .value(.threadHang)),
        // ms of hitches in a second: of 1 µs per µs, 1,000,000 quanta.
        FieldMetric(Metric(FrameMetric.hitchRatioScreen), .ratio(.hitch, per: .duration, factor: 1_000_000)),
        // Seconds of hangs in an hour, in hundredths: of 1 µs per µs, 360,000 quanta.
        FieldMetric(Metric(FrameMetric.hangRate), .ratio(.hang, per: .duration, factor: 360_000), scale: 100),
        // Frames a second, in thousandths: of 1 frame per µs, 1,000,000,000 quanta.
        FieldMetric(Metric(FrameMetric.fpsMean), .ratio(.frameCount, per: .duration, factor: 1_000_000_000)),
    ]

    /// The metric of a name; one that no column gives, which `metric` lines name, is in its own unit, lower is better.
    package static func named(_ id: String) -> FieldMetric {
        if let known = all.first(where: { $0.metric.id == id }) { return known }
        let metric = MetricCatalog.definition(of: id)?.metric ?? Metric(id: id, unit: Unit(""), better: .lower)
        return FieldMetric(metric, .value(.initialLoad), scale: metric.unit == .secondsPerHour ? 100 : 1_000)
    }
}

extension FieldMetric.Formula {
    /// How many quanta one of a column has: counts are whole numbers, times are in µs.
    package static func scale(of column: FieldColumn) -> Double {
        switch column {
        case .frameCount, .additionalLoadCount, .richContentCount: 1
        default: 1_000
        }
    }

    /// The greatest numerator of a ratio that leaves every intermediate number exact in a double; greater ones count
    /// as that.
    package static func mostNumerator(factor: Int) -> Int {
        min(Quantum.most, (1 << 53 - 1 - Quantum.most) / (2 * factor))
    }
}

/// The strata that events may be counted by.
package enum FieldStratum: String, Sendable, Hashable, CaseIterable {
    /// The operating system up to its first dot.
    case os
    /// The class of the device, as the configuration names it; without classes the device.
    case deviceClass = "device_class"
    /// The network.
    case network
    /// Whether low-power mode was on, `true` or `false`.
    case lowPower = "low_power"
}

/// What a team calls things: the configuration's `field`, the same for logs and for SQL.
package struct FieldMapping: Sendable, Hashable {
    /// Where a column's values come from.
    package enum Source: Sendable, Hashable {
        /// A key of the log, or a column of a table, by its own name.
        case name(String)
        /// An expression in SQL, which goes in as it stands; logs can't have it.
        case sql(String)
    }

    /// A class of devices.
    package struct DeviceClass: Sendable, Hashable {
        /// Its name.
        package let name: String
        /// The devices: whole names, or beginnings followed by `*`.
        package let devices: [String]

        /// Makes a class of its parts.
        package init(name: String, devices: [String]) {
            self.name = name
            self.devices = devices
        }
    }

    /// The class of devices that no class names.
    package static let otherDevices = "other"

    /// The columns that have another source than their own name; `nil`: the events don't have it.
    package var columns: [FieldColumn: Source?] = [:]
    /// The classes, of which the first that has a device is its own; empty: each device is its own class.
    package var deviceClasses: [DeviceClass] = []
    /// By what T is counted beside app, page, release, day and metric.
    package var strata: [FieldStratum] = []

    /// The mapping where nothing is configured.
    package init() {}

    /// Where the values of a column come from; `nil` where the events don't have it.
    package func source(of column: FieldColumn) -> Source? { columns[column] ?? .name(column.rawValue) }
}

/// What a team configured of field data.
package struct FieldSettings: Sendable, Hashable {
    /// What it calls things.
    package var mapping = FieldMapping()

    /// The percentiles that bounds, checks and tables can be about.
    package static let percentiles = [50, 75, 90, 95, 99]

    /// The settings where nothing is configured.
    package init() {}
}

/// Which events are taken, and what they are called.
package struct FieldOptions: Sendable {
    /// What a team calls things.
    package var mapping = FieldMapping()
    /// The conditions that events must all meet; empty: all are taken.
    package var conditions: [FieldCondition] = []
    /// The days that are taken; `nil`: all.
    package var since: CalendarDay?
    package var until: CalendarDay?
    /// The releases that G is made of; `nil`: it isn't made.
    package var pair: FieldPair?
    /// How many buckets are held in memory before those of finished files are written.
    package var mostBuckets = 2_000_000

    /// The options where nothing is said.
    package init() {}
}

/// A value that events must have.
package struct FieldCondition: Sendable, Hashable {
    /// The column.
    package let column: FieldColumn
    /// Its value, as text.
    package let value: String

    /// The columns that a condition can be about.
    package static let columns: [FieldColumn] = [.app, .release, .page, .os, .device, .network, .lowPower]

    /// Makes a condition; `nil` for a column that none can be about.
    package init?(column: FieldColumn, value: String) {
        guard Self.columns.contains(column) else { return nil }
        self.column = column
        self.value = value
    }

    /// The condition as it is written, such as `network=wifi`.
    package var text: String { "\(column.rawValue)=\(value)" }
}
