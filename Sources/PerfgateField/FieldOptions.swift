import PerfgateModel

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
