import PerfgateModel
import PerfgateStats

extension CellResult {
    /// The samples of one side.
    package struct Side: Sendable, Hashable {
        /// The number of samples.
        package var count: Int
        package var runs = 0
        /// The mean of counts and rates, else the median, in the metric's unit; `nil` without samples.
        package var center: Double?
        /// The samples in the order of run, shard, iteration, value; `nil` above 1,000.
        package var samples: [Double]?
        /// The quantiles at 0, 5, 25, 50, 75, 95 and 100 % if the samples are left out; else `nil`.
        package var quantiles: [Double]?
        /// The values that the limit judges, parallel to `samples`, or to `quantiles` if those are left out; `nil` if
        /// it judges the samples themselves.
        package var limitSamples: [Double]?
        /// The number of samples of each run, in order; empty if unknown.
        package var shares: [RunShare] = []
        /// The centres of its runs, oldest first, at most the newest 30; empty if unknown.
        package var history: [Double] = []

        /// The values that the limit judges: samples, or quantiles if those are left out.
        package var judgedSamples: [Double] { limitSamples ?? samples ?? quantiles ?? [] }

        /// The same for one run; `nil`: all runs.
        package func judgedSamples(of run: String?) -> [Double] {
            guard let run, let index = shares.firstIndex(where: { $0.run == run }) else { return judgedSamples }
            return Array(
                judgedSamples.dropFirst(shares[..<index].reduce(0) { $0 + $1.count }).prefix(shares[index].count))
        }

        /// The number of samples of one run.
        package struct RunShare: Sendable, Hashable {
            package var run: String
            /// The number of samples, 1 or more.
            package var count: Int
            /// The run's shift that was subtracted, in logarithms; `nil`: none.
            package var shift: Double?
        }

        /// The number of samples above which they are left out.
        package static let mostSamples = 1_000
        /// The most runs in `history`.
        package static let mostHistory = 30
        /// The probabilities of `quantiles`.
        package static let quantileProbabilities = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]
    }

    /// The number of samples over a cut on both sides, and its probability.
    package typealias Share = ShareTest
    /// The noise used to test a time with a young baseline.
    package typealias Noise = NoiseTest.Terms

    /// The numbers of the statistical comparison; absent without one.
    package struct Numbers: Sendable, Hashable {
        /// The candidate's centre minus the baseline's, signed, in the metric's unit.
        package var delta: Double
        /// The Hodges–Lehmann shift, in the metric's unit.
        package var shift = 0.0
        /// Its 95 % interval, lower then upper; `nil` with too few samples.
        package var interval: [Double]?
        /// The p-value for the worse, assuming a change of h·tolerance; 0 to 1.
        package var p = 0.0
        /// The p-value for the better, assuming a change of −h·tolerance; 0 to 1.
        package var pImprove = 0.0
        /// The p-value for the worse, assuming no change; 0 to 1.
        package var pZero = 0.0
        /// The smallest p-value that these sizes can give; 0 to 1.
        package var pMin = 0.0
        /// The significance level for `p`; 0 to 1.
        package var alpha = 0.0
        /// M, the number of comparisons that divides the levels.
        package var comparisons = 0
        /// The assumed change in tolerances: 0.5, 1, or more if runs differ by more; 0: none.
        package var marginShare = 0.0
        /// The number of pairs of runs measured in turn; 0 if all samples are compared together.
        package var pairs = 0
        /// The shares of samples over the limit and over the baseline's 99th percentile; empty if only ranks are
        /// compared.
        package var shares: [Share] = []
        /// The significance level for shares, 0 to 1; `nil` without shares.
        package var shareAlpha: Double?
        /// The deciding test; `nil` in reports of earlier versions.
        package var decidedBy: Test?
        /// The mean subtracted shift of the candidate's runs, as a fraction of the samples: 0.02 is 2 % slower; `nil`:
        /// none.
        package var commonShift: Double?
        /// `delta` without that shift and the baseline runs' shifts, in the metric's unit; `nil`: equal to `delta`.
        package var ownDelta: Double?
        /// The noise that the test used, if the noise test decided; `nil` otherwise, and in reports of earlier
        /// versions.
        package var noise: Noise?

        /// Whether the candidate is worse beyond chance, as in `Comparison.isBeyondChance`.
        package var isBeyondChance: Bool {
            p <= alpha || shares.contains { $0.isBeyondChance(shareAlpha ?? 0) }
        }
    }

    /// The deciding tests, chosen by the kind of metric and the number of baseline runs.
    package enum Test: String, Sendable, Hashable, CaseIterable {
        /// The ranks of the samples.
        case rank
        /// The common noise of times, for young baselines.
        case noise
        /// The number of samples beyond a cut.
        case share
        /// The gap between all samples of both sides.
        case gross
        /// The differences between runs as a whole, for all pages.
        case shift
    }

    package struct ToleranceTerms: Sendable, Hashable {
        /// As a fraction of the baseline's median, 0 or more: 0.1 is 10 %.
        package var relative: Double
        /// The origin of `relative`.
        package var relativeOrigin = ""
        /// The smallest tolerance in the metric's unit, 0 or more.
        package var minChange = 0.0
        /// The origin of `minChange`.
        package var minChangeOrigin = ""
    }
}

// The values that a reader of JSON fills in.
extension CellResult.Side {
    package init() { self.init(count: 0) }
}

extension CellResult.Side.RunShare {
    package init() { self.init(run: "", count: 1) }
}

extension CellResult.Numbers {
    package init() { self.init(delta: 0) }
}

extension CellResult.ToleranceTerms {
    package init() { self.init(relative: 0) }
}
