import PagePerformance
import PerfgateModel
import PerfgateStats

extension LogKey {
    package static let measurements: [LogKey] = [
        .ttfl, .ttil, .scrollThreadHang, .additionalLoads, .additionalLoadCount, .richContentLoads, .richContentCount,
        .hitch, .hang, .durationMS, .frameCount,
    ]
    /// What a visit has only if a user waited for its page, beside the outcome.
    static let loads: [LogKey] = [
        .ttfl, .ttil, .additionalLoads, .additionalLoadCount, .richContentLoads, .richContentCount,
    ]
    /// The columns of events, as keys of log lines or columns of a warehouse table, in the order of the documentation.
    package static let columns: [LogKey] =
        [.at, .app, .appVersion, .page, .os, .device, .network, .lowPowerMode, .user, .outcome] + measurements

    package var isMeasurement: Bool { Self.measurements.contains(self) }

    package init?(column name: String) {
        guard let column = Self.columns.first(where: { $0.rawValue == name }) else { return nil }
        self = column
    }
}

/// A metric of events, and how its quantum is computed from an event's columns: one definition for logs and SQL.
package struct FieldMetric: Sendable, Hashable {
    /// How the quantum is computed; an event has no value if a column is absent, or if there is no valid quantum.
    package enum Formula: Sendable, Hashable {
        case value(LogKey)
        /// The quantum of a sum divided by the count, which is a whole number above 0.
        case mean(sum: LogKey, count: LogKey)
        /// A column's quantum times a factor divided by another column's quantum, rounded to the nearest.
        case ratio(LogKey, per: LogKey, factor: Int)
        /// 1,000 quanta if the outcome isn't `loaded`, else 0.
        case failure
    }

    package let metric: Metric, formula: Formula
    /// Whether only visits that loaded their page have it; a visit without an outcome counts as loaded.
    package let isOfLoads: Bool
    /// The number of quanta per unit.
    package let scale: Double

    private init(_ metric: Metric, _ formula: Formula, isOfLoads: Bool = false, scale: Double = 1_000) {
        (self.metric, self.formula, self.isOfLoads, self.scale) = (metric, formula, isOfLoads, scale)
    }

    /// The percentiles for limits, checks and tables.
    package static let percentiles = [50, 75, 90, 95, 99]

    /// Every metric computed from columns, in the order of the documentation.
    package static let all = [
        FieldMetric(Metric(PageMetric.ttfl), .value(.ttfl)),
        FieldMetric(Metric(PageMetric.ttil), .value(.ttil), isOfLoads: true),
        FieldMetric(Metric(PageMetric.alt), .mean(sum: .additionalLoads, count: .additionalLoadCount), isOfLoads: true),
        FieldMetric(Metric(PageMetric.rclt), .mean(sum: .richContentLoads, count: .richContentCount), isOfLoads: true),
        FieldMetric(.loadFailures, .failure),
        FieldMetric(Metric(FrameMetric.scrollThreadHang), .value(.scrollThreadHang)),
        // ms of hitches per second: for 1 µs per µs, 1,000,000 quanta.
        FieldMetric(Metric(FrameMetric.hitchRatioScreen), .ratio(.hitch, per: .durationMS, factor: 1_000_000)),
        // Seconds of hangs per hour, in hundredths: for 1 µs per µs, 360,000 quanta.
        FieldMetric(Metric(FrameMetric.hangRate), .ratio(.hang, per: .durationMS, factor: 360_000), scale: 100),
        // Frames per second, in thousandths: for 1 frame per µs, 1,000,000,000 quanta.
        FieldMetric(Metric(FrameMetric.fpsMean), .ratio(.frameCount, per: .durationMS, factor: 1_000_000_000)),
    ]

    /// The metric with a name; a metric that only `metric` lines have keeps its own unit, and lower is better.
    package static func named(_ id: String) -> FieldMetric {
        if let known = all.first(where: { $0.metric.id == id }) { return known }
        let metric = MetricCatalog.definition(of: id)?.metric ?? Metric(id: id, unit: Unit(""), better: .lower)
        return FieldMetric(metric, .value(.ttil), scale: metric.unit == .secondsPerHour ? 100 : 1_000)
    }
}

extension FieldMetric.Formula {
    package var columns: [LogKey] {
        switch self {
        case .value(let column): [column]
        case .mean(let sum, let count): [sum, count]
        case .ratio(let part, let whole, _): [part, whole]
        case .failure: [.outcome]
        }
    }

    /// The number of quanta per unit of a column: counts are whole numbers, times are in µs.
    package static func scale(of column: LogKey) -> Double {
        switch column {
        case .frameCount, .additionalLoadCount, .richContentCount: 1
        default: 1_000
        }
    }

    /// The largest numerator of a ratio for which every intermediate number is exact in a double; others are clamped.
    package static func mostNumerator(factor: Int) -> Int {
        min(Quantum.most, (1 << 53 - 1 - Quantum.most) / (2 * factor))
    }
}

/// The strata by which events may be counted.
package enum FieldStratum: RawRepresentable, Sendable, Hashable, CaseIterable {
    /// The operating system up to its first dot; the device class from the configuration, without classes the device;
    /// and whether low-power mode was on, `true` or `false`.
    case os, deviceClass, network, lowPower
    /// One of the app's own dimensions, by its name in the configuration.
    case tag(String)

    /// The strata of all events, by which two releases are weighted.
    package static let allCases: [FieldStratum] = [.os, .deviceClass, .network, .lowPower]
    private static let prefix = "tags."

    package init?(rawValue: String) {
        if let known = Self.allCases.first(where: { $0.rawValue == rawValue }) {
            self = known
        } else if rawValue.hasPrefix(Self.prefix), rawValue != Self.prefix {
            self = .tag(String(rawValue.dropFirst(Self.prefix.count)))
        } else {
            return nil
        }
    }

    package var rawValue: String {
        switch self {
        case .os: "os"
        case .deviceClass: "device_class"
        case .network: "network"
        case .lowPower: "low_power"
        case .tag(let name): Self.prefix + name
        }
    }

    var tag: String? { if case .tag(let name) = self { name } else { nil } }

    /// The name of its column in tables, where names have no dots.
    package var column: String { tag.map { FieldTags.prefix + $0 } ?? rawValue }
}

/// The app's own dimensions.
package enum FieldTags {
    /// The name of all values beyond the most frequent ones.
    package static let other = "other"
    /// The most values of a tag and day that a result holds, besides `other` and none.
    static let mostValues = 100
    /// The most tags by which T is grouped.
    package static let most = 4
    static let prefix = "tags_"
}

/// The names of a team's data: the configuration's `field`, for logs and SQL alike.
package struct FieldMapping: Sendable, Hashable {
    package enum Source: Sendable, Hashable {
        /// A key of the log, or a column of a table.
        case name(String)
        /// An SQL expression, inserted unchanged; not for logs.
        case sql(String)
    }

    package struct DeviceClass: Sendable, Hashable {
        package let name: String
        /// Full names, or prefixes followed by `*`.
        package let devices: [String]

        package init(name: String, devices: [String]) { (self.name, self.devices) = (name, devices) }
    }

    package static let otherDevices = "other"

    /// The columns with a different source than their own name; `nil`: the events don't have the column.
    package var columns: [LogKey: Source?] = [:]
    /// A table's column with the UTC day of `at`, by which it is partitioned; `nil`: none.
    package var partition: Source?
    /// The classes; the first match applies. Empty: each device is its own class.
    package var deviceClasses: [DeviceClass] = []
    /// The strata of T, in addition to app, page, release, day and metric.
    package var strata: [FieldStratum] = []
    /// The app's own dimensions by which T is grouped too, with the tag, key or column that has them.
    package var tags: [String: Source] = [:]

    package init() {}

    func source(ofTag name: String) -> Source { tags[name] ?? .name(name) }

    /// The source of a column's values; `nil` if the events don't have it.
    package func source(of column: LogKey) -> Source? { columns[column] ?? .name(column.rawValue) }
}

/// Which events to use, and their names.
package struct FieldOptions: Sendable {
    package var mapping = FieldMapping()
    /// The conditions that all events must meet; empty: use all events.
    package var conditions: [FieldCondition] = []
    package var since: CalendarDay?, until: CalendarDay?
    /// The current day, from which impossible days follow; `nil`: none is.
    package var today: CalendarDay?
    /// The releases to make G for; `nil`: none.
    package var pair: FieldPair?
    /// The number of buckets in memory above which finished files are written out.
    package var mostBuckets = 2_000_000

    package init() {}

    var tags: [FieldStratum] { mapping.tags.keys.sorted { $0.precedesInUTF8($1) }.map(FieldStratum.tag) }

    /// The strata of T, in column order.
    package var strata: [FieldStratum] { FieldStratum.allCases.filter(mapping.strata.contains) + tags }
}

/// A required value of events.
package struct FieldCondition: Sendable, Hashable {
    package let column: LogKey, value: String
    /// The name of the app's own dimension, for the column `tags`; `nil` for other columns.
    package let tag: String?

    package static let columns: [LogKey] = [.app, .appVersion, .page, .os, .device, .network, .lowPowerMode]

    package init?(column: LogKey, value: String) {
        guard Self.columns.contains(column) else { return nil }
        (self.column, tag, self.value) = (column, nil, value)
    }

    package init(tag: String, value: String) { (column, self.tag, self.value) = (.tags, tag, value) }

    /// Such as `network=wifi`.
    package var text: String { "\(column.rawValue)\(tag.map { ".\($0)" } ?? "")=\(value)" }
}

/// Two sides to compare: two releases, or two arms of an experiment, each `TAG=VALUE`.
package struct FieldPair: Sendable, Hashable {
    package let base: String, candidate: String
    /// The release whose users the arms are; `nil`: those of all releases, and without arms.
    package let release: String?
    /// The experiment; `nil` for two releases.
    package let arms: Arms?

    /// Two values of a tag, to which an experiment assigns users by chance.
    package struct Arms: Sendable, Hashable {
        package let tag: String, base: String, candidate: String

        fileprivate init?(_ base: String, _ candidate: String) {
            let sides = [base, candidate].map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
            guard sides.allSatisfy({ $0.count == 2 }), sides[0][0] == sides[1][0] else { return nil }
            (tag, self.base, self.candidate) = (sides[0][0], sides[0][1], sides[1][1])
        }
    }

    package init(base: String, candidate: String, release: String? = nil) {
        (self.base, self.candidate) = (base, candidate)
        arms = Arms(base, candidate)
        self.release = arms == nil ? nil : release
    }

    /// Whether a day of T with these events by release is compared. T doesn't say which of its days an experiment has.
    package func compares(_ events: [String: Int]) -> Bool {
        arms != nil || (events[base] ?? 0 > 0 && events[candidate] ?? 0 > 0)
    }
}
