import PerfgateModel
import PerfgateStats

/// One comparison, finished: what was measured, what the rule said and why. Renderers only show it.
package struct CellResult: Sendable, Hashable {
    /// The samples of one side.
    package struct Side: Sendable, Hashable {
        /// How many samples there are.
        package var count: Int
        /// How many runs they come from.
        package var runs: Int
        /// The mean of counts and rates, else the median, in the metric's unit; `nil` without samples.
        package var center: Double?
        /// The samples in the order of run, shard, iteration, value; `nil` above 1,000.
        package var samples: [Double]?
        /// The quantiles at 0, 5, 25, 50, 75, 95 and 100 %, where the samples are left out; else `nil`.
        package var quantiles: [Double]?
        /// The same as the limit judges them, as many as of `samples`, or of `quantiles` where those are left out; `nil`
        /// where it judges them as they are.
        package var limitSamples: [Double]?
        /// Which run gave how many of the samples, in their order; empty where nobody kept that.
        package var shares: [RunShare]
        /// The centres of its runs, oldest first, at most the newest 30; empty where nobody kept that.
        package var history: [Double]

        /// Makes a side of its parts.
        package init(
            count: Int, runs: Int, center: Double?, samples: [Double]?, quantiles: [Double]? = nil,
            limitSamples: [Double]? = nil, shares: [RunShare] = [], history: [Double] = []
        ) {
            self.count = count
            self.runs = runs
            self.center = center
            self.samples = samples
            self.quantiles = quantiles
            self.limitSamples = limitSamples
            self.shares = shares
            self.history = history
        }

        /// What the limit judges: the samples, or the quantiles where those are left out.
        package var judgedSamples: [Double] { limitSamples ?? samples ?? quantiles ?? [] }

        /// The same of one run; `nil`: of all.
        package func judgedSamples(of run: String?) -> [Double] {
            guard let run, let index = shares.firstIndex(where: { $0.run == run }) else { return judgedSamples }
            return Array(
                judgedSamples.dropFirst(shares[..<index].reduce(0) { $0 + $1.count }).prefix(shares[index].count))
        }

        /// How many samples one run gave.
        package struct RunShare: Sendable, Hashable {
            /// The identifier of the run.
            package var run: String
            /// How many samples, 1 or more.
            package var count: Int
            /// What was taken out of them as the shift of the run, in logarithms; `nil`: nothing.
            package var shift: Double?

            /// Makes a share of its parts.
            package init(run: String, count: Int, shift: Double? = nil) {
                self.run = run
                self.count = count
                self.shift = shift
            }
        }

        /// Above how many samples they are left out.
        package static let mostSamples = 1_000
        /// How many runs `history` has at most.
        package static let mostHistory = 30
        /// The probabilities of `quantiles`.
        package static let quantileProbabilities = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]
    }

    /// How many samples are over a cut on both sides, and the chance of that.
    package typealias Share = ShareTest
    /// The noise that a time with a young baseline is tested by.
    package typealias Noise = NoiseTest.Terms

    /// The numbers of the statistical comparison; absent where none was made.
    package struct Numbers: Sendable, Hashable {
        /// Candidate's centre minus the baseline's, in the metric's unit and with its own sign.
        package var delta: Double
        /// The Hodges–Lehmann shift, in the metric's unit.
        package var shift: Double
        /// Its 95 % interval, lower then upper; `nil` where the samples are too few.
        package var interval: [Double]?
        /// The chance of the data if the change were h·tolerance, towards worse; 0 to 1.
        package var p: Double
        /// The mirror, towards better; 0 to 1.
        package var pImprove: Double
        /// The chance of the data if nothing changed, towards worse; 0 to 1.
        package var pZero: Double
        /// The smallest chance that these sizes can give; 0 to 1.
        package var pMin: Double
        /// The chance below which `p` counts; 0 to 1.
        package var alpha: Double
        /// M, the number of comparisons that the levels were divided by.
        package var comparisons: Int
        /// What chance must not explain, in tolerances: 0.5, 1, or more where runs differ by more; 0: any change.
        package var marginShare: Double
        /// In how many pairs the runs were measured in turn and are compared; 0 where all samples are compared together.
        package var pairs: Int
        /// The shares of samples over the limit and over the baseline's 99th percentile; empty where only ranks are compared.
        package var shares: [Share]
        /// The chance below which a share counts, 0 to 1; `nil` without shares.
        package var shareAlpha: Double?
        /// Which test decided; `nil` in reports of earlier versions.
        package var decidedBy: Test?
        /// What was taken out as the shift of the candidate's runs, their mean as a share of the samples, 0.02 being 2 %
        /// slower; `nil`: nothing was.
        package var commonShift: Double?
        /// `delta` without it, and without what the baseline's runs differ by, in the metric's unit; `nil`: as `delta`.
        package var ownDelta: Double?
        /// The noise that the test went by where that decided; `nil` elsewhere, and in reports of earlier versions.
        package var noise: Noise?

        /// Makes numbers of their parts.
        package init(
            delta: Double, shift: Double, interval: [Double]?, p: Double, pImprove: Double, pZero: Double,
            pMin: Double, alpha: Double, comparisons: Int, marginShare: Double, pairs: Int = 0,
            shares: [Share] = [], shareAlpha: Double? = nil, decidedBy: Test? = nil, commonShift: Double? = nil,
            ownDelta: Double? = nil, noise: Noise? = nil
        ) {
            self.noise = noise
            self.ownDelta = ownDelta
            self.decidedBy = decidedBy
            self.commonShift = commonShift
            self.delta = delta
            self.shift = shift
            self.interval = interval
            self.p = p
            self.pImprove = pImprove
            self.pZero = pZero
            self.pMin = pMin
            self.alpha = alpha
            self.comparisons = comparisons
            self.marginShare = marginShare
            self.pairs = pairs
            self.shares = shares
            self.shareAlpha = shareAlpha
        }
    }

    /// The tests that decide, by what is measured and how many runs the baseline has.
    package enum Test: String, Sendable, Hashable, CaseIterable {
        /// The order of the samples.
        case rank
        /// The noise that times have in common, for young baselines.
        case noise
        /// How many samples are beyond a cut.
        case share
        /// How far all samples are from all others.
        case gross
        /// What runs differ by as a whole, for all pages.
        case shift
    }

    /// What the tolerance was made from.
    package struct ToleranceTerms: Sendable, Hashable {
        /// As a share of the baseline's median, 0 or more: 0.1 is 10 %.
        package var relative: Double
        /// Where `relative` came from.
        package var relativeOrigin: String
        /// The least tolerance in the metric's unit, 0 or more.
        package var minChange: Double
        /// Where `minChange` came from.
        package var minChangeOrigin: String

        /// Makes terms of their parts.
        package init(relative: Double, relativeOrigin: String, minChange: Double, minChangeOrigin: String) {
            self.relative = relative
            self.relativeOrigin = relativeOrigin
            self.minChange = minChange
            self.minChangeOrigin = minChangeOrigin
        }
    }

    /// The page.
    package var page: Page
    /// The metric with its unit and direction.
    package var metric: Metric
    /// The environment.
    package var environment: Environment
    /// Whether it can fail the run.
    package var isGated: Bool
    /// What the rule says.
    package var verdict: Verdict
    /// Why, where the verdict's name alone doesn't say.
    package var detail: VerdictDetail?
    /// One sentence for a person, with the numbers.
    package var reason: String
    /// The baseline's samples; `nil` where there is none.
    package var baseline: Side?
    /// The candidate's samples; `nil` where it wasn't measured.
    package var candidate: Side?
    /// The numbers of the comparison; `nil` where none was made.
    package var numbers: Numbers?
    /// What is known of both releases, where releases in the field were compared; `nil` for test runs.
    package var releases: ReleaseNumbers?
    /// The tolerance m in the metric's unit; `nil` without a baseline.
    package var tolerance: Double?
    /// What the tolerance was made from; `nil` where nobody kept that.
    package var toleranceTerms: ToleranceTerms?
    /// The steps of the rule that were asked, in their order, the deciding one last; empty where nobody kept them.
    package var rule: [RuleStep]
    /// Where it came from that it can fail the run, or that it can't; `nil` where nobody kept that.
    package var gateOrigin: String?
    /// The limit in the metric's unit, already scaled by the refresh rate and so taken as written; `nil`: none.
    package var limit: Limit?
    /// Where the limit came from; `nil`: no limit.
    package var limitOrigin: String?
    /// The frames' counting.
    package var counting: Counting
    /// The formula's version.
    package var formula: String

    /// Makes a result of its parts.
    package init(
        page: Page, metric: Metric, environment: Environment, isGated: Bool, verdict: Verdict,
        detail: VerdictDetail? = nil, reason: String, baseline: Side? = nil, candidate: Side? = nil,
        numbers: Numbers? = nil, releases: ReleaseNumbers? = nil, tolerance: Double? = nil,
        toleranceTerms: ToleranceTerms? = nil,
        rule: [RuleStep] = [], gateOrigin: String? = nil, limit: Limit? = nil, limitOrigin: String? = nil,
        counting: Counting = .exact, formula: String = "1"
    ) {
        self.page = page
        self.metric = metric
        self.environment = environment
        self.isGated = isGated
        self.verdict = verdict
        self.detail = detail
        self.reason = reason
        self.baseline = baseline
        self.candidate = candidate
        self.numbers = numbers
        self.releases = releases
        self.tolerance = tolerance
        self.toleranceTerms = toleranceTerms
        self.rule = rule
        self.gateOrigin = gateOrigin
        self.limit = limit
        self.limitOrigin = limitOrigin
        self.counting = counting
        self.formula = formula
    }

    /// Whether a second run may decide it: it waits for confirmation, or one run was too little to tell.
    package var isSuspect: Bool {
        guard verdict == .inconclusive, releases == nil else { return false }
        return detail == .confirm || detail == .needMore && (candidate?.runs ?? 0) < 2
    }

    /// Whether it fails the run because of what was measured: it got worse, or broke its limit.
    package var isWorse: Bool { isGated && (verdict == .regressed || verdict == .overLimit) }

    /// The cell.
    package var cell: Cell { Cell(page: page, metric: metric.id, environment: environment) }

    /// The page in its environment.
    package var place: PageInEnvironment { PageInEnvironment(page: page, environment: environment) }
}

extension CellResult {
    /// What the limit was held against, and what that found; `nil` where no limit was asked about.
    package var limitStep: RuleStep? { rule.first { $0.found.step == .limit && $0.found != .noLimit } }

    /// Whether the value that the limit judges breaks it.
    package var isOverLimit: Bool { limitStep?.found == .overLimit }

    /// The value that the verdict was about: what the limit was held against where it is broken, else the centre.
    /// `nil` where nothing was measured.
    package var judgedValue: Double? {
        isOverLimit ? limitStep?.value : candidate?.center
    }

    /// Δ with its sign turned where higher is better, in the metric's unit: above 0 is worse.
    var worsening: Double? {
        numbers.map { metric.better == .lower ? $0.delta : 0 - $0.delta }
    }
}
