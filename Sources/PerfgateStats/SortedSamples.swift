/// Finite numbers in ascending order, so that whatever is computed from them does not depend on how they came in.
///
/// Negative zero is kept as zero: the two are equal, and only one of them may show.
public struct SortedSamples: Equatable, Sendable {
    /// The numbers, ascending, all finite; may be empty.
    public let values: [Double]

    /// Sorts the numbers; throws `StatsError.notFinite` at the first NaN or infinity.
    public init(_ values: [Double]) throws(StatsError) {
        if let position = values.firstIndex(where: { !$0.isFinite }) { throw .notFinite(position: position) }
        self.values = values.map { $0 + 0.0 }.sorted()
    }

    private init(ascending values: [Double]) {
        self.values = values
    }

    /// How many there are.
    public var count: Int { values.count }

    /// The same numbers with their signs turned.
    public var negated: SortedSamples {
        SortedSamples(ascending: values.reversed().map { 0.0 - $0 })
    }
}
