extension SortedSamples {
    /// The middle number, of an even count the lower of the two; `nil` without samples.
    public var lowerMedian: Double? {
        values.isEmpty ? nil : values[(count - 1) / 2]
    }

    /// The middle number, of an even count the upper of the two; `nil` without samples.
    public var upperMedian: Double? {
        values.isEmpty ? nil : values[count / 2]
    }

    /// The middle number, of an even count half way between the two; `nil` without samples.
    public var median: Double? {
        guard let lower = lowerMedian, let upper = upperMedian else { return nil }
        return lower.midpoint(to: upper)
    }

    /// The arithmetic mean, summed in ascending order with compensation; `nil` without samples.
    public var mean: Double? {
        guard !values.isEmpty else { return nil }
        let size = Double(count)
        let sum = CompensatedSum.of(values)
        guard !sum.isFinite else { return sum / size }
        return (2 * CompensatedSum.of(values.map { $0 / size / 2 })).saturated
    }

    /// The centre of the wanted kind; `nil` without samples.
    public func centre(_ kind: Centre) -> Double? {
        switch kind {
        case .mean: mean
        case .median: median
        }
    }
}
