import PerfgateModel

/// The expectation of a cell and the observations of its page: the input of the first step.
package struct Expectation: Sendable, Hashable {
    /// Whether the baseline or the configuration expects the cell.
    package var isExpected = false
    /// The number of iterations that the configuration requires; `nil`: any number.
    package var iterations: Int?
    /// The measured and required amounts of both sides.
    @Shared package var amounts = MeasuredAmounts()
    /// Whether frame ticks must cover the scrolls; not if only change is judged.
    package var asksCoverage = true
    /// Whether frame ticks are expected, so a scroll without any has stopped frames.
    package var needsTicks = false
    package var isPageMeasured = true
    /// Whether all lines of the page are starts without an end.
    package var isPageUnfinished = false
    /// Whether the candidate has a line of the environment, or the reference a gated cell.
    package var isEnvironmentKnown = true
    /// Whether a run declares the environment without measuring anything in it.
    package var isEnvironmentSilent = false
    /// Whether a missing page is excused, because only a part of the pages was meant to run.
    package var isPartial = false

    /// Expects nothing.
    package init() {}
}

/// The first step: was it measured at all, often enough, and completely?
///
/// Cells that aren't gated are never missing. Pages that a partial run left out are exempt too.
package enum MeasuredStep {
    /// The fraction of a scroll's duration that its ticks must cover.
    package static let leastCoverage = 0.8

    /// Decides `missing`, or `passed` if it was measured and nothing happened.
    @Sendable static func look(at cell: CellCase) -> RuleStep {
        guard let measurement = cell.measurement else { return RuleStep(absence(cell.expectation)) }
        let look = AttendanceCheck(measurement, cell.expectation, cell.entry, cell.reruns)
        if cell.policy.isGated.value, let shortfall = look.shortfall { return shortfall }
        // "Nothing happened" is a good result only if a baseline or an explicit limit asks for it.
        let isAsked = cell.entry != nil || cell.policy.limit.map { $0.origin != .builtIn } ?? false
        return RuleStep(cell.candidate == nil && isAsked ? .noEvents : .measured)
    }

    private static func absence(_ expectation: Expectation) -> RuleStep.Found {
        if expectation.isPageUnfinished { return .unfinished }
        if expectation.isPageMeasured { return .noMetric }
        return switch (expectation.isEnvironmentKnown, expectation.isPartial) {
        case (true, false): .noPage
        case (true, true): .pageExcused
        case (false, false): expectation.isEnvironmentSilent ? .environmentSilent : .noEnvironment
        case (false, true): .environmentExcused
        }
    }

    /// Where the frames of a measurement stopped; `nil` if they didn't, or if unknown.
    static func stop(of measurement: CellMeasurement, _ expectation: Expectation) -> FrameCoverage? {
        measurement.leastCoverage(needsTicks: expectation.needsTicks).flatMap { $0.share < leastCoverage ? $0 : nil }
    }
}

/// The checks of the first step: for each run separately, so bad runs can't hide behind good ones, and for the total
/// number of iterations.
struct AttendanceCheck {
    private let measurement: CellMeasurement
    private let expectation: Expectation
    private let entry: Reference.Entry?
    private let reruns: Reruns
    private static let initialLoad = "ttil"
    private static let loading: Set = ["ttfl", initialLoad]

    init(
        _ measurement: CellMeasurement, _ expectation: Expectation, _ entry: Reference.Entry?, _ reruns: Reruns
    ) {
        self.measurement = measurement
        self.expectation = expectation
        self.entry = entry
        self.reruns = reruns
    }

    /// The shortfall that no rerun replaces; `nil` without one.
    var shortfall: RuleStep? {
        let short = shortRuns
        let forgiven = Set(forgiven(short))
        if let first = short.first(where: { !forgiven.contains($0.run) }) {
            return measurement.measuringRuns.union([first.run]).count > 1 ? first.step.named(first.run) : first.step
        }
        return expectation.asksCoverage ? expectation.amounts.fewIterations(measurement, entry) : nil
    }

    /// The runs with a shortfall that a rerun replaces, sorted.
    var forgiven: [String] { forgiven(shortRuns) }

    /// A complete rerun replaces a run with a shortfall; the samples of that run still count.
    private func forgiven(_ short: [(run: String, step: RuleStep)]) -> [String] {
        guard !short.isEmpty else { return [] }
        let whole = measurement.measuringRuns.subtracting(short.map(\.run)).filter { run in
            !expectation.asksCoverage || expectation.amounts.fewIterations(measurement.only(run), entry) == nil
        }
        return short.map(\.run).filter { run in whole.contains { reruns.isRerun($0, of: run) } }
    }

    /// The runs with a shortfall, sorted, each with its first one.
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

    /// Whether no visit loaded a page that must load; other metrics are good without samples.
    private func isNeverLoaded(_ own: CellMeasurement) -> Bool {
        guard own.runs.allSatisfy(\.samples.isEmpty), expectation.isExpected, own.metric.id == Self.initialLoad else {
            return false
        }
        return entry.map { entry in entry.runs.contains { !$0.samples.isEmpty } } ?? true
    }

    /// The number of iterations of a run. A visit that failed or was left loads nothing, so a run can't have loaded a
    /// page in more iterations than it has samples; for other metrics an iteration without samples is good.
    private static func iterations(of own: CellMeasurement) -> Int {
        let all = own.iterations.values.reduce(0) { $0 + $1.count }
        return loading.contains(own.metric.id) ? min(all, own.values.count) : all
    }
}

/// The measured and required amounts of a cell's page on both sides, for the first step.
///
/// A run that stops early has fewer samples, and these are the good ones. So each of the candidate's runs is compared
/// with the amounts of the reference's runs; runs with unknown amounts neither set nor meet a requirement.
package struct MeasuredAmounts: Sendable, Hashable {
    /// The candidate's amounts of the page, by run.
    package var candidate: [String: MeasuredCounts] = [:]
    package var reference: [String: MeasuredCounts] = [:]
    /// The fractions that the candidate must reach.
    package var least = MeasuredShares()
    /// The required scrolls per iteration, independent of the reference; `nil`: a fraction of the reference's.
    package var scrolls: Int?
    /// Whether a fraction of the reference's iterations is required; not if the configuration gives a number.
    package var asksIterations = true
    /// Whether fewer iterations are excused, because only a part was meant to be measured or used.
    package var excusesIterations = false
    /// The number of iterations that runs declare, by run; without other runs.
    package var declared: [String: Int] = [:]
    /// The number of iterations of the candidate's runs, by run: the maximum over all pages, including refused ones.
    package var made: [String: Int] = [:]
    /// The number of iterations of the candidate's runs in the environment, by run: the maximum over the pages that
    /// the reference knows there. Iterations with the same number in several shards count once.
    package var ofRuns: [String: Int] = [:]
    /// The same for the reference's runs, without runs with only one known page.
    package var usualOfRuns: [String: Int] = [:]
    /// The frames shown per iteration of the candidate's runs, by run; without runs whose tool doesn't count them.
    package var frames: [String: Double] = [:]
    /// The same of the reference's runs, sorted; empty if unknown.
    package var usualFrames: [Double] = []
    /// The frames per second that the display showed in each iteration of the candidate's runs while nothing was late,
    /// by run; without runs that don't tell.
    package var rates: [String: [Double]] = [:]
    /// The same of all the reference's runs.
    package var usualRates: [Double] = []

    /// Starts empty.
    package init() {}

    /// The shortfall of a cell, in any run or in total; `nil` without one.
    ///
    /// - Parameter entry: The reference's cell; `nil` if there is none.
    package func shortfall(_ measurement: CellMeasurement, _ entry: Reference.Entry?) -> RuleStep? {
        let asked = measurement.measuringRuns.union(unfinishedRuns(measurement.metric))
        let short = asked.sorted { $0.precedesInUTF8($1) }.lazy.compactMap { run in
            shortfall(of: run, measurement.only(run), entry)
        }
        return short.first ?? fewIterations(measurement, entry)
    }

    /// The shortfall of a cell in one run; `nil` without one.
    ///
    /// - Parameter own: The measurement of this run only.
    func shortfall(of run: String, _ own: CellMeasurement, _ entry: Reference.Entry?) -> RuleStep? {
        if let counts = candidate[run], isUnfinished(own.metric, counts) { return RuleStep(.unfinished) }
        guard !own.measuringRuns.isEmpty else { return nil }
        let few = excusesIterations ? nil : fewIterations(of: run, entry)
        return few ?? fewScrolls(own.metric, run, known(entry)) ?? fewVisits(own.metric, run, known(entry))
            ?? fewFrames(own.metric, run) ?? slowDisplay(own.metric, run) ?? nothing(own, entry)
    }

    /// The runs in which the subject of a metric started but never ended.
    func unfinishedRuns(_ metric: Metric) -> Set<String> {
        Set(candidate.filter { isUnfinished(metric, $0.value) }.keys)
    }

    /// The runs with ended visits, none of which loaded the page.
    var runsWithoutLoad: Set<String> {
        Set(candidate.filter { $0.value.visits.total > 0 && $0.value.visits.loaded == 0 }.keys)
    }

    /// A step if all runs together have too few iterations without an excuse.
    func fewIterations(_ measurement: CellMeasurement, _ entry: Reference.Entry?) -> RuleStep? {
        guard let few = fewIterations(measurement.measuringRuns, entry), !few.isExcused else { return nil }
        return RuleStep(.fewIterations, value: Double(few.measured), bound: few.usual)
    }

    /// Whether too few iterations are only excused by the run's or the call's own declaration.
    package func isExcused(_ measurement: CellMeasurement, _ entry: Reference.Entry?) -> Bool {
        let runs = measurement.measuringRuns
        if excusesIterations, runs.contains(where: { fewIterations(of: $0, entry) != nil }) { return true }
        return fewIterations(runs, entry)?.isExcused ?? false
    }

    /// The reference's known amounts of a cell's page.
    private func known(_ entry: Reference.Entry?) -> [MeasuredCounts] {
        (entry?.runs ?? []).compactMap { reference[$0.run] }
    }

    /// Whether everything of a metric's kind started but never ended.
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
        // If the usual share of a run's iterations is known, it is required of each run instead.
        let isWhole = measured >= said.reduce(0, +) || usualShare(entry) != nil
        let isDeclared = said.count == runs.count && measured > 0 && isWhole
        return (measured, usual, excusesIterations || isDeclared)
    }

    /// A step if a run has fewer iterations than it declares, or if clearly fewer than usual measured the page.
    private func fewIterations(of run: String, _ entry: Reference.Entry?) -> RuleStep? {
        guard asksIterations, let counts = candidate[run] else { return nil }
        if let said = declared[run], let made = made[run], made < said {
            return RuleStep(.fewerThanDeclared, value: Double(made), bound: Double(said), run: run)
        }
        guard least.iterations > 0, let all = ofRuns[run], let usual = usualShare(entry) else { return nil }
        let needed = least.scrolls * usual * Double(all)
        // A page that not every iteration visits may vary by one iteration.
        guard Double(counts.iterations) < (usual < 1 ? needed.rounded(.down) : needed) - 1e-9 else { return nil }
        return RuleStep(.fewIterations, value: Double(counts.iterations), bound: Double(all), run: run)
    }

    /// The fraction of iterations in which the reference's runs measured the page; `nil` if unknown.
    private func usualShare(_ entry: Reference.Entry?) -> Double? {
        let shares = (entry?.runs ?? []).compactMap { run -> Double? in
            guard let own = reference[run.run], let all = usualOfRuns[run.run], all > 0 else { return nil }
            return Double(own.iterations) / Double(all)
        }
        return shares.isEmpty ? nil : Self.median(shares)
    }

    /// A step if a run has too few visits per iteration, however they ended.
    private func fewVisits(
        _ metric: Metric, _ run: String, _ known: @autoclosure () -> [MeasuredCounts]
    ) -> RuleStep? {
        guard MetricCatalog.definition(of: metric.id)?.subject == .visits, let counts = candidate[run] else {
            return nil
        }
        let usual = Self.median(known().map(\.visitsPerIteration))
        guard counts.visitsPerIteration < least.scrolls * usual - 1e-9 else { return nil }
        return RuleStep(.fewVisits, value: counts.visitsPerIteration, bound: usual)
    }

    /// A step if a run has too few scrolls per iteration. If lines end the reference's scrolls, scrolls without an end
    /// line don't count.
    private func fewScrolls(
        _ metric: Metric, _ run: String, _ known: @autoclosure () -> [MeasuredCounts]
    ) -> RuleStep? {
        guard MetricCatalog.definition(of: metric.id)?.subject == .scrolls, let counts = candidate[run] else {
            return nil
        }
        let known = known()
        let areEnded = 2 * known.count { $0.scrollMS > 0 } > known.count
        let usual = Self.median(known.map(\.scrollsPerIteration))
        let needed = scrolls.map(Double.init) ?? least.scrolls * usual
        let own = areEnded && counts.scrollMS == 0 ? 0 : counts.scrollsPerIteration
        guard own < needed - 1e-9 else { return nil }
        return RuleStep(.fewScrolls, value: own, bound: scrolls.map(Double.init) ?? usual)
    }

    /// A step if a run shows less than half of the usual frames, as behind a lock screen: few frames are never late.
    private func fewFrames(_ metric: Metric, _ run: String) -> RuleStep? {
        let usual = Self.median(usualFrames)
        guard let shown = frames[run], MetricCatalog.definition(of: metric.id)?.isAboutFrames ?? false,
            shown < least.iterations * usual, usual - shown >= Self.leastMissingFrames
        else { return nil }
        return RuleStep(.fewFrames, value: shown, bound: usual)
    }

    /// A step if the display showed clearly fewer frames per second than usual in two iterations or more: if the app asks
    /// for ten frames per second, each is on time. Rates above 60 count as 60, because a display may choose those.
    private func slowDisplay(_ metric: Metric, _ run: String) -> RuleStep? {
        guard MetricCatalog.definition(of: metric.id)?.isAboutFrames ?? false, let shown = rates[run], !shown.isEmpty
        else { return nil }
        let usual = min(Self.median(usualRates), Self.highestRate)
        let second = shown.sorted()[min(1, shown.count - 1)]
        return second < Self.leastRate * usual ? RuleStep(.slowDisplay, value: second, bound: usual) : nil
    }

    private static let highestRate = 60.0
    /// The fraction of the usual rate; half of it, 30 of 60 frames, is visible.
    private static let leastRate = 0.6

    /// On a still screen, the number of frames varies by some without meaning.
    private static let leastMissingFrames = 10.0

    /// A step if there are no samples although each of the reference's runs has some, or the list entries that cause
    /// samples.
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

    /// The median; with an even count the mean of both middle values; 0 without values.
    private static func median(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}

extension RuleStep {
    /// The shortfall in one sentence; `nil` if the step found something else.
    package var shortfall: String? {
        switch found {
        case .unfinished: "Nothing that began\(place) ended: the app was killed, or the end wasn't written."
        case .fewIterations:
            run.map { run in
                "Only \(text(value)) of the \(text(bound)) iterations of run \(run) measured its page, "
                    + "a clearly smaller share than usual."
            } ?? "Only \(text(value)) of the usual \(text(bound)) iterations measured its page."
        case .fewerThanDeclared:
            "Run \(run ?? "") declares \(text(bound)) iterations, but only \(text(value)) measured anything."
        case .fewScrolls:
            "Only \(text(value)) of the usual \(text(bound)) scrolls per iteration ended\(place)."
        case .fewVisits: "Only \(text(value)) of the usual \(text(bound)) visits per iteration ended\(place)."
        case .fewFrames: "Only \(text(value)) of the usual \(text(bound)) frames per iteration were shown\(place)."
        case .slowDisplay:
            "The display showed only \(text(value)) of the usual \(text(bound)) frames per second\(place), and none of "
                + "them late: the app asked for fewer, or the device was slowed down."
        case .noSamples: "It has no samples\(place), but every run of the baseline has at least \(text(bound))."
        default: nil
        }
    }

    private var place: String { run.map { " in run \($0)" } ?? "" }

    private func text(_ number: Double?) -> String { Figure.text(number ?? 0) }
}
