import PerfgateModel

/// A requirement on what was measured of a cell. The order of `all` is the rule: the first unmet one decides.
struct Requirement: Sendable {
    let found: RuleStep.Found
    /// The counted amount, and the number it must reach, in the words of the documentation's table.
    let amount, needed: StaticString
    /// The metrics that it concerns, in words (`nil`: all), and what excuses a run (`nil`: nothing).
    var metrics, excuse: StaticString?
    /// Whether it asks for the usual amount, or for ticks: not if only change is judged.
    var isOfAmount = true
    var isOfEveryRun = false
    /// Whether all runs of the call must meet it together; otherwise each run must.
    var isOfCall = false
    /// The step of a run, or of the call, that doesn't meet it; `nil` if it does, or if it doesn't concern the metric.
    let unmet: @Sendable (Attendance.Look) -> RuleStep?

    static let all = [
        Requirement(
            found: .tooFew, amount: "iterations", needed: "`expected[].iterations`", isOfAmount: false
        ) { look in look.amounts.iterations.flatMap { look.below(.tooFew, Double(look.iterations), Double($0)) } },
        Requirement(
            found: .framesStopped, amount: "the part of a scroll that frame ticks cover", needed: "80 %",
            isOfEveryRun: true
        ) { look in
            look.stop.map {
                RuleStep(.framesStopped, value: $0.share, bound: Attendance.leastCoverage, iteration: $0.iteration)
            }
        },
        Requirement(
            found: .notLoaded, amount: "visits that loaded the page", needed: "1, if the baseline has a load",
            metrics: "`ttil`", isOfAmount: false, isOfEveryRun: true
        ) { look in look.isNeverLoaded ? RuleStep(.notLoaded, value: Double(look.visitedIterations)) : nil },
        Requirement(
            found: .unfinished, amount: "ended scrolls, or visits", needed: "1, if one began",
            metrics: "scrolls, visits", isOfEveryRun: true
        ) { look in look.isUnfinished ? RuleStep(.unfinished) : nil },
        Requirement(
            found: .fewerThanDeclared, amount: "the run's iterations", needed: "as many as it declares",
            excuse: "`--partial`, `--where`, `expected[].iterations`"
        ) { look in
            guard look.asksIterations, let said = look.amounts.declared[look.run],
                let made = look.amounts.made[look.run]
            else { return nil }
            return look.below(.fewerThanDeclared, Double(made), Double(said), run: look.run)
        },
        Requirement(
            found: .fewIterations, amount: "the page's iterations", needed: "80 % of the usual share of the run's",
            excuse: "`--partial`, `--where`, `expected[].iterations`"
        ) { look in
            guard look.asksIterations, look.amounts.least.iterations > 0, let counts = look.counts,
                let all = look.amounts.candidate.iterations[look.run], let usual = look.usualShare
            else { return nil }
            let needed = look.amounts.least.scrolls * usual * Double(all)
            // A page that not every iteration visits may vary by one iteration.
            return look.below(
                .fewIterations, Double(counts.iterations), Double(all), run: look.run,
                needed: (usual < 1 ? needed.rounded(.down) : needed) - Attendance.rounding)
        },
        Requirement(
            found: .fewScrolls, amount: "ended scrolls per iteration",
            needed: "80 % of the usual number, or `expected[].scrolls`", metrics: "scrolls"
        ) { look in
            guard look.subject == .scrolls, let counts = look.counts else { return nil }
            // If lines end the reference's scrolls, scrolls without an end line don't count.
            let areEnded = 2 * look.known.count { $0.scrollMS > 0 } > look.known.count
            let usual = look.amounts.scrolls.map(Double.init) ?? look.known.map(\.scrollsPerIteration).median ?? 0
            let share = look.amounts.scrolls == nil ? look.amounts.least.scrolls : 1
            let ended = areEnded && counts.scrollMS == 0 ? 0 : counts.scrollsPerIteration
            return look.below(.fewScrolls, ended, usual, needed: share * usual - Attendance.rounding)
        },
        Requirement(
            found: .fewVisits, amount: "ended visits per iteration, however they ended",
            needed: "80 % of the usual number", metrics: "visits"
        ) { look in
            guard look.subject == .visits, let counts = look.counts else { return nil }
            let usual = look.known.map(\.visitsPerIteration).median ?? 0
            let needed = look.amounts.least.scrolls * usual - Attendance.rounding
            return look.below(.fewVisits, counts.visitsPerIteration, usual, needed: needed)
        },
        Requirement(
            found: .fewFrames, amount: "frames shown per iteration", needed: "50 % of the usual number, or 10 fewer",
            metrics: "frames"
        ) { look in
            // As behind a lock screen: few frames are never late. On a still screen, their number varies by some.
            guard look.isAboutFrames, let shown = look.amounts.candidate.frames[look.run] else { return nil }
            let usual = look.amounts.reference.frames.values.median ?? 0
            guard usual - shown >= Attendance.leastMissingFrames else { return nil }
            return look.below(.fewFrames, shown, usual, needed: look.amounts.least.iterations * usual)
        },
        Requirement(
            found: .slowDisplay, amount: "frames per second of the display, in the second-slowest iteration",
            needed: "60 % of the usual rate", metrics: "frames"
        ) { look in
            // If the app asks for ten frames per second, each is on time. A display may choose rates above 60.
            guard look.isAboutFrames, let shown = look.amounts.candidate.rates[look.run], !shown.isEmpty
            else { return nil }
            let usual = min(look.amounts.reference.rates.values.flatMap(\.self).median ?? 0, Attendance.highestRate)
            return look.below(
                .slowDisplay, shown.sorted()[min(1, shown.count - 1)], usual, needed: Attendance.leastRate * usual)
        },
        Requirement(
            found: .noSamples, amount: "samples",
            needed: "1, if each of the baseline's runs has 5, or as many list entries, or chance can't explain it",
            metrics: "all but lists of hangs and hitches", isOfEveryRun: true
        ) { look in
            guard look.isWithoutSamples else { return nil }
            guard look.isMeasured, !look.isNoSampleGood, look.amounts.least.samples > 0,
                let fewest = look.fewestSamples, fewest >= look.amounts.least.samples
            else { return look.lost }
            return RuleStep(.noSamples, bound: Double(fewest))
        },
        Requirement(
            found: .fewSamples, amount: "iterations with samples",
            needed: "half of the baseline's lowest share, if chance can't explain it", metrics: "visits"
        ) { $0.isWithoutSamples ? nil : $0.lost },
        Requirement(
            found: .fewSamples, amount: "iterations of all runs together with samples", needed: "the same",
            metrics: "all but lists of hangs and hitches", isOfCall: true
        ) { $0.lost },
        Requirement(
            found: .fewIterations, amount: "iterations of all runs together", needed: "50 % of the usual number, or 5",
            excuse: "a declaration, `--partial`, `--where`, `expected[].iterations`", isOfCall: true
        ) { look in look.isExcused ? nil : look.fewIterations },
    ]

    static let ofRun = all.filter { !$0.isOfCall }, ofCall = all.filter(\.isOfCall)
}

/// The first step: was it measured at all, often enough, and completely? Each run is checked separately, so bad runs
/// can't hide behind good ones. Cells that aren't gated are never missing, nor are pages that a partial run left out.
struct Attendance: Sendable {
    /// The fraction of a scroll's duration that its ticks must cover.
    static let leastCoverage = 0.8
    fileprivate static let highestRate = 60.0
    /// The fraction of the usual rate; half of it, 30 of 60 frames, is visible.
    fileprivate static let leastRate = 0.6
    fileprivate static let leastMissingFrames = 10.0
    /// The significance levels of samples that most iterations lack, and of a metric that nothing knows.
    static let lossLevel = 0.0005, absenceLevel = 0.01
    /// The allowed error of sums and quotients of counts.
    fileprivate static let rounding = 1e-9

    let stop: FrameCoverage?, shortfall: RuleStep?
    /// The first shortfall of an amount, whether a rerun replaces it or not; `nil` without one.
    let amountShortfall: RuleStep?
    /// The runs with a shortfall that a complete rerun replaces, sorted. Their samples still count.
    let forgiven: [String]
    /// Whether too few iterations are only excused by the run's or the call's own declaration.
    let isExcused: Bool

    init(
        _ measurement: CellMeasurement, _ expectation: Expectation, _ entry: Reference.Entry?, _ reruns: Reruns,
        isInTurn: Bool
    ) {
        let call = Look(measurement, expectation, entry, isInTurn: isInTurn)
        let looks = call.runs.map(call.only)
        stop = call.stop
        let short = looks.compactMap { look in
            look.firstUnmet(of: Requirement.ofRun) { expectation.asksAmounts || !$0.isOfAmount }.map { (look.run, $0) }
        }
        let few = call.firstUnmet(of: Requirement.ofCall)
        let whole =
            short.isEmpty
            ? []
            : call.measuring.subtracting(short.map(\.0)).filter { run in
                !expectation.asksAmounts || call.only(run).firstUnmet(of: Requirement.ofCall) == nil
            }
        let forgiven = short.map(\.0).filter { run in whole.contains { reruns.isRerun($0, of: run) } }
        if case (let run, var step)? = short.first(where: { !forgiven.contains($0.0) }) {
            if call.measuring.union([run]).count > 1 { step.run = run }
            shortfall = step
        } else {
            shortfall = expectation.asksAmounts ? few : nil
        }
        self.forgiven = forgiven
        amountShortfall =
            (short.isEmpty && expectation.asksAmounts ? [] : looks).lazy.compactMap { look in
                look.firstUnmet(of: Requirement.ofRun) { $0.isOfAmount && $0.found != .framesStopped }
            }.first ?? few
        isExcused =
            expectation.amounts.excusesIterations && looks.contains { $0.isMeasured && $0.isExcusedShortfall }
            || call.fewIterations != nil && call.isExcused
    }

    /// Whether everything was measured, and nothing needed an excuse.
    var isComplete: Bool { stop == nil && amountShortfall == nil && forgiven.isEmpty && !isExcused }

    @Sendable static func look(at cell: CellCase) -> RuleStep {
        guard cell.measurement != nil else { return RuleStep(isByChance(cell) ? .noEvents : absence(cell.expectation)) }
        let lack = cell.attendance?.shortfall ?? cell.turn?.absence
        if cell.policy.isGated.value, let lack { return lack }
        // "Nothing happened" is a good result only if a baseline or an explicit limit asks for it.
        let isAsked = cell.entry != nil || cell.policy.limit.map { $0.origin != .builtIn } ?? false
        return RuleStep(cell.candidate == nil && isAsked ? .noEvents : .measured)
    }

    /// Whether the reference's iterations lack the metric so often that it is no loss if the page's runs do too.
    private static func isByChance(_ cell: CellCase) -> Bool {
        guard let entry = cell.entry, cell.expectation.isPageMeasured, !cell.expectation.isConfigured
        else { return false }
        let iterations = cell.expectation.amounts.candidate.counts.mapValues { Array(0..<$0.iterations) }
        let none = CellMeasurement(metric: cell.metric, runs: [], iterations: iterations)
        return Look(none, cell.expectation, entry).isAbsentByChance
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
        case .fewScrolls: "Only \(text(value)) of the usual \(text(bound)) scrolls per iteration ended\(place)."
        case .fewVisits: "Only \(text(value)) of the usual \(text(bound)) visits per iteration ended\(place)."
        case .fewFrames: "Only \(text(value)) of the usual \(text(bound)) frames per iteration were shown\(place)."
        case .slowDisplay:
            "The display showed only \(text(value)) of the usual \(text(bound)) frames per second\(place), and none of "
                + "them late: the app asked for fewer, or the device was slowed down."
        case .fewSamples:
            "Only \(text(value)) of the \(text(bound)) iterations whose visits loaded have a sample\(place), "
                + "clearly fewer than usual."
        case .noSamples: "It has no samples\(place), but every run of the baseline has at least \(text(bound))."
        default: nil
        }
    }

    private var place: String { run.map { " in run \($0)" } ?? "" }

    private func text(_ number: Double?) -> String { Figure.text(number ?? 0) }
}
