/// Finite numbers in ascending order, so results don't depend on input order. Negative zero becomes zero: they are equal,
/// so only one of them may appear.
package struct SortedSamples: Equatable, Sendable {
    /// The numbers, ascending, all finite; may be empty.
    package let values: [Double]

    /// Sorts the numbers; throws `StatsError.notFinite` at the first NaN or infinity.
    package init(_ values: [Double]) throws(StatsError) { try self.init(values[...]) }

    /// The same for a part of an array; positions are counted from its start.
    package init(_ values: ArraySlice<Double>) throws(StatsError) {
        if let position = values.firstIndex(where: { !$0.isFinite }) {
            throw .notFinite(position: position - values.startIndex)
        }
        var sorted = values.map { $0 + 0.0 }
        sorted.sort()
        self.values = sorted
    }

    private init(ascending values: [Double]) { self.values = values }

    package var count: Int { values.count }

    package var negated: SortedSamples { SortedSamples(ascending: values.reversed().map { 0.0 - $0 }) }

    /// The median; with an even count the lower middle number; `nil` without samples.
    package var lowerMedian: Double? { values.isEmpty ? nil : values[(count - 1) / 2] }

    /// The median; with an even count the upper middle number; `nil` without samples.
    package var upperMedian: Double? { values.isEmpty ? nil : values[count / 2] }

    /// The median; with an even count the mean of both middle numbers; `nil` without samples.
    package var median: Double? {
        guard let lower = lowerMedian, let upper = upperMedian else { return nil }
        return lower.midpoint(to: upper)
    }

    /// The arithmetic mean, summed in ascending order with compensation; `nil` without samples.
    package var mean: Double? {
        guard !values.isEmpty else { return nil }
        let (size, mean) = (Double(count), values.compensatedMean)
        return mean.isFinite ? mean : (2 * CompensatedSum.of(values.map { $0 / size / 2 })).saturated
    }

    package func centre(_ kind: Centre) -> Double? { kind == .mean ? mean : median }
}

/// The arithmetic mean is for counts and rates, whose median hides rare events; the median for everything else.
package enum Centre: String, Sendable, CaseIterable { case mean, median }

/// A sum that tracks its rounding error: A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher
/// Summen", ZAMM 54 (1974) 39–51. Add terms in a fixed (sorted) order if the same numbers must give the same bits.
struct CompensatedSum {
    private var sum = 0.0
    private var lost = 0.0

    /// The sum so far; infinite or NaN after an overflow.
    var value: Double { sum + lost }

    mutating func add(_ term: Double) {
        let next = sum + term
        lost += abs(sum) >= abs(term) ? (sum - next) + term : (term - next) + sum
        sum = next
    }

    static func of(_ terms: some Sequence<Double>) -> Double {
        var total = CompensatedSum()
        for term in terms { total.add(term) }
        return total.value
    }
}

extension Collection<Double> {
    /// The mean; 0 without values.
    package var mean: Double { isEmpty ? 0 : reduce(0, +) / Double(count) }

    /// The sum of squared deviations from the mean.
    var squares: Double {
        let mean = mean
        return reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    }

    /// The same two, summed with compensation.
    var compensatedMean: Double { isEmpty ? 0 : CompensatedSum.of(self) / Double(count) }

    var compensatedSquares: Double {
        let mean = compensatedMean
        return CompensatedSum.of(lazy.map { ($0 - mean) * ($0 - mean) })
    }
}

/// Why a statistic can't be computed.
package enum StatsError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A number is NaN or infinite; `position` is its index, from 0, in the given list.
    case notFinite(position: Int)
    /// A side has no samples, so there is nothing to compare.
    case noSamples(side: Side)
    /// A setting is out of range; `allowed` describes the range.
    case outOfRange(setting: String, allowed: String)
    /// An exact count of this size would take too long; `limit` is the largest allowed size.
    case tooLarge(size: Int, limit: Int)

    package enum Side: String, Sendable { case baseline, candidate }

    /// The problem, ending with advice.
    package var description: String {
        switch self {
        case .notFinite(let position):
            "the value at position \(position) is not a finite number; leave it out or record it as not measured"
        case .noSamples(let side): "the \(side.rawValue) has no samples; measure it before comparing"
        case .outOfRange(let setting, let allowed): "\(setting) is out of range; give \(allowed)"
        case .tooLarge(let size, let limit):
            "an exact paired comparison of size \(size) exceeds \(limit); pool fewer runs or compare them unpaired"
        }
    }
}
