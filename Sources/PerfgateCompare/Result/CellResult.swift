import PerfgateModel
import PerfgateStats

/// One finished comparison: written once, by a judge or from a JSON report, and never edited; what shows it reads this.
@dynamicMemberLookup
package final class CellResult: Sendable {
    package let facts: Facts

    package init(_ facts: Facts) { self.facts = facts }

    /// A comparison until its whole call was looked at.
    struct Draft: Sendable {
        let result: CellResult

        init(_ facts: Facts) { result = CellResult(facts) }
    }

    @inlinable @inline(__always)
    package subscript<Value>(dynamicMember fact: KeyPath<Facts, Value>) -> Value { facts[keyPath: fact] }

    /// What is compared: a page's metric, or something without a page of its own.
    package enum Subject: Sendable, Hashable {
        case page(Page)
        /// Any line of the page, of whatever metric.
        case anyLine(of: Page)
        /// The shift of all pages together; for releases that of a quantile.
        case allPages
        case environment
    }

    package struct Facts: Sendable, Hashable {
        package var subject: Subject, metric: Metric, environment: Environment
        package var isGated = false, gateOrigin: String?
        package var verdict: Verdict, detail: VerdictDetail?
        /// The sentence of a report that was read; `nil`: it is made of the facts.
        package var said: String?
        package var remarks: [Remark] = []
        package var baseline, candidate: Side?
        @Shared package var numbers: Numbers?
        /// The numbers of both field releases; `nil` for test runs.
        @Shared package var releases: ReleaseNumbers?
        /// The phase that carries the change of a time to initial load; `nil` for other results, and if none does.
        @Shared package var phases: PhaseShift?
        /// Which function makes the page slower; `nil` if no stacks were compared.
        @Shared package var why: WhyAnswer?
        /// In the metric's unit; `nil` without a baseline.
        package var tolerance: Double?
        package var toleranceTerms: ToleranceTerms?
        /// The rule steps that were run, in order, the deciding one last; empty if unknown.
        package var rule: [RuleStep] = []
        /// The limit in the metric's unit, after scaling by the refresh rate, taken as written; `nil`: none.
        package var limit: Limit?
        package var limitOrigin: String?, counting = Counting.exact
        package var formula = "1"

        package init(
            _ subject: Subject, _ metric: Metric, in environment: Environment, isGated: Bool = false, verdict: Verdict
        ) {
            (self.subject, self.metric, self.environment) = (subject, metric, environment)
            (self.isGated, self.verdict) = (isGated, verdict)
            (_numbers, _releases, _phases, _why) = (Self.noNumbers, Self.noReleases, Self.noPhases, Self.noWhy)
        }

        private static let noNumbers = Shared<Numbers?>(wrappedValue: nil)
        private static let noReleases = Shared<ReleaseNumbers?>(wrappedValue: nil)
        private static let noPhases = Shared<PhaseShift?>(wrappedValue: nil)
        private static let noWhy = Shared<WhyAnswer?>(wrappedValue: nil)
    }

    /// A fact for the sentence that no number shows.
    package enum Remark: Sendable, Hashable {
        case obstacle(String)
        /// The step that shows a change of a cell that breaks its limit.
        case beside(RuleStep)
        /// The share of slow samples that decided, and the slow samples of its reruns, if there are any.
        case slowShare(Share, again: Int?)
        /// It is worse by more than the tolerance relative to the other times of its runs, but not as measured.
        case worseThanItsRuns
        case pages([Page])
        case waiver(WaiverAnswer)
        case nothingCompared(NothingCompared)
        case unitSlip
        case held(HeldNights)
        case drifted(BaselineDrift)

        package enum NothingCompared: Sendable, Hashable { case inEnvironment, asBefore, ofReleases }
    }
}

extension CellResult.Subject {
    package var page: Page? {
        switch self {
        case .page(let page), .anyLine(let page): page
        case .allPages, .environment: nil
        }
    }

    /// The name under which reports list what has no page of its own, and by which settings and waivers refer to it.
    package static let everyPage = Page("every page")
    static let anyLineMetric = Metric(id: "page", unit: Unit(""), better: .lower)
    /// The shift of all pages in percent of the baseline.
    package static let allPagesMetric = Metric(id: "all_pages", unit: Unit("%"), better: .lower)
    package static let environmentMetric = Metric(id: "environment", unit: Unit(""), better: .lower)

    package init(listedAs page: Page, _ metric: Metric, isOfReleases: Bool) {
        switch (page == Self.everyPage, metric.id) {
        case (true, Self.environmentMetric.id): self = .environment
        case (true, Self.allPagesMetric.id): self = .allPages
        case (true, _) where isOfReleases: self = .allPages
        case (_, Self.anyLineMetric.id): self = .anyLine(of: page)
        default: self = .page(page)
        }
    }
}

extension CellResult: Hashable {
    package static func == (lhs: CellResult, rhs: CellResult) -> Bool { lhs === rhs || lhs.facts == rhs.facts }
    package func hash(into hasher: inout Hasher) { hasher.combine(facts) }
}

// What every list of results asks for; a key path to it would take a tenth of the time of large reports.
extension CellResult {
    package var subject: Subject { facts.subject }
    package var metric: Metric { facts.metric }
    package var environment: Environment { facts.environment }
    package var isGated: Bool { facts.isGated }
    package var verdict: Verdict { facts.verdict }
    package var detail: VerdictDetail? { facts.detail }
    package var page: Page { facts.page }
    package var place: PageInEnvironment { facts.place }
    package var cell: Cell { facts.cell }
    package var isWorse: Bool { facts.isWorse }
    package var isOfAllPages: Bool { facts.isOfAllPages }
}

extension CellResult.Facts {
    package var page: Page { subject.page ?? CellResult.Subject.everyPage }

    /// Whether it is the shift of all pages of test runs; those of releases are listed by quantile.
    @inline(__always) package var isOfAllPages: Bool { if case .allPages = subject { releases == nil } else { false } }

    package var place: PageInEnvironment { PageInEnvironment(page: page, environment: environment) }

    package var cell: Cell { Cell(page: page, metric: metric.id, environment: environment) }

    /// Whether a second run may decide it: it waits for confirmation, or one run was inconclusive.
    package var isSuspect: Bool {
        guard verdict == .inconclusive || detail == .withinNoise, releases == nil else { return false }
        return detail == .confirm || [.needMore, .withinNoise].contains(detail) && (candidate?.runs ?? 0) < 2
    }

    /// Whether it is inconclusive and looks like more than noise: its median is more than twice the baseline's, all of
    /// its few samples are, a large share of them, or half of the visits fail where fewer than a tenth did. The mean of
    /// another count is often twice as large by chance.
    package var isGrossInconclusive: Bool {
        guard isGated, verdict == .inconclusive, releases == nil else { return false }
        if [.doubled, .told].contains(rule.last?.found) { return true }
        if detail == .noTolerance, let before = baseline?.judgedSamples, let after = candidate?.judgedSamples {
            return Self.areAllWorse(after, than: before, metric.better)
        }
        if metric.id == Metric.loadFailures.id { return (candidate?.center ?? 0) >= 0.5 && baseline?.center ?? 1 < 0.1 }
        guard metric.better == .lower, metric.centre == .median, let after = candidate?.center,
            let before = baseline?.center, before > 0, let worsening, let tolerance
        else { return false }
        // A baseline with a run of that level has two modes, and so has one with as many samples beyond twice its centre.
        let isUsual = numbers?.shares.contains { $0.cut == .double && $0.p > 0.01 } ?? false
        let isAbove = after > 2 * before && after - tolerance > baseline?.history.max() ?? before
        return isAbove && worsening > tolerance && !isUsual
    }

    /// Whether each of two samples or more is worse than all of five or more.
    static func areAllWorse(_ after: [Double], than before: [Double], _ better: Better) -> Bool {
        guard before.count >= 5, after.count > 1 else { return false }
        let (best, worst) = better == .lower ? (after.min(), before.max()) : (before.min(), after.max())
        return worst.map { best ?? $0 > $0 } ?? false
    }

    /// Whether it fails the run by a measured value: it got worse, or broke its limit.
    package var isWorse: Bool { isGated && (verdict == .regressed || verdict == .overLimit) }

    /// Whether the runs by themselves decided, and not their common numbers.
    package var isInRuns: Bool { rule.last?.found == .inRuns || rule.last?.found == .suspectRuns }

    /// Whether so many of a call's runs, each worse by itself, show that a page is worse: two, and half.
    static func isEnough(_ runs: Double, of all: Double) -> Bool { runs > 1 && 2 * runs >= all }

    package var limitStep: RuleStep? { rule.first { $0.found.step == .limit && $0.found != .noLimit } }

    package var isOverLimit: Bool { limitStep?.found == .overLimit }

    /// The value behind the verdict: that beyond a limit, the centre of the worst run if runs decided, else the centre.
    package var judgedValue: Double? { isOverLimit ? limitStep?.value : isInRuns ? worstRun : candidate?.center }

    /// The centres of the candidate's newest runs. Of all pages together, each run has one sample.
    var runCentres: [Double] { (isOfAllPages ? candidate?.samples : candidate?.history) ?? [] }

    var worstRun: Double? { metric.better == .lower ? runCentres.max() : runCentres.min() }

    /// Whether it broke its limit, and regressed too: with a higher limit it would still fail.
    package var isOverLimitAndRegressed: Bool {
        guard verdict == .overLimit, let numbers, let worsening, let tolerance else { return false }
        return worsening > tolerance && numbers.isBeyondChance
    }

    /// Δ/m, positive for worse; 0 without a comparison, infinite for m = 0.
    @inline(__always) package var changeInTolerances: Double {
        guard let worsening, let tolerance, worsening != 0 else { return 0 }
        return tolerance > 0 ? worsening / tolerance : worsening.sign == .minus ? -.infinity : .infinity
    }

    /// The change of the centre as a fraction of the baseline's: 0.43 is 43 % more; `nil` without one, and from 0.
    package var relativeChange: Double? {
        guard let old = baseline?.center, let new = candidate?.center, old != 0 else { return nil }
        let share = new / old - 1
        return share.isFinite && old > 0 ? share : nil
    }

    /// A change of the centre as a fraction, if a percentage helps: below tenfold, and not of a count below 1.
    package func readableShare(of change: Double?) -> Double? {
        guard let change, let center = baseline?.center, center > 0, metric.isTime || center >= 1 else { return nil }
        let share = change / center
        return abs(share) < 10 ? share : nil
    }

    package var resolution: Figure.Resolution {
        Figure.Resolution(of: [baseline?.center, candidate?.center], tolerance: tolerance)
    }

    package var design: Design? {
        guard let baseline, let candidate else { return nil }
        return Design(
            baselineSamples: baseline.count, baselineRuns: baseline.runs, candidateSamples: candidate.count,
            candidateRuns: candidate.runs, pairs: numbers?.pairs ?? 0)
    }

    /// Δ negated if higher is better, in the metric's unit: above 0 is worse.
    @inline(__always) package var worsening: Double? { (numbers?.delta).map { metric.better == .lower ? $0 : 0 - $0 } }
}

extension CellResult {
    package struct Side: Sendable, Hashable {
        package var count: Int
        package var runs = 0
        /// The mean of counts and rates, else the median, in the metric's unit; `nil` without samples.
        package var center: Double?
        /// The samples in the order of run, shard, iteration, value; `nil` above 1,000.
        package var samples: [Double]?
        /// The quantiles at 0, 5, 25, 50, 75, 95 and 100 % if the samples are left out; else `nil`.
        package var quantiles: [Double]?
        /// The values that the limit judges, parallel to `samples` or `quantiles`; `nil`: the samples themselves.
        package var limitSamples: [Double]?
        /// In order; empty if unknown.
        package var shares: [RunShare] = []
        /// The centres of its runs, oldest first, at most the newest 30; empty if unknown.
        package var history: [Double] = []

        package var judgedSamples: [Double] { limitSamples ?? samples ?? quantiles ?? [] }

        /// The same for one run; `nil`: all runs.
        package func judgedSamples(of run: String?) -> [Double] {
            guard let run, let index = shares.firstIndex(where: { $0.run == run }) else { return judgedSamples }
            return Array(
                judgedSamples.dropFirst(shares[..<index].reduce(0) { $0 + $1.count }).prefix(shares[index].count))
        }

        package struct RunShare: Sendable, Hashable {
            package var run: String, count: Int
            /// The run's shift that was subtracted, in logarithms; `nil`: none.
            package var shift: Double?
            /// The number of its pair, if pairs were judged one by one; else `nil`.
            package var pair: String?
        }

        package static let mostSamples = 1_000, mostHistory = 30
        package static let quantileProbabilities = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]
    }

    package typealias Share = ShareTest
    package typealias Noise = NoiseTest.Terms

    package struct Numbers: Sendable, Hashable {
        /// The candidate's centre minus the baseline's, signed, in the metric's unit.
        package var delta: Double
        /// The Hodges–Lehmann shift, in the metric's unit.
        package var shift = 0.0
        /// Its 95 % interval, lower then upper; `nil` with too few samples.
        package var interval: [Double]?
        /// The p-values for the worse if h·tolerance is no change, and for the better if −h·tolerance is none; 0 to 1.
        package var p = 0.0, pImprove = 0.0
        /// The p-value for the worse, assuming no change; 0 to 1.
        package var pZero = 0.0
        /// The smallest p-value that these sizes can give, and the significance level for `p`; 0 to 1.
        package var pMin = 0.0
        package var alpha = 0.0
        /// M, the number of comparisons that divides the levels.
        package var comparisons = 0
        /// The assumed change in tolerances: 0.5, 1, or more if runs differ by more; 0: none.
        package var marginShare = 0.0
        /// The number of pairs of runs measured in turn; 0 if all samples are compared together.
        package var pairs = 0
        /// Shares of samples over the limit and over the baseline's 99th percentile; empty if only ranks are compared.
        package var shares: [Share] = []
        /// The significance level for shares, 0 to 1; `nil` without shares.
        package var shareAlpha: Double?
        /// The deciding test; `nil` in reports of earlier versions.
        package var decidedBy: Test?
        /// The mean subtracted shift of the candidate's runs, as a fraction of the samples: 0.02 is 2 % slower.
        package var commonShift: Double?
        /// `delta` without that shift and the baseline runs' shifts, in the metric's unit; `nil`: equal to `delta`.
        package var ownDelta: Double?
        /// The noise that the test used, if the noise test decided; else `nil`, and in reports of earlier versions.
        package var noise: Noise?
        /// `nil` unless pairs were judged one by one.
        package var sequence: Sequence?

        /// Whether the candidate is worse beyond chance, as in `Comparison.isBeyondChance`.
        package var isBeyondChance: Bool { p <= alpha || shares.contains { $0.isBeyondChance(shareAlpha ?? 0) } }
    }

    /// The deciding tests: of ranks, of the common noise of times, of the number of samples beyond a cut, of the gap
    /// between all samples of both sides, of the differences between runs as a whole, or of pairs in turn.
    package enum Test: String, Sendable, Hashable, CaseIterable { case rank, noise, share, gross, shift, sequence }

    package struct ToleranceTerms: Sendable, Hashable {
        /// As a fraction of the baseline's median, 0 or more: 0.1 is 10 %.
        package var relative: Double
        package var relativeOrigin = ""
        /// The smallest tolerance in the metric's unit, 0 or more.
        package var minChange = 0.0
        package var minChangeOrigin = ""
    }
}

// The values that a reader of JSON fills in.
extension CellResult.Side { package init() { self.init(count: 0) } }

extension CellResult.Side.RunShare { package init() { self.init(run: "", count: 1) } }

extension CellResult.Numbers { package init() { self.init(delta: 0) } }

extension CellResult.ToleranceTerms { package init() { self.init(relative: 0) } }
