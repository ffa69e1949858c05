import PerfgateModel

/// What a file of another tool says of one metric, with the page that it was put on.
public struct PlacedCell: Sendable, Hashable {
    /// The name of the format.
    public let format: String
    /// The identifier of the run.
    public let run: String
    /// What the file names: a test, process, table or event; the rules of `map:` are matched against it.
    public let subject: String
    /// The pattern of the rule that matched; `nil` where none did.
    public let pattern: String?
    /// The page that it was put on.
    public let page: Page
    /// The test as reports name it; `nil` where none is known.
    public let test: String?
    /// What was measured.
    public let metric: Metric
    /// The conditions: those of the run with what the rule found.
    public let context: Context
    /// The samples; all of them finite.
    public let samples: [Sample]
    /// The iterations that measured it, with a sample or without.
    public let iterations: Set<Int>
}

extension PlacedCell: Comparable {
    /// By run, page, subject, test, then metric: an order that doesn't depend on that of the files.
    public static func < (lhs: PlacedCell, rhs: PlacedCell) -> Bool { lhs.order.lexicographicallyPrecedes(rhs.order) }

    private var order: [UInt8] {
        Array([run, page.name, subject, test ?? "", metric.id, metric.unit.symbol].map(\.utf8).joined(separator: [0]))
    }
}
