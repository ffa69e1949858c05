#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// How small a rise of a time a comparison can be trusted to find: in about nine of ten runs.
///
/// Working in logarithms, with m_log = ln(1 + m / median):
/// X = 1.25·max(m_log + 1.28·SE_t, h·m_log + z(α_f)·SE_w + 1.28·SE_t), SE_w = 1.023·σ·√(1/n_c + 1/n_b),
/// SE_t = √(SE_w² + τ²·(1/S + 1/R)). Here 1.28 is the normal quantile of nine in ten, 1.023 = √(π/3) what ranks cost
/// against means, and 1.25 was fitted to simulated runs.
public struct DetectableChange: Equatable, Sendable {
    /// m_log, the tolerance in logarithms; 0 or more.
    public let tolerance: Double
    /// σ within a run, in logarithms; 0 or more.
    public let withinRun: Double
    /// τ between runs, in logarithms; 0 or more, `Noise.assumedBetweenRuns` where it is not known.
    public let betweenRuns: Double
    /// The level that a failing comparison must reach.
    public let significance: Significance

    /// `nil` where X has no meaning: without noise to go by, or around a median that is not above 0.
    /// Counts have no X: don't ask for one.
    public init?(noise: Noise, margin: Double, median: Double, significance: Significance) {
        guard let withinRun = noise.withinRun, median > 0, margin >= 0 else { return nil }
        tolerance = log1p(margin / median)
        self.withinRun = withinRun
        betweenRuns = noise.betweenRuns ?? Noise.assumedBetweenRuns
        self.significance = significance
    }

    /// X as a share of the median, above 0: 0.2 is +20 %. `nil` where a side is empty or has no runs, or where no
    /// samples of these sizes could ever fail (p_min > α_f).
    public func relative(_ design: Design) -> Double? {
        guard design.smallestProbability <= significance.failing else { return nil }
        return logarithmic(design).map { expm1($0) }
    }

    /// X in logarithms; `nil` where a side is empty or has no runs.
    public func logarithmic(_ design: Design) -> Double? {
        guard design.baselineSamples > 0, design.candidateSamples > 0 else { return nil }
        guard design.baselineRuns > 0, design.candidateRuns > 0 else { return nil }
        let within =
            1.023 * withinRun * (1 / Double(design.candidateSamples) + 1 / Double(design.baselineSamples)).squareRoot()
        let runs = 1 / Double(design.candidateRuns) + 1 / Double(design.baselineRuns)
        let total = (within * within + betweenRuns * betweenRuns * runs).squareRoot()
        let exceeds = tolerance + 1.28 * total
        let convinces =
            design.marginShare * tolerance - Normal.quantile(significance.failing) * within + 1.28 * total
        return 1.25 * max(exceeds, convinces)
    }

    /// The fewest candidate samples, in as many runs as the design says, that find a rise by that share (0.2 is +20 %).
    ///
    /// `nil` where even `most` samples don't: then more runs are needed, or less noise.
    public func samplesNeeded(toFind share: Double, in design: Design, upTo most: Int = 1_000) -> Int? {
        func finds(_ samples: Int) -> Bool {
            var larger = design
            larger.candidateSamples = samples
            return relative(larger).map { $0 <= share } ?? false
        }
        var (low, high) = (max(1, design.candidateRuns), most)
        guard low <= high, finds(high) else { return nil }
        while low < high {
            let middle = (low + high) / 2
            if finds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
