import PerfgateModel

/// Exports a store's T as a CSV table or for time-series databases.
package struct FieldExport {
    package enum Form: Sendable, Hashable {
        /// CSV that engines write and `field import` reads: events, sum of quanta and buckets.
        case raw
        /// CSV with events, mean and quantiles, in the metric's unit.
        case quantiles
        /// The same as points of InfluxDB's line protocol, at the start of their day.
        case influx
        /// The same as OpenMetrics, in base units: the newest day without timestamps, or all days with them.
        case openMetrics(isHistory: Bool)
    }

    private let store: FieldStore, form: Form
    private let since: CalendarDay?, until: CalendarDay?

    package init(_ store: FieldStore, as form: Form, since: CalendarDay? = nil, until: CalendarDay? = nil) {
        (self.store, self.form, self.since, self.until) = (store, form, since, until)
    }

    /// Writes the table day by day; returns the number of rows.
    package func write(_ body: ([UInt8]) throws -> Void) throws -> Int {
        var strata: [FieldStratum]?
        var count = 0
        var exposition = OpenMetricsText()
        for number in try days() {
            guard let day = try store.day(number) else { continue }
            if let strata, strata != day.strata {
                throw FieldRollUpError.otherShape(
                    folder: store.name, by: strata.map(\.rawValue), conditions: day.conditions)
            }
            if strata == nil { try body(Array(header(day.strata).utf8)) }
            strata = day.strata
            count += day.rows.count
            var text = TableText()
            for row in day.rows {
                switch form {
                case .raw: text.append(row, day: day.day)
                case .quantiles: text.append(FieldFigures(row, of: day))
                case .influx: text.append(LineProtocol.point(FieldFigures(row, of: day)).utf8)
                case .openMetrics(let isHistory): exposition.add(FieldFigures(row, of: day), isTimed: isHistory)
                }
            }
            if case .openMetrics(let isHistory) = form { exposition.add(day.day, isTimed: isHistory) }
            try body(text.bytes)
        }
        if count > 0, case .openMetrics = form { try body(exposition.bytes) }
        return count
    }

    private func days() throws -> ArraySlice<CalendarDay> {
        let last = try form == .raw ? until : store.newestDay(until: until)
        let days = try store.days().filter { $0 >= since ?? $0 && $0 <= last ?? $0 }
        return form == .openMetrics(isHistory: false) ? days.suffix(1) : days[...]
    }

    /// Writes roll-up G of a pair, or its sums of users, as `field import` reads them; returns the number of rows.
    package func write(_ pair: FieldPair, users: Bool, _ body: ([UInt8]) throws -> Void) throws -> Int {
        var count = 0
        for number in try store.days(of: pair) where number >= since ?? number && number <= until ?? number {
            guard let day = try store.day(number, of: pair) else { continue }
            if count == 0 { try body(Array((users ? FieldTableKind.users : .pair).header.utf8)) }
            var text = TableText()
            if users {
                for row in day.users { text.append(row, day: number) }
            } else {
                for cell in day.cells { text.append(cell, day: number) }
            }
            count += users ? day.users.count : day.cells.reduce(0) { $0 + $1.buckets.count }
            try body(text.bytes)
        }
        return count
    }

    private func header(_ strata: [FieldStratum]) -> String {
        switch form {
        case .raw: return FieldTableKind.rollUp(strata).header
        case .quantiles:
            let names = ["app", "page", "release", "day", "metric"] + strata.map(\.column) + ["unit", "events"]
            return (names + FieldFigures.names).joined(separator: ",") + "\n"
        case .influx, .openMetrics: return ""
        }
    }
}

/// The numbers of a row of T for people.
struct FieldFigures {
    let metric: Metric, day: CalendarDay
    /// The app, page and release, and the values of the strata, by name; empty if unknown.
    let labels: [(name: String, value: String)]
    let events: Int
    /// Thousandths of the metric's unit, in the order of `names`.
    let thousandths: [Int]

    static let names = ["mean"] + FieldMetric.percentiles.map { "p\($0)" }

    init(_ row: FieldRow, of day: FieldDay) {
        let known = FieldMetric.named(row.metric)
        (metric, self.day, events) = (known.metric, day.day, row.events)
        labels =
            [("app", row.app), ("page", row.page), ("release", row.release)]
            + zip(day.strata.map(\.column), row.strata).map { ($0, $1) }
        let histogram = row.histogram
        let quantiles = FieldMetric.percentiles.map { histogram.quantile(Double($0) / 100) ?? 0 }
        thousandths = ([Double(row.quanta) / Double(row.events)] + quantiles).map {
            Int(($0 / known.scale * 1_000).rounded())
        }
    }

    /// A value of at least 0 with three decimals, the resolution of quanta.
    static func decimal(_ thousandths: Int) -> String {
        "\(thousandths / 1_000).\(String(thousandths % 1_000).padded(toWidth: 3))"
    }
}

extension TableText {
    fileprivate mutating func append(_ figures: FieldFigures) {
        let values = figures.labels.map { CleanText.cell($0.value) }
        append(names: values.prefix(3) + [figures.day.text, CleanText.cell(figures.metric.id)] + values.dropFirst(3))
        append(names: [figures.metric.unit.symbol])
        append(figures.events)
        for value in figures.thousandths {
            append(",")
            append(FieldFigures.decimal(value).utf8)
        }
        append("\n")
    }
}

enum LineProtocol {
    /// A row as a point at the start of its day, with page, release and metric as tags and values in the metric's unit.
    static func point(_ figures: FieldFigures) -> String {
        var tags = figures.labels + [("metric", figures.metric.id), ("unit", figures.metric.unit.symbol)]
        tags.sort { $0.name.precedesInUTF8($1.name) }
        // A tag can't be empty.
        let head = tags.filter { !$0.value.isEmpty }.map { ",\($0.name)=\(escaped($0.value))" }.joined()
        let fields = zip(FieldFigures.names, figures.thousandths).map { ",\($0)=\(FieldFigures.decimal($1))" }.joined()
        return "perfgate_field\(head) events=\(figures.events)i\(fields) \(figures.day.number * 86_400)000000000\n"
    }

    /// A tag's value. Control characters and a backslash at the end, which the protocol lacks, are percent-encoded.
    private static func escaped(_ text: String) -> String {
        let endsInBackslash = text.unicodeScalars.last == "\\"
        let body = endsInBackslash ? String(text.unicodeScalars.dropLast()) : text
        let escaped = body.escaped { scalar in
            switch scalar {
            case ",", "=", " ": "\\\(scalar)"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                "%\(scalar.value < 16 ? "0" : "")\(String(scalar.value, radix: 16, uppercase: true))"
            default: nil
            }
        }
        return endsInBackslash ? escaped + "%5C" : escaped
    }
}

extension OpenMetricsText {
    mutating func add(_ figures: FieldFigures, isTimed: Bool) {
        let time = isTimed ? figures.day.number * 86_400 : nil
        let labels = figures.labels + [("metric", figures.metric.id)]
        for (statistic, thousandths) in zip(FieldFigures.names, figures.thousandths) {
            add(
                Double(thousandths) / 1_000, figures.metric.unit, to: "perfgate_field",
                "The users' measurements on a day.", Labels(labels + [("statistic", statistic)]), at: time)
        }
        let name = "perfgate_field_day_events"
        add(Double(figures.events), to: name, "The number of those events.", Labels(labels), at: time)
    }

    mutating func add(_ day: CalendarDay, isTimed: Bool) {
        let (start, name) = (day.number * 86_400, "perfgate_field_day_timestamp")
        add(Double(start) * 1_000, .milliseconds, to: name, "The start of that day.", at: isTimed ? start : nil)
    }
}
