import PerfgateJSON

/// One line, read and not yet understood. One value is used for all lines, so that none allocates.
struct LogLine: ~Copyable {
    /// A field of a run's header that a line carries, as raw JSON.
    struct ContextField {
        /// The index of its name in `Context.names`.
        let name: Int
        /// Where its value stands in the line.
        let range: Range<Int>
    }

    /// A value of a formula that is only tried.
    struct Candidate {
        /// Its key.
        let name: JSONText
        /// Its value, in the unit that the key ends in.
        let value: Double
    }

    var fields = LineFields()
    var visit = VisitFields()
    var rare = RareFields()
    /// Whether anything was read into `visit`.
    var hasVisit = false
    /// Whether anything was read into `rare`.
    var hasRare = false
    var context: [ContextField] = []
    var candidates: [Candidate] = []
    var timestamps: [UInt64] = []
    var targets: [UInt64] = []
    var values: [Double] = []
    /// The order of the keys in the last line of each type, which the next one mostly has too.
    var order = KeyOrder()

    /// Forgets the last line, and keeps the memory of its lists.
    mutating func reset() {
        fields = LineFields()
        if hasVisit {
            visit = VisitFields()
            hasVisit = false
        }
        if hasRare {
            rare = RareFields()
            hasRare = false
        }
        if !context.isEmpty { context.removeAll(keepingCapacity: true) }
        if !candidates.isEmpty { candidates.removeAll(keepingCapacity: true) }
        if !timestamps.isEmpty { timestamps.removeAll(keepingCapacity: true) }
        if !targets.isEmpty { targets.removeAll(keepingCapacity: true) }
        if !values.isEmpty { values.removeAll(keepingCapacity: true) }
    }
}
