import PerfgateBaselines
import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// Which cells of new runs are taken into the baselines, and which are refused.
///
/// Refused are gated cells that regressed by the rule with confirmation off, whatever limits and waivers say, those of
/// which too little was measured, cells whose frames stopped, and runs that are bad data. All else goes in, also what is over a limit: a baseline of lucky
/// runs only would raise false alarms.
package struct UpdatePlan: Sendable {
    /// What is accepted although it regressed.
    package struct Acceptance: Sendable, Hashable {
        /// Why.
        package var reason: String
        /// The pages, by name or by the name of their file; empty: every page.
        package var pages: Set<String>
        /// The identifiers of the metrics; empty: every metric.
        package var metrics: Set<String>

        /// Makes an acceptance of its parts.
        package init(reason: String, pages: Set<String> = [], metrics: Set<String> = []) {
            self.reason = reason
            self.pages = pages
            self.metrics = metrics
        }

        func covers(_ cell: Cell) -> Bool {
            (pages.isEmpty || pages.contains(where: cell.page.isNamed))
                && (metrics.isEmpty || metrics.contains(cell.metric))
        }
    }

    /// The comparisons of the new runs with what is stored, limits left aside, worst first.
    package let comparisons: [CellResult]
    /// The cells that are refused.
    package let refused: Set<Cell>
    /// Those of them whose frames stopped, or of which nothing ended: no reason makes a measurement of them.
    package let stopped: Set<Cell>
    /// The cells of which too little was measured.
    package let shortfalls: [Cell: RuleStep]
    /// The cells that regressed, or of which less was measured, and that are accepted: each starts a new epoch.
    package let accepted: Set<Cell>
    /// The cells that are taken in and not compared with yet: they may have become worse, and the data can't tell.
    package let provisional: Set<Cell>
    /// The measurements that are taken in: those of sound runs.
    package let measurements: Measurements
    /// The runs that are bad data.
    package let faults: [FaultyInput]
    /// The environments that nobody expects, of which nothing is taken in.
    package let strangers: [Environment]
    /// What is to be said of the logs, of runs that were not fit, and of environments that are new.
    package let diagnostics: [Diagnostic]
    /// How accepted times varied before, as far as it is known.
    private let earlierNoise: [Cell: Noise]
    /// What is taken in, by page, then metric.
    private let taken: [PageInEnvironment: [CellMeasurement]]

    /// From how many settled runs on one that can't be told from chance is provisional.
    static let fewestSettled = 3

    /// Plans an update.
    ///
    /// - Parameters:
    ///   - scoring: How pages are scored; `nil`: they aren't.
    ///   - opensEnvironments: Whether an environment that the configuration doesn't expect may get baselines.
    ///   - isFirst: Whether the store was empty before the command; `nil`: whether the reference is.
    ///   - others: What the other runs of the call measured of cells that the store held nothing of; `nil`: nothing.
    package init(
        _ measurements: Measurements, reference: Reference, policy: Policy, acceptance: Acceptance?,
        scoring: PageScoring? = nil, opensEnvironments: Bool = false, isFirst: Bool? = nil,
        others: Reference? = nil, today: CalendarDay? = .today
    ) throws(StatsError) {
        let (policy, sifted, unfit) = measurements.refusingImpossibleStarts(today: today)
            .sifted(by: policy, today: today)
        let fit = sifted.refusingContradictions(of: reference)
        faults = fit.faultyInputs + fit.badRunFaults + fit.emptiness
        let newcomers = NewEnvironments(
            fit.takenIn, reference: reference, policy: policy, areWelcome: opensEnvironments, isFirst: isFirst)
        strangers = newcomers.refused
        let absent = fit.absentShards(isPartial: policy.isPartial)
        let sound = fit.takenIn.without(Set(strangers)).scored(by: scoring)
        var lenient = policy.withoutLimits
        lenient.confirmation = .off
        lenient.noBaseline = .warn
        let judge = Judge(policy: lenient)
        let amounts = judge.amounts(of: sound, with: reference)
        var (shortfalls, stopped) = (amounts.shortfalls, amounts.stopped)
        var beside: [Cell: CellResult] = [:]
        var slowed: Set<Cell> = []
        if let others {
            let results = try judge.compare(sound, with: others)
            for result in results where result.isGated && result.verdict == .regressed { beside[result.cell] = result }
            slowed.formUnion(results.slowedTogether)
            let more = judge.amounts(of: sound, with: others)
            shortfalls.merge(more.shortfalls) { first, _ in first }
            stopped.formUnion(more.stopped)
        }
        let results = try judge.compare(sound, with: reference)
        slowed.formUnion(results.slowedTogether)
        // All pages together are no cell of a baseline.
        comparisons = results.filter { !$0.isOfAllPages || $0.verdict == .regressed }.map {
            $0.verdict == .regressed ? $0 : beside[$0.cell] ?? $0
        }.sorted()
        let regressed = Set(comparisons.filter { $0.isGated && $0.verdict == .regressed }.map(\.cell)).union(slowed)
        self.shortfalls = shortfalls
        self.stopped = stopped.union(shortfalls.filter { $0.value.found == .unfinished }.keys)
        diagnostics =
            (fit.diagnostics + fit.quantileNotes + unfit + newcomers.diagnostics + absent
            + SmallerRuns(amounts, sound, lenient).diagnostics)
            .sorted()
        let worse = regressed.union(shortfalls.keys)
        let covered = worse.subtracting(self.stopped).filter { acceptance?.covers($0) ?? false }
        accepted = covered
        earlierNoise = covered.isEmpty ? [:] : try judge.earlierNoise(of: covered, in: reference)
        let left = worse.subtracting(covered).union(self.stopped)
        provisional = Set(
            comparisons.filter { result in
                result.isGated && result.detail == .needMore && !(acceptance?.covers(result.cell) ?? false)
                    && !left.contains(result.cell) && !covered.contains(result.cell)
                    && reference.cells[result.cell]?.runs.count ?? 0 >= Self.fewestSettled
            }.map(\.cell))
        refused = left
        self.measurements = sound
        taken = Dictionary(grouping: sound.cells.filter { !left.contains($0.key) }) { $0.key.place }
            .mapValues { $0.map(\.value).sorted { $0.metric.id.precedesInUTF8($1.metric.id) } }
    }

    /// The cells of a page that are taken in.
    package func cells(at place: PageInEnvironment) -> [CellMeasurement] { taken[place] ?? [] }

    /// How the metrics of a page varied that start a new epoch, as far as it is known.
    func earlierNoise(at place: PageInEnvironment) -> [String: EpochNoise] {
        earlierNoise.reduce(into: [:]) { noises, item in
            guard item.key.place == place else { return }
            noises[item.key.metric] = EpochNoise(
                withinRun: item.value.withinRun, betweenRuns: item.value.betweenRuns)
        }
    }

    /// The metrics of a page that start a new epoch.
    package func acceptedMetrics(at place: PageInEnvironment) -> Set<String> {
        Set(accepted.filter { $0.page == place.page && $0.environment == place.environment }.map(\.metric))
    }

    /// The metrics of a page that are provisional.
    func provisionalMetrics(at place: PageInEnvironment) -> Set<String> {
        Set(provisional.filter { $0.place == place }.map(\.metric))
    }

    /// The pages with something to take in, sorted.
    package var places: [PageInEnvironment] { taken.keys.sorted() }

    /// What the program exits with.
    package var status: ExitStatus {
        let inputs = faults.map { ExitStatus($0.fault) }
        return ExitStatus.mostUrgent(inputs + (refused.isEmpty && strangers.isEmpty ? [] : [.failed]))
    }
}

extension Measurements {
    /// What is fit to be taken in of the runs of a call, as what one of them is held against where a store holds nothing.
    func reference(_ policy: Policy, _ scoring: PageScoring?, key: EnvironmentKey) -> Reference {
        let fit = refusingImpossibleStarts(today: .today).sifted(by: policy, today: .today).fit
        return Reference(fit.takenIn.scored(by: scoring), key: key)
    }

    /// The measurements without an environment's cells and pages.
    fileprivate func without(_ environments: Set<Environment>) -> Measurements {
        guard !environments.isEmpty else { return self }
        var result = self
        result.cells = cells.filter { !environments.contains($0.key.environment) }
        result.pages = pages.filter { !environments.contains($0.key.environment) }
        return result
    }

    /// The measurements without the runs that are bad data, without those that are only shown, and without quantiles,
    /// which have no samples.
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

/// The environments that a store doesn't know yet: a device on somebody's desk, or one that the team began to measure.
///
/// Where the configuration lists what runs are expected to measure, that list decides; else they are let in and told.
struct NewEnvironments {
    /// The environments of which nothing is taken in, sorted.
    let refused: [Environment]
    /// What to say of each.
    let diagnostics: [Diagnostic]

    /// Looks for environments that the reference lacks.
    ///
    /// - Parameter isFirst: Whether the store was empty before the command, so that all that come are new and none is
    ///   told; `nil`: whether the reference is.
    init(
        _ measurements: Measurements, reference: Reference, policy: Policy, areWelcome: Bool, isFirst: Bool? = nil
    ) {
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
            ? "\(environment) is not among expected_environments, so nothing of it is taken in: give --new-environment "
                + "if it is meant to have baselines."
            : "\(environment) is new, and gets baselines of its own: remove its folder if it isn't measured "
                + "regularly."
    }
}

extension [CellResult] {
    /// The gated times that are worse by more than their tolerance where all pages together became slower: what is taken
    /// out of each as the shift of the run must not be taken in.
    fileprivate var slowedTogether: Set<Cell> {
        let environments = Set(filter { $0.isOfAllPages && $0.isGated && $0.verdict == .regressed }.map(\.environment))
        return Set(
            filter { result in
                environments.contains(result.environment) && result.isGated && result.metric.isTime
                    && result.changeInTolerances > 1
            }.map(\.cell))
    }
}

extension Reference {
    /// Takes stored baselines as the reference, also cells of which nothing but a limit is stored.
    package init(_ baselines: Baselines) {
        self.init()
        for place in baselines.places {
            guard let entry = baselines.entries[place] else { continue }
            add(entry.file, from: entry.path, at: place)
        }
        for environment in runs.keys {
            runs[environment]?.sort { ($0.startedAt ?? "", $0.id) < ($1.startedAt ?? "", $1.id) }
        }
    }

    private mutating func add(_ file: BaselineFile, from path: String, at place: PageInEnvironment) {
        for (metric, stored) in file.metrics {
            let cell = Cell(page: place.page, metric: metric, environment: place.environment)
            cells[cell] = Entry(
                metric: Metric(id: metric, unit: stored.definition.unit, better: stored.definition.better),
                counting: stored.definition.counting, formula: stored.definition.formula,
                runs: file.samples(of: metric).map { run, values in
                    RunSamples(run: run.id, samples: values.map { Sample($0) })
                },
                limit: stored.limit.map { Setting(Limit($0.value, isTakenAsWritten: true), from: .input(path: path)) })
            cells[cell]?.earlier = file.earlierNoise(of: metric).map {
                Noise(withinRun: $0.withinRun, betweenRuns: $0.betweenRuns)
            }
        }
        measured[place] = file.measured
        for run in file.runs {
            let summary = EnvironmentSummary.BaselineRun(id: run.id, commit: run.commit, startedAt: run.startedAt.text)
            if runs[place.environment, default: []].contains(where: { $0.id == run.id }) { continue }
            runs[place.environment, default: []].append(summary)
        }
    }
}
