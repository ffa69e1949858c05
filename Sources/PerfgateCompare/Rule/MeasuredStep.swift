import PerfgateModel

/// What was expected of a cell, and what was seen of its page: the material of the first step.
package struct Expectation: Sendable, Hashable {
    /// Whether the baseline or the configuration expects the cell.
    package var isExpected = false
    /// How many iterations the configuration asks for; `nil`: any number.
    package var iterations: Int?
    /// How much was measured on both sides, and how much had to be.
    package var amounts = MeasuredAmounts()
    /// Whether frame ticks must cover the scrolls; not where only change is asked about.
    package var asksCoverage = true
    /// Whether frame ticks were to be expected, so that a scroll without any is one whose frames stopped.
    package var needsTicks = false
    /// Whether any line of the page was there.
    package var isPageMeasured = true
    /// Whether what is there of the page began and did not end.
    package var isPageUnfinished = false
    /// Whether the candidate has a line of the environment, or the reference a gated cell.
    package var isEnvironmentKnown = true
    /// Whether a run says that it measures the environment, and nothing of it was measured.
    package var isEnvironmentSilent = false
    /// Whether a missing page is excused, because only a part of the pages was meant to run.
    package var isPartial = false

    /// Expects nothing.
    package init() {}
}

/// The first step: was it measured at all, often enough, and all the way?
///
/// Exempt are cells that nothing gates on, which are never missing, and pages that a partial run left out.
package enum MeasuredStep {
    /// The share of a scroll's duration that its ticks must cover.
    package static let leastCoverage = 0.8

    /// Decides `missing`, or `passed` where it was measured and nothing happened.
    @Sendable static func look(at cell: CellCase) -> RuleStep {
        guard let measurement = cell.measurement else { return RuleStep(absence(cell.expectation)) }
        let look = MeasuredLook(measurement, cell.expectation, cell.entry, cell.reruns)
        if cell.policy.isGated.value, let shortfall = look.shortfall { return shortfall }
        // That nothing happened is good where something says so: a baseline, or a limit that somebody set.
        let isAsked = cell.entry != nil || cell.policy.limit.map { $0.origin != .builtIn } ?? false
        return RuleStep(cell.candidate == nil && isAsked ? .noEvents : .measured)
    }

    private static func absence(_ expectation: Expectation) -> RuleStep.Finding {
        if expectation.isPageUnfinished { return .unfinished }
        if expectation.isPageMeasured { return .noMetric }
        return switch (expectation.isEnvironmentKnown, expectation.isPartial) {
        case (true, false): .noPage
        case (true, true): .pageExcused
        case (false, false): expectation.isEnvironmentSilent ? .environmentSilent : .noEnvironment
        case (false, true): .environmentExcused
        }
    }

    /// Where the frames of a measurement stopped; `nil` where they didn't, or nothing tells.
    static func stop(of measurement: CellMeasurement, _ expectation: Expectation) -> FrameCoverage? {
        measurement.leastCoverage(needsTicks: expectation.needsTicks).flatMap { $0.share < leastCoverage ? $0 : nil }
    }
}

/// What the first step asks of a measurement: of each run for itself, so that none hides behind others, and of all
/// together how many iterations they have.
struct MeasuredLook {
    private let measurement: CellMeasurement
    private let expectation: Expectation
    private let entry: Reference.Entry?
    private let reruns: Reruns
    private static let initialLoad = "ttil"
    private static let loading: Set = ["ttfl", initialLoad]

    /// Looks at a measurement.
    init(
        _ measurement: CellMeasurement, _ expectation: Expectation, _ entry: Reference.Entry?, _ reruns: Reruns
    ) {
        self.measurement = measurement
        self.expectation = expectation
        self.entry = entry
        self.reruns = reruns
    }

    /// What is too little and no rerun makes up for; `nil` where nothing is.
    var shortfall: RuleStep? {
        let short = shortRuns
        let forgiven = Set(forgiven(short))
        if let first = short.first(where: { !forgiven.contains($0.run) }) {
            return measurement.measuringRuns.union([first.run]).count > 1 ? first.step.named(first.run) : first.step
        }
        return expectation.asksCoverage ? expectation.amounts.fewIterations(measurement, entry) : nil
    }

    /// The runs of which something is too little, and which a rerun makes up for, sorted.
    var forgiven: [String] { forgiven(shortRuns) }

    /// A rerun that measured the cell whole makes up for a run that didn't; what that one measured still counts.
    private func forgiven(_ short: [(run: String, step: RuleStep)]) -> [String] {
        guard !short.isEmpty else { return [] }
        let whole = measurement.measuringRuns.subtracting(short.map(\.run)).filter { run in
            !expectation.asksCoverage || expectation.amounts.fewIterations(measurement.only(run), entry) == nil
        }
        return short.map(\.run).filter { run in whole.contains { reruns.isRerun($0, of: run) } }
    }

    /// The runs of which something is too little, sorted, each with the first thing that is.
    private var shortRuns: [(run: String, step: RuleStep)] {
        let failing = measurement.metric.id == Self.initialLoad ? expectation.amounts.runsWithoutLoad : []
        let asked = measurement.measuringRuns.union(expectation.amounts.unfinishedRuns(measurement.metric)).union(
            failing)
        return asked.sorted { $0.precedesInUTF8($1) }.compactMap { run in
            shortfall(of: run, measurement.only(run)).map { (run, $0) }
        }
    }

    private func shortfall(of run: String, _ own: CellMeasurement) -> RuleStep? {
        let measured = Self.iterations(of: own)
        let isMeasured = !own.measuringRuns.isEmpty
        if isMeasured, let expected = expectation.iterations, measured < expected {
            return RuleStep(.tooFew, value: Double(measured), bound: Double(expected))
        }
        if expectation.asksCoverage, let coverage = MeasuredStep.stop(of: own, expectation) {
            return RuleStep(
                .framesStopped, value: coverage.share, bound: MeasuredStep.leastCoverage, iteration: coverage.iteration)
        }
        let visited = max(
            own.iterations.values.reduce(0) { $0 + $1.count }, expectation.amounts.candidate[run]?.iterations ?? 0)
        if isNeverLoaded(own), isMeasured || expectation.amounts.runsWithoutLoad.contains(run) {
            return RuleStep(.notLoaded, value: Double(visited))
        }
        return expectation.asksCoverage ? expectation.amounts.shortfall(of: run, own, entry) : nil
    }

    /// Whether no visit loaded a page that must be seen to load: other metrics without a sample are good ones.
    private func isNeverLoaded(_ own: CellMeasurement) -> Bool {
        guard own.runs.allSatisfy(\.samples.isEmpty), expectation.isExpected, own.metric.id == Self.initialLoad else {
            return false
        }
        return entry.map { entry in entry.runs.contains { !$0.samples.isEmpty } } ?? true
    }

    /// How many iterations a run has. A visit that failed or was left loads nothing, so that a run can't have loaded a
    /// page in more iterations than it has samples; in other metrics an iteration without any is a good one.
    private static func iterations(of own: CellMeasurement) -> Int {
        let all = own.iterations.values.reduce(0) { $0 + $1.count }
        return loading.contains(own.metric.id) ? min(all, own.values.count) : all
    }
}

/// How much was measured of a cell's page on both sides, and how much had to be: a part of the first step.
///
/// A run that stops early has fewer samples, and those it has are the good ones. So each of the candidate's runs is held
/// against what the reference's runs measured; runs of which that isn't known ask for nothing, and aren't asked.
package struct MeasuredAmounts: Sendable, Hashable {
    /// How much the candidate measured of the page, by run.
    package var candidate: [String: MeasuredCounts] = [:]
    /// How much the reference did, by run.
    package var reference: [String: MeasuredCounts] = [:]
    /// How much of it the candidate must reach.
    package var least = MeasuredShares()
    /// How many scrolls an iteration must have, whatever the reference had; `nil`: a share of the reference's.
    package var scrolls: Int?
    /// Whether a share of the reference's iterations is asked for; not where the configuration says how many.
    package var asksIterations = true
    /// Whether fewer iterations are excused, since only a part was meant to be measured or looked at.
    package var excusesIterations = false
    /// How many iterations runs say they have, by run; without runs that don't say it.
    package var declared: [String: Int] = [:]
    /// How many iterations the candidate's runs have, by run: the most of any page, and those that were refused.
    package var made: [String: Int] = [:]
    /// How many iterations the candidate's runs have in the environment, by run: the most of any page that the reference
    /// knows there. Of those that several shards number alike, one counts.
    package var ofRuns: [String: Int] = [:]
    /// How many the reference's runs have there, by run; without runs of which one page alone is known.
    package var usualOfRuns: [String: Int] = [:]

    /// Knows of nothing.
    package init() {}

    /// What was measured too little of a cell, by any run or by all together; `nil` where nothing was.
    ///
    /// - Parameter entry: The reference's cell; `nil` where there is none.
    package func shortfall(_ measurement: CellMeasurement, _ entry: Reference.Entry?) -> RuleStep? {
        let asked = measurement.measuringRuns.union(unfinishedRuns(measurement.metric))
        let short = asked.sorted { $0.precedesInUTF8($1) }.lazy.compactMap { run in
            shortfall(of: run, measurement.only(run), entry)
        }
        return short.first ?? fewIterations(measurement, entry)
    }

    /// What one run measured too little of a cell; `nil` where nothing is.
    ///
    /// - Parameter own: What it measured, and no other run.
    func shortfall(of run: String, _ own: CellMeasurement, _ entry: Reference.Entry?) -> RuleStep? {
        if let counts = candidate[run], isUnfinished(own.metric, counts) { return RuleStep(.unfinished) }
        guard !own.measuringRuns.isEmpty else { return nil }
        let few = excusesIterations ? nil : fewIterations(of: run, entry)
        return few ?? fewScrolls(own.metric, run, known(entry)) ?? fewVisits(own.metric, run, known(entry))
            ?? nothing(own, entry)
    }

    /// The runs that began and ended nothing of what a metric is about.
    func unfinishedRuns(_ metric: Metric) -> Set<String> {
        Set(candidate.filter { isUnfinished(metric, $0.value) }.keys)
    }

    /// The runs of which visits ended, and none loaded the page.
    var runsWithoutLoad: Set<String> {
        Set(candidate.filter { $0.value.visits.total > 0 && $0.value.visits.loaded == 0 }.keys)
    }

    /// That all runs together have too few iterations, where nothing excuses that.
    func fewIterations(_ measurement: CellMeasurement, _ entry: Reference.Entry?) -> RuleStep? {
        guard let few = fewIterations(measurement.measuringRuns, entry), !few.isExcused else { return nil }
        return RuleStep(.fewIterations, value: Double(few.measured), bound: few.usual)
    }

    /// Whether nothing but the run's own word, or that of the call, makes too few iterations enough.
    package func isExcused(_ measurement: CellMeasurement, _ entry: Reference.Entry?) -> Bool {
        let runs = measurement.measuringRuns
        if excusesIterations, runs.contains(where: { fewIterations(of: $0, entry) != nil }) { return true }
        return fewIterations(runs, entry)?.isExcused ?? false
    }

    /// How much the reference's runs measured of a cell's page, where that is known.
    private func known(_ entry: Reference.Entry?) -> [MeasuredCounts] {
        (entry?.runs ?? []).compactMap { reference[$0.run] }
    }

    /// Whether all of the kind that a metric is about began and went on.
    private func isUnfinished(_ metric: Metric, _ counts: MeasuredCounts) -> Bool {
        switch MetricCatalog.definition(of: metric.id)?.subject {
        case .scrolls: counts.scrolls == 0 && counts.unfinished.scrolls > 0
        case .visits: counts.visits.total == 0 && counts.unfinished.visits > 0
        case .other, nil: false
        }
    }

    private func fewIterations(
        _ runs: Set<String>, _ entry: Reference.Entry?
    ) -> (measured: Int, usual: Double, isExcused: Bool)? {
        let counts = runs.compactMap { candidate[$0] }
        guard asksIterations, counts.count == runs.count, !counts.isEmpty else { return nil }
        let usual = Self.median(known(entry).map { Double($0.iterations) })
        let measured = counts.reduce(0) { $0 + $1.iterations }
        guard Double(measured) < min(least.iterations * usual, Double(least.enoughIterations)) else { return nil }
        let said = runs.compactMap { declared[$0] }
        // Where the usual share of a run's iterations is known, each run is asked for that instead.
        let isWhole = measured >= said.reduce(0, +) || usualShare(entry) != nil
        let isDeclared = said.count == runs.count && measured > 0 && isWhole
        return (measured, usual, excusesIterations || isDeclared)
    }

    /// That a run has fewer iterations than it says, or that clearly fewer of them than usual measured the page.
    private func fewIterations(of run: String, _ entry: Reference.Entry?) -> RuleStep? {
        guard asksIterations, let counts = candidate[run] else { return nil }
        if let said = declared[run], let made = made[run], made < said {
            return RuleStep(.fewerThanSaid, value: Double(made), bound: Double(said), run: run)
        }
        guard least.iterations > 0, let all = ofRuns[run], let usual = usualShare(entry) else { return nil }
        let needed = least.scrolls * usual * Double(all)
        // A page that not every iteration visits is now in one iteration more, now in one less.
        guard Double(counts.iterations) < (usual < 1 ? needed.rounded(.down) : needed) - 1e-9 else { return nil }
        return RuleStep(.fewIterations, value: Double(counts.iterations), bound: Double(all), run: run)
    }

    /// The share of their iterations in which the reference's runs measured the page; `nil` where that isn't known.
    private func usualShare(_ entry: Reference.Entry?) -> Double? {
        let shares = (entry?.runs ?? []).compactMap { run -> Double? in
            guard let own = reference[run.run], let all = usualOfRuns[run.run], all > 0 else { return nil }
            return Double(own.iterations) / Double(all)
        }
        return shares.isEmpty ? nil : Self.median(shares)
    }

    /// That a run has too few visits an iteration, however they ended.
    private func fewVisits(_ metric: Metric, _ run: String, _ known: [MeasuredCounts]) -> RuleStep? {
        guard MetricCatalog.definition(of: metric.id)?.subject == .visits, let counts = candidate[run] else {
            return nil
        }
        let usual = Self.median(known.map(\.visitsPerIteration))
        guard counts.visitsPerIteration < least.scrolls * usual - 1e-9 else { return nil }
        return RuleStep(.fewVisits, value: counts.visitsPerIteration, bound: usual)
    }

    /// That a run has too few scrolls an iteration. Where lines end the reference's scrolls, those that no line ended
    /// don't count.
    private func fewScrolls(_ metric: Metric, _ run: String, _ known: [MeasuredCounts]) -> RuleStep? {
        guard MetricCatalog.definition(of: metric.id)?.subject == .scrolls, let counts = candidate[run] else {
            return nil
        }
        let areEnded = 2 * known.count { $0.scrollMS > 0 } > known.count
        let usual = Self.median(known.map(\.scrollsPerIteration))
        let needed = scrolls.map(Double.init) ?? least.scrolls * usual
        let own = areEnded && counts.scrollMS == 0 ? 0 : counts.scrollsPerIteration
        guard own < needed - 1e-9 else { return nil }
        return RuleStep(.fewScrolls, value: own, bound: scrolls.map(Double.init) ?? usual)
    }

    /// That no sample came where each of the reference's runs has some, or entries of lists that give some.
    private func nothing(_ measurement: CellMeasurement, _ entry: Reference.Entry?) -> RuleStep? {
        let isGood = MetricCatalog.definition(of: measurement.metric.id)?.isNoSampleGood ?? false
        guard let runs = entry?.runs, !isGood, least.samples > 0, measurement.runs.allSatisfy(\.samples.isEmpty),
            runs.contains(where: { reference[$0.run] != nil })
        else { return nil }
        let fewest = runs.map { run in
            max(run.samples.count, reference[run.run]?.entries[measurement.metric.id] ?? 0)
        }.min()
        return fewest.flatMap { $0 >= least.samples ? RuleStep(.noSamples, bound: Double($0)) : nil }
    }

    /// The middle value, of an even number the mean of both; 0 of none.
    private static func median(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}

extension RuleStep {
    /// What was measured too little, in one sentence; `nil` where the step found something else.
    package var shortfall: String? {
        switch found {
        case .unfinished: "All that began of it\(place) went on: the app was killed, or nothing wrote that it ended."
        case .fewIterations:
            run.map { run in
                "Only \(text(value)) of the \(text(bound)) iterations of run \(run) measured its page, "
                    + "a clearly smaller share than usual."
            } ?? "Only \(text(value)) of the usual \(text(bound)) iterations measured its page."
        case .fewerThanSaid:
            "Run \(run ?? "") says that it has \(text(bound)) iterations, and only \(text(value)) measured anything."
        case .fewScrolls:
            "Only \(text(value)) of the usual \(text(bound)) scrolls an iteration ended\(place)."
        case .fewVisits: "Only \(text(value)) of the usual \(text(bound)) visits an iteration ended\(place)."
        case .noSamples: "It gave no sample\(place), and every run of the baseline has at least \(text(bound))."
        default: nil
        }
    }

    private var place: String { run.map { " in run \($0)" } ?? "" }

    private func text(_ number: Double?) -> String { Figure.text(number ?? 0) }
}

/// How much of what the reference's runs measured a candidate must measure: the configuration's `measured`.
package struct MeasuredShares: Sendable, Hashable {
    /// The share of the usual scrolls and visits an iteration, and of the iterations of its run that usually measure a
    /// page, from 0 to 1.
    package var scrolls = 0.8
    /// The share of the usual iterations, from 0 to 1; 0 also asks nothing of the single run.
    package var iterations = 0.5
    /// How many iterations are enough, whatever is usual; at least 0.
    package var enoughIterations = 5
    /// How many samples each run of the reference must have so that none is too few; 0: that is never asked.
    package var samples = 5

    /// The shares where nothing is configured.
    package init() {}
}
