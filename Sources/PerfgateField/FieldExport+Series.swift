import PerfgateModel

/// InfluxDB's line protocol.
enum LineProtocol {
    /// The measurement that all points are of.
    static let measurement = "perfgate_field"

    /// A row as a point at the beginning of its day, whose tags tell page, release and metric; values are in the metric's
    /// unit.
    static func point(_ figures: FieldFigures) -> String {
        var tags = figures.labels + [("metric", figures.metric.id), ("unit", figures.metric.unit.symbol)]
        tags.sort { $0.name.precedesInUTF8($1.name) }
        // A tag can't be empty.
        let head = tags.filter { !$0.value.isEmpty }.map { ",\($0.name)=\(escaped($0.value))" }.joined()
        let fields = zip(FieldFigures.names, figures.thousandths).map { ",\($0)=\(FieldFigures.decimal($1))" }.joined()
        return "\(measurement)\(head) events=\(figures.events)i\(fields) \(figures.day.number * 86_400)000000000\n"
    }

    /// A tag's value. The protocol has no way to write a control character, or a backslash at the end: those become
    /// percent-encoded.
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
    /// Adds a row, with the time of its day or without.
    mutating func add(_ figures: FieldFigures, isTimed: Bool) {
        let start = figures.day.number * 86_400
        let time = isTimed ? start : nil
        let labels = figures.labels + [("metric", figures.metric.id)]
        for (name, thousandths) in zip(FieldFigures.names, figures.thousandths) {
            add(
                Double(thousandths) / 1_000, figures.metric.unit, to: "perfgate_field",
                "What the users of a day measured.", labels + [("statistic", name)], at: time)
        }
        add(Double(figures.events), to: "perfgate_field_day_events", "How many events that is of.", labels, at: time)
    }

    /// Adds which day the other values are of.
    mutating func add(_ day: CalendarDay, isTimed: Bool) {
        let start = day.number * 86_400
        add(
            Double(start) * 1_000, .milliseconds, to: "perfgate_field_day_timestamp", "When that day began.",
            at: isTimed ? start : nil)
    }
}
