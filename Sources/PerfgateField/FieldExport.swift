import PerfgateFiles
import PerfgateModel
import PerfgateStats

/// A store's T as one table in CSV.
package struct FieldExport {
    /// What a row says.
    package enum Form: Sendable, Hashable {
        /// What engines write and `field import` reads: events, the sum of quanta and the buckets.
        case raw
        /// Events, mean and quantiles, in the metric's unit.
        case quantiles
    }

    private let store: FieldStore
    private let form: Form
    private let since: CalendarDay?
    private let until: CalendarDay?

    /// An export of the days from one to another; `nil`: no bound.
    package init(_ store: FieldStore, as form: Form, since: CalendarDay? = nil, until: CalendarDay? = nil) {
        self.store = store
        self.form = form
        self.since = since
        self.until = until
    }

    /// Gives the table piece by piece, a day at a time, and how many rows it has.
    package func write(_ body: ([UInt8]) throws -> Void) throws -> Int {
        var strata: [FieldStratum]?
        var count = 0
        for number in try store.days() where number >= since ?? number && number <= until ?? number {
            guard let day = try store.day(number) else { continue }
            if let strata, strata != day.strata {
                throw FieldRollUpError.otherShape(
                    folder: store.folder, by: strata.map(\.rawValue), conditions: day.conditions)
            }
            if strata == nil { try body(Array(header(day.strata).utf8)) }
            strata = day.strata
            var text = TableText()
            for row in day.rows { append(row, of: day, to: &text) }
            count += day.rows.count
            try body(text.bytes)
        }
        return count
    }

    /// Gives roll-up G of a pair, or the users' sums, as `field import` reads them, and how many rows it has.
    package func write(_ pair: FieldPair, users: Bool, _ body: ([UInt8]) throws -> Void) throws -> Int {
        var count = 0
        for number in try store.days(of: pair) where number >= since ?? number && number <= until ?? number {
            guard let day = try store.day(number, of: pair) else { continue }
            if count == 0 { try body(Array((users ? FieldTableKind.users : .pair).header.utf8)) }
            var text = TableText()
            if users {
                for row in day.users { text.append(row, day: number) }
            } else {
                for row in day.rows { text.append(row, day: number) }
            }
            count += users ? day.users.count : day.rows.count
            try body(text.bytes)
        }
        return count
    }

    private func header(_ strata: [FieldStratum]) -> String {
        guard form == .quantiles else { return FieldTableKind.rollUp(strata).header }
        let names = ["app", "page", "release", "day", "metric"] + strata.map(\.rawValue)
        return (names + ["unit", "events", "mean"] + FieldSettings.percentiles.map { "p\($0)" }).joined(separator: ",")
            + "\n"
    }

    private func append(_ row: FieldRow, of day: FieldDay, to text: inout TableText) {
        guard form == .quantiles else { return text.append(row, day: day.day) }
        let metric = FieldMetric.named(row.metric)
        text.append(names: [row.app, row.page, row.release, day.day.text, row.metric] + row.strata)
        text.append(names: [metric.metric.unit.symbol])
        text.append(row.events)
        let histogram = row.histogram
        let quantiles = FieldSettings.percentiles.map { histogram.quantile(Double($0) / 100) ?? 0 }
        for quanta in [Double(row.quanta) / Double(row.events)] + quantiles {
            text.append(",")
            text.append(Self.decimal(quanta / metric.scale).utf8)
        }
        text.append("\n")
    }

    /// A value at least 0 with three decimals, as quanta have them.
    private static func decimal(_ value: Double) -> String {
        let thousandths = Int((value * 1_000).rounded())
        let digits = String(thousandths % 1_000)
        return "\(thousandths / 1_000).\(String(repeating: "0", count: 3 - digits.count))\(digits)"
    }
}

extension FieldRow {
    /// The buckets as what quantiles are taken of.
    package var histogram: WeightedHistogram {
        WeightedHistogram(buckets.map { WeightedHistogram.Bucket(index: $0.index, count: $0.count) })
    }
}
