import LibC

/// How much times vary where nothing was changed, in logarithms: .03 is about 3 %.
package struct Noise: Equatable, Sendable {
    /// σ, the standard deviation of ln(time) within a run, pooled over runs, 0 or more; `nil` where no run has two
    /// samples, or where a sample is not above 0.
    package let withinRun: Double?
    /// τ, the standard deviation of ln(run median), 0 or more; `nil` with fewer than 3 runs, or where a run's median
    /// is not above 0.
    package let betweenRuns: Double?

    /// The τ to assume where a baseline is too young to show its own.
    package static let assumedBetweenRuns = 0.032
    /// The τ above which a baseline is called unstable.
    package static let unstableBetweenRuns = 0.035

    /// The noise in these runs.
    package init(_ measured: MeasuredRuns) {
        withinRun = Self.withinRun(measured)
        betweenRuns = Self.betweenRuns(measured)
    }

    /// Noise that is already known.
    package init(withinRun: Double?, betweenRuns: Double?) {
        self.withinRun = withinRun
        self.betweenRuns = betweenRuns
    }

    /// The same noise with τ freed from what the medians of so few samples differ by of themselves:
    /// τ² − σ²·π / (2n + π − 2), the mean over runs of n samples, and at least 0.
    ///
    /// That share of σ² is a median's variance to within 3 % from three samples on; it tends to π / 2n.
    package func freed(from measured: MeasuredRuns) -> Noise {
        guard let withinRun, let betweenRuns else { return self }
        let shares = measured.runs.map { Double.pi / (2 * Double($0.count) + Double.pi - 2) }
        let sampling = withinRun * withinRun * CompensatedSum.of(shares.sorted()) / Double(shares.count)
        return Noise(
            withinRun: withinRun, betweenRuns: max(0, betweenRuns * betweenRuns - sampling).squareRoot())
    }

    /// Whether runs differ so much from each other that more runs will not sharpen the gate.
    package var isUnstable: Bool {
        betweenRuns.map { $0 > Self.unstableBetweenRuns } ?? false
    }

    private static func withinRun(_ measured: MeasuredRuns) -> Double? {
        let degrees = measured.pooled.count - measured.runs.count
        guard degrees > 0, let least = measured.pooled.values.first, least > 0 else { return nil }
        let squares = CompensatedSum.of(measured.runs.map { squaredDeviations($0.values.map { log($0) }) })
        return (squares / Double(degrees)).squareRoot()
    }

    private static func betweenRuns(_ measured: MeasuredRuns) -> Double? {
        let medians = measured.runs.compactMap(\.median).sorted()
        guard medians.count >= 3, let least = medians.first, least > 0 else { return nil }
        return (squaredDeviations(medians.map { log($0) }) / Double(medians.count - 1)).squareRoot()
    }

    private static func squaredDeviations(_ values: [Double]) -> Double {
        let mean = CompensatedSum.of(values) / Double(values.count)
        return CompensatedSum.of(values.map { ($0 - mean) * ($0 - mean) })
    }
}
