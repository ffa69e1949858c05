import PerfgateBaselines
import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// Which cells of new runs are stored in the baselines, and which are refused. Refused are gated cells that regressed
/// by the rule with confirmation off, regardless of limits and waivers; cells with too few measurements; cells whose
/// frames stopped; and runs that are bad data. Everything else is stored, including cells over a limit: a baseline of
/// lucky runs only would raise false alarms.
package struct UpdatePlan: Sendable {
    package struct Acceptance: Sendable, Hashable {
        package var reason: String
        /// The pages, by name or by file name; empty: every page.
        package var pages: Set<String>
        /// The identifiers of the metrics; empty: every metric.
        package var metrics: Set<String>
        /// Whether the cells of other pages and metrics are stored too, as far as they passed.
        package var storesOthers: Bool

        package init(reason: String, pages: Set<String> = [], metrics: Set<String> = [], storesOthers: Bool = false) {
            (self.reason, self.pages, self.metrics) = (reason, pages, metrics)
            self.storesOthers = storesOthers
        }

        func takes(_ cell: Cell) -> Bool { storesOthers || covers(cell) }

        package func covers(_ cell: Cell) -> Bool {
            (pages.isEmpty || pages.contains(where: cell.page.isNamed))
                && (metrics.isEmpty || metrics.contains(cell.metric))
        }
    }

    /// The comparisons of the new runs with the stored ones, ignoring limits, worst first.
    package let comparisons: [CellResult]
    package let refused: Set<Cell>
    /// The refused cells whose frames stopped, or whose visits never ended; they can't be accepted.
    package let stopped: Set<Cell>
    /// The measured cells that stay as they are, because only others are accepted.
    package let untouched: Set<Cell>
    package let shortfalls: [Cell: RuleStep]
    /// What the baseline has of the run's environments, and the run lacks; empty for runs that are stored already.
    package let absent: [CellResult]
    /// The accepted cells that regressed or have fewer measurements; each starts a new epoch.
    package let accepted: Set<Cell>
    /// The number of newer runs, measured without the accepted change, that its epoch drops; 0 or more.
    package internal(set) var outdated: [Cell: Int] = [:]
    /// The cells that regressed only together with the nights before this run; they are refused.
    package let pooled: Set<Cell>
    /// The standings of the runs of cells; without one, a new run is settled and a stored one stays as it is.
    package let standings: [Cell: [String: Standing]]
    /// The cells whose runs are stored, but in doubt or the first normal ones, and why.
    package let held: [Cell: HeldRun.Why]
    package let measurements: Measurements, faults: [FaultyInput], strangers: [Environment]
    /// Diagnostics about the logs, unfit runs and new environments.
    package let diagnostics: [Diagnostic]
    let earlierNoise: [Cell: EpochNoise]
    private let taken: [PageInEnvironment: [CellMeasurement]]

    /// - Parameter opensEnvironments: Whether an environment that the configuration doesn't expect may get baselines.
    /// - Parameter isFirst: Whether the store was empty before the command; `nil`: whether the reference is.
    /// - Parameter others: Measurements by the call's other runs of cells that the store lacks; `nil`: none.
    package init(
        _ measurements: Measurements, reference: Reference, holding baselines: Baselines = Baselines(),
        policy: Policy, acceptance: Acceptance?, scoring: PageScoring? = nil, opensEnvironments: Bool = false,
        isFirst: Bool? = nil, others: Reference? = nil, today: CalendarDay? = .today
    ) throws(StatsError) {
        let (policy, sifted, unfit) = measurements.refusingImpossibleStarts(today: today)
            .sifted(by: policy, today: today)
        let fit = sifted.refusingContradictions(of: reference)
        faults = fit.unusable + fit.emptiness
        let newcomers = NewEnvironments(
            fit.takenIn, reference: reference, policy: policy, areWelcome: opensEnvironments, isFirst: isFirst)
        strangers = newcomers.refused
        let sound = fit.takenIn.without(Set(strangers)).scored(by: scoring)
        var lenient = policy.withoutLimits
        (lenient.confirmation, lenient.noBaseline) = (.off, .warn)
        let judge = Judge(policy: lenient)
        let judgement = try judge.judge(sound, with: reference)
        var (shortfalls, stopped) = (judgement.gaps.shortfalls, judgement.gaps.stopped)
        var beside: [Cell: CellResult] = [:]
        var slowed: Set<Cell> = []
        if let others {
            let more = try judge.judge(sound, with: others)
            for result in more.comparisons where result.isGated && result.verdict == .regressed {
                beside[result.cell] = result
            }
            slowed.formUnion(more.comparisons.slowedTogether)
            shortfalls.merge(more.gaps.shortfalls) { first, _ in first }
            stopped.formUnion(more.gaps.stopped)
        }
        let results = judgement.comparisons
        slowed.formUnion(results.slowedTogether)
        let runs = Set(sound.runs.map(\.id))
        let measured = Set(sound.cells.keys.map(\.environment))
        self.absent = results.filter { result in
            result.isGated && result.verdict == .missing && result.detail != .excused && result.candidate == nil
                && acceptance.map { $0.pages.isEmpty && $0.metrics.isEmpty } ?? true
                && measured.contains(result.environment)
                && !(baselines[result.place]?.runs.contains { runs.contains($0.id) } ?? false)
        }
        // A baseline has no cell for all pages together.
        comparisons = results.filter { !$0.isOfAllPages || $0.verdict == .regressed }.map {
            $0.verdict == .regressed ? $0 : beside[$0.cell] ?? $0
        }.sorted()
        var regressed = Set(comparisons.filter { $0.isGated && $0.verdict == .regressed }.map(\.cell)).union(slowed)
        let rule = HeldRule(judge: judge, reference: reference, baselines: baselines)
        let undecided = Set(comparisons.filter { $0.isGated && $0.verdict == .inconclusive }.map(\.cell))
        let looks = try rule.looks(at: sound, undecided: undecided.subtracting(regressed), besides: regressed)
        pooled = looks.pooled
        regressed.formUnion(pooled)
        self.shortfalls = shortfalls
        self.stopped = stopped.union(shortfalls.filter { $0.value.found == .unfinished }.keys)
        diagnostics =
            (fit.diagnostics + fit.quantileNotes + unfit + newcomers.diagnostics
            + fit.absentShards(isPartial: policy.isPartial)
            + ExcusedIterations(judgement.gaps, sound, lenient).diagnostics).sorted()
        let drifted = acceptance == nil ? [] : try judge.drift(in: reference).compactMap(\.cell)
        let worse = regressed.union(shortfalls.keys)
        let covered = worse.union(drifted.filter { sound.cells[$0] != nil }).subtracting(self.stopped).filter {
            acceptance?.covers($0) ?? false
        }
        accepted = covered
        let earlier = covered.isEmpty ? [:] : try judge.earlierNoise(of: covered, in: reference)
        earlierNoise = earlier.mapValues { EpochNoise(withinRun: $0.withinRun, betweenRuns: $0.betweenRuns) }
        let left = worse.subtracting(covered).union(self.stopped)
        let untouched = Set(sound.cells.keys.filter { cell in acceptance.map { !$0.takes(cell) } ?? false })
        self.untouched = untouched
        refused = left.filter { acceptance?.takes($0) ?? true }
        // What was measured stays in the store, so that it isn't forgotten; what wasn't, doesn't.
        // A screen that shows few frames has few of everything: its frame rate must not become the usual one.
        let still = Set(shortfalls.filter { [.fewFrames, .slowDisplay].contains($0.value.found) }.keys)
            .subtracting(covered).map(\.place)
        let ofStill = sound.cells.keys.filter { cell in
            still.contains(cell.place) && MetricCatalog.definition(of: cell.metric)?.isAboutFrames ?? false
        }
        let unmeasured = self.stopped.union(shortfalls.keys).subtracting(covered).union(ofStill).union(untouched)
        standings = rule.standings(
            of: sound, refused: left.subtracting(unmeasured), looks, besides: unmeasured
        ) { acceptance?.covers($0) ?? false }
        held = standings.compactMapValues { standings in
            standings.filter { runs.contains($0.key) }.compactMap { _, standing in
                if case .held(let why) = standing { why } else { nil }
            }.first
        }.filter { !left.contains($0.key) }
        self.measurements = sound
        taken = Dictionary(grouping: sound.cells.filter { !unmeasured.contains($0.key) }) { $0.key.place }
            .mapValues { $0.map(\.value).sorted { $0.metric.id.precedesInUTF8($1.metric.id) } }
    }

    package func cells(at place: PageInEnvironment) -> [CellMeasurement] { taken[place] ?? [] }

    package func acceptedMetrics(at place: PageInEnvironment) -> Set<String> {
        Set(accepted.filter { $0.place == place }.map(\.metric))
    }

    package var places: [PageInEnvironment] { taken.keys.sorted() }

    package var status: ExitStatus {
        let inputs = faults.map { ExitStatus($0.fault) }
        return ExitStatus.mostUrgent(inputs + (refused.isEmpty && strangers.isEmpty ? [] : [.failed]))
    }
}

extension Measurements {
    /// The storable measurements of a call's runs, as the reference for a run if the store has none.
    func reference(_ policy: Policy, _ scoring: PageScoring?, key: EnvironmentKey) -> Reference {
        let fit = refusingImpossibleStarts(today: .today).sifted(by: policy, today: .today).fit
        return Reference(fit.takenIn.scored(by: scoring), key: key)
    }

    fileprivate func without(_ environments: Set<Environment>) -> Measurements {
        guard !environments.isEmpty else { return self }
        var result = self
        result.cells = cells.filter { !environments.contains($0.key.environment) }
        result.pages = pages.filter { !environments.contains($0.key.environment) }
        return result
    }

    /// The measurements without runs that are bad data or only shown, and without quantiles, which have no samples.
    fileprivate var takenIn: Measurements {
        let bad = Set(runs.filter { !$0.isComplete || $0.whyShownOnly != nil }.map(\.id))
        var result = withoutQuantiles
        guard !bad.isEmpty else { return result }
        result.runs.removeAll { bad.contains($0.id) }
        for (cell, measurement) in result.cells {
            var sound = measurement
            sound.remove(bad)
            result.cells[cell] = sound.iterations.isEmpty && sound.runs.isEmpty ? nil : sound
        }
        return result
    }
}

/// The environments that a store doesn't know yet: a developer's device, or a device new to the team. The
/// configuration's list of expected environments decides; without it, new ones are stored with a diagnostic.
struct NewEnvironments {
    let refused: [Environment], diagnostics: [Diagnostic]

    /// - Parameter isFirst: Whether all environments are new, so none is reported; `nil`: if the reference is empty.
    init(_ measurements: Measurements, reference: Reference, policy: Policy, areWelcome: Bool, isFirst: Bool? = nil) {
        let known = Set(reference.environments)
        let unknown = measurements.environments.filter { !known.contains($0) }
        let expected = policy.expectedEnvironments
        let isListed = { (environment: Environment) in expected.contains { environment.has($0.fields) } }
        refused = expected.isEmpty || areWelcome ? [] : unknown.filter { !isListed($0) }
        let isFirst = isFirst ?? known.isEmpty
        let told = areWelcome || isFirst ? refused : unknown
        diagnostics = told.map { [refused] environment in
            Diagnostic(.newEnvironment, Self.message(environment, isRefused: refused.contains(environment)))
        }
    }

    private static func message(_ environment: Environment, isRefused: Bool) -> String {
        isRefused
            ? "\(environment) is not among expected_environments, so it isn't stored: give --new-environment if it should "
                + "have baselines."
            : "\(environment) is new and gets its own baselines: remove its folder if it isn't measured regularly."
    }
}

extension [CellResult] {
    /// The gated times beyond their tolerance where all pages became slower: the subtracted shift must not be stored.
    fileprivate var slowedTogether: Set<Cell> {
        let environments = Set(filter { $0.isOfAllPages && $0.isGated && $0.verdict == .regressed }.map(\.environment))
        return Set(
            filter { result in
                environments.contains(result.environment) && result.isGated && result.metric.isTime
                    && result.changeInTolerances > 1
            }.map(\.cell))
    }
}
