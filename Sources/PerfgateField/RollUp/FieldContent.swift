import PerfgateIngest

/// What one file says.
struct FieldContent: ~Copyable {
    /// By the strata that are configured.
    var tally = FieldTally()
    /// By all strata, of the releases of a pair.
    var pair: PairTally
    /// How many lines and values aren't counted, by day and reason.
    var omissions = Omissions()
    /// What stands for the content.
    var hash = ContentHash()
    /// How many lines there were that aren't blank.
    var lineCount = 0
    /// The first line that couldn't be read, and why.
    var firstUnreadable: (line: Int, problem: String)?

    /// Says nothing yet.
    init(base: Int32, candidate: Int32) {
        pair = PairTally(base: base, candidate: candidate)
    }
}

/// How many lines and values aren't counted, by day and reason.
struct Omissions {
    private var counts: [Int32: [FieldOmission: Int]] = [:]
    /// What is counted of lines without a day.
    static let noDay: Int32 = -1

    /// Counts one, or more.
    mutating func add(_ reason: FieldOmission, day: Int32 = Self.noDay, count: Int = 1) {
        counts[day, default: [:]][reason, default: 0] += count
    }

    /// What was left out of a day.
    subscript(day: Int32) -> [FieldOmission: Int] { counts[day] ?? [:] }

    /// What was left out of all days.
    var total: [FieldOmission: Int] {
        counts.values.reduce(into: [:]) { total, counts in total.merge(counts, uniquingKeysWith: +) }
    }
}
