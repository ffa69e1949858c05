import LibC

/// How much times vary where nothing was changed, in logarithms: .03 is about 3 %.
package struct Noise: Equatable, Hashable, Sendable {
    /// σ, the standard deviation of ln(time) within a run, 0 or more; `nil` where no run has two samples, or where a
    /// sample is not above 0.
    package let withinRun: Double?
    /// τ, the standard deviation between runs beyond what the medians of so few samples differ by of themselves, 0 or
    /// more; `nil` with fewer than 3 runs, or where a sample is not above 0.
    package let betweenRuns: Double?

    /// The τ to assume where a baseline is too young to show its own.
    package static let assumedBetweenRuns = 0.032
    /// The τ above which a baseline is called unstable.
    package static let unstableBetweenRuns = 0.035

    /// The noise in these runs.
    package init(_ measured: MeasuredRuns) {
        let isPositive = measured.pooled.values.first.map { $0 > 0 } ?? false
        let within = isPositive ? WithinRun(measured.runs) : nil
        withinRun = within?.deviation
        betweenRuns =
            isPositive && measured.runs.count >= 3
            ? max(0, Self.betweenRunsSquared(measured.runs, within) ?? 0).squareRoot() : nil
    }

    /// Noise that is already known.
    package init(withinRun: Double?, betweenRuns: Double?) {
        self.withinRun = withinRun
        self.betweenRuns = betweenRuns
    }

    /// Whether runs differ so much from each other that more runs will not sharpen the gate.
    package var isUnstable: Bool {
        betweenRuns.map { $0 > Self.unstableBetweenRuns } ?? false
    }

    /// τ of several times together: the median over them, which few strange ones don't move. `nil` without any of 3 runs.
    package static func betweenRuns(of times: [MeasuredRuns]) -> Double? {
        let squares = times.compactMap { time in
            time.runs.count < 3 ? nil : betweenRunsSquared(time.runs, WithinRun(time.runs))
        }
        return Self.median(squares).map { max(0, $0).squareRoot() }
    }

    /// τ of one time where its runs differ by more than τ of all times explains: by a χ² test at .01 of
    /// (R − 1)·var(ln run medians) / (τ² + (π/2)·σ² / (k + ½)). `nil` where they don't, and with fewer than 3 runs.
    package static func ownBetweenRuns(of time: MeasuredRuns, beside common: Double) -> Double? {
        // A sample of 0 has no logarithm, so that the spread within runs isn't known.
        guard time.runs.count >= 3, time.runs.allSatisfy({ ($0.values.first ?? 0) > 0 }),
            let spread = RunSpread(time.runs, WithinRun(time.runs))
        else { return nil }
        let squared = spread.variance - spread.sampling
        let explained = common * common + spread.sampling
        let isOwn = squared > common * common && spread.variance > explained * Self.greatestRatio(spread.degrees)
        return isOwn ? squared.squareRoot() : nil
    }

    /// χ²/k of k degrees that chance exceeds once in a hundred: (1 − 2/(9k) + 2.326·√(2/(9k)))³, by E. B. Wilson and
    /// M. M. Hilferty.
    private static func greatestRatio(_ degrees: Double) -> Double {
        let share = 2 / (9 * degrees)
        let root = 1 - share - Normal.quantile(0.01) * share.squareRoot()
        return root * root * root
    }

    /// var(ln run medians) / (1 − 2 / (9(R − 1)))³ − (π/2)·σ² / (k + ½), k being the samples of a run; below 0 where runs
    /// differ less than their samples explain.
    ///
    /// The cube turns the median of a variance of R − 1 degrees into its mean (E. B. Wilson and M. M. Hilferty, PNAS 17
    /// (1931) 684–688): a median over times stands for what one of them shows.
    private static func betweenRunsSquared(_ runs: [SortedSamples], _ within: WithinRun?) -> Double? {
        guard let spread = RunSpread(runs, within) else { return nil }
        let ratio = 1 - 2 / (9 * spread.degrees)
        return spread.variance / (ratio * ratio * ratio) - spread.sampling
    }

    /// The middle value, of an even number half way between the middle two; `nil` without values.
    static func median(_ values: [Double]) -> Double? {
        (try? SortedSamples(values))?.median
    }
}

/// What the medians of a time's runs differ by.
private struct RunSpread {
    /// var(ln run medians), with R − 1 degrees.
    let variance: Double
    /// (π/2)·σ² / (k + ½), what the medians of so few samples differ by of themselves; the mean over the runs.
    let sampling: Double
    /// R − 1.
    let degrees: Double

    /// `nil` below two runs, and where a median is not above 0.
    init?(_ runs: [SortedSamples], _ within: WithinRun?) {
        let medians = runs.compactMap { $0.median.flatMap { $0 > 0 ? log($0) : nil } }.sorted()
        guard medians.count == runs.count, medians.count > 1 else { return nil }
        let count = Double(medians.count)
        let mean = CompensatedSum.of(medians) / count
        degrees = count - 1
        variance = CompensatedSum.of(medians.map { ($0 - mean) * ($0 - mean) }) / degrees
        let shares = runs.map { 1 / (Double($0.count) + 0.5) }.sorted()
        sampling = (within?.variance ?? 0) * Double.pi / 2 * CompensatedSum.of(shares) / count
    }
}

/// How much the samples of a run vary, in logarithms, by what any two of one run differ by.
///
/// Pairs, because deviations from a run's own median are too small where a run has few samples; their median, because one
/// sample in fifty is an outlier.
package struct WithinRun: Equatable, Sendable {
    /// σ = 1.0483·median |ln xₐ − ln x_b| over the pairs of samples of one run: right for a normal distribution.
    package let deviation: Double
    /// .6·(samples − runs), the degrees of freedom that the median of the pairs leaves; above 0.
    package let degrees: Double

    /// σ².
    package var variance: Double { deviation * deviation }

    /// Of more samples than these in a run, as many equally spaced ones of them make the pairs.
    static let mostSamples = 100

    /// The noise within runs; `nil` where none has two samples.
    ///
    /// - Parameter least: Lesser values count as it; above 0 where a value may be 0.
    package init?(_ runs: [SortedSamples], least: Double = 0) {
        var differences: [Double] = []
        for run in runs {
            let logs = Self.thinned(run.values).map { log(max($0, least)) }
            for first in logs.indices {
                for second in logs.indices.dropFirst(first + 1) { differences.append(logs[second] - logs[first]) }
            }
        }
        guard let median = Noise.median(differences) else { return nil }
        deviation = 1.0483 * median
        degrees = 0.6 * Double(runs.reduce(0) { $0 + max(0, $1.count - 1) })
    }

    /// A known noise.
    init(deviation: Double, degrees: Double) {
        self.deviation = deviation
        self.degrees = degrees
    }

    private static func thinned(_ values: [Double]) -> [Double] {
        guard values.count > mostSamples else { return values }
        return (0..<mostSamples).map { values[(2 * $0 + 1) * values.count / (2 * mostSamples)] }
    }
}
