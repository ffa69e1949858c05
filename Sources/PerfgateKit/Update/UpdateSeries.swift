import PerfgateBaselines
import PerfgateCompare
import PerfgateModel

/// Updates of a store, one after the other: each is judged against the result of the earlier ones. Nothing is written
/// before `write`, so a series with a failing update leaves the store unchanged.
package struct UpdateSeries: Sendable {
    package private(set) var baselines: Baselines
    package let store: BaselineStore
    private let original: Baselines
    package let terms: UpdateTerms
    private var updates: [PageInEnvironment: [BaselineUpdate]] = [:]
    /// The content as a reference; `nil` after a change.
    private var known: Reference?

    package init(of store: BaselineStore, holding baselines: Baselines, by terms: UpdateTerms) {
        (self.store, self.baselines) = (store, baselines)
        original = baselines
        self.terms = terms
    }

    package mutating func take(_ collected: CollectedRuns) throws -> [RunUpdate] {
        let all =
            collected.runs.count > 1
            ? collected.measurements.reference(terms.policy, terms.scoring, key: store.key) : Reference()
        return try collected.runs.map { try take($0, among: all) }
    }

    mutating func reference() -> Reference {
        let reference = known ?? Reference(baselines)
        known = reference
        return reference
    }

    /// Judges measurements as one update, and stores them; what regressed is held beside the settled runs.
    /// - Parameter others: Measurements by the call's other runs of cells that the store lacks.
    package mutating func take(
        _ measurements: Measurements, others: Reference? = nil
    ) throws -> (plan: UpdatePlan, review: StoreReview) {
        let before = reference()
        var plan = try UpdatePlan(
            measurements, reference: before, holding: baselines, policy: terms.policy,
            acceptance: terms.acceptance, scoring: terms.scoring, opensEnvironments: terms.opensEnvironments,
            isFirst: original.entries.isEmpty, others: others)
        let times = plan.places.flatMap { place in
            baselines.timesLosingRuns(at: place, accepting: plan.acceptedMetrics(at: place), terms.window)
        }
        let jumps = try Judge(policy: terms.policy.withoutLimits).jumps(of: Set(times), in: before)
        for place in plan.places {
            var update = BaselineUpdate(
                runs: plan.measurements.runs, cells: plan.cells(at: place),
                measured: plan.measurements.pages[place]?.counts ?? [:], at: terms.now, tool: terms.tool,
                accepting: plan.acceptedMetrics(at: place), reason: terms.acceptance?.reason ?? "")
            update.earlierNoise = plan.earlierNoise.at(place)
            update.standings = plan.standings.at(place)
            update.jumps = jumps.at(place)
            for id in update.acceptedMetrics {
                plan.outdated[place.cell(id)] = baselines[place]?.newerRuns(than: update, metric: id).count
            }
            try apply(update, at: place)
        }
        return (plan, try review(plan.places))
    }

    /// Applies standings, and epochs that begin by themselves. `jumps` are those of the times that may lose runs.
    mutating func apply(
        standings: [String: [String: Standing]] = [:], epochs: [String: AcceptedChange] = [:],
        _ jumps: [Cell: [String: Double]], at place: PageInEnvironment
    ) throws {
        var update = BaselineUpdate(standings: standings, epochs: epochs, at: terms.now, tool: terms.tool)
        update.jumps = jumps.at(place)
        try apply(update, at: place)
    }

    private mutating func apply(_ update: BaselineUpdate, at place: PageInEnvironment) throws {
        try baselines.take(update, at: place, of: store, window: terms.window)
        updates[place, default: []].append(update)
        known = nil
    }

    /// Stores one of several runs, unless the store contains it or its window has no room. A page whose baseline
    /// contains the run counts as stored: what was refused stays refused until it is accepted, so storing runs twice
    /// changes nothing. Other samples under a stored run's name are an error. `all`: what the call's runs measured.
    package mutating func take(_ candidate: CollectedRun, among all: Reference = Reference()) throws -> RunUpdate {
        let measurements = candidate.measurements
        guard !measurements.cells.isEmpty else { return RunUpdate(candidate, .skipped(.nothingMeasured)) }
        guard measurements.cells.keys.contains(where: isTaken)
        else { return RunUpdate(candidate, .skipped(.notAccepted)) }
        let isImpossible = candidate.run.impossibleStart(today: .today) != nil
        let current = measurements.keeping { isImpossible || hasRoom(for: candidate, at: $0) }
        let left = current.keeping { cell in
            !original.holds(candidate.run.id, in: cell)
                || isAccepted(cell) && original.doubts(candidate.run.id, in: cell)
                || original.holdsOther(measurements.cells[cell], of: candidate.run.id, in: cell)
        }
        let new = left.keeping { cell in
            !original.holds(candidate.run.id, at: cell.place) || isAccepted(cell)
                || terms.acceptance?.storesOthers == true || original.holds(candidate.run.id, in: cell)
        }
        var update: RunUpdate
        if new.cells.keys.contains(where: isTaken) {
            let (plan, review) = try take(new, others: others(of: candidate.run.id, among: all))
            update = RunUpdate(candidate, .planned(plan), review)
        } else {
            let isStored = measurements.cells.keys.contains { cell in
                original.holds(candidate.run.id, at: cell.place)
                    || isAccepted(cell) && original.accepted(candidate.start, in: cell)
            }
            let others = measurements.cells.keys.count { cell in
                left.cells[cell] != nil || original.doubts(candidate.run.id, in: cell)
            }
            update = RunUpdate(candidate, .skipped(isStored ? .stored(others: others) : .tooOld))
            if isStored {
                // What was measured since isn't missing any more.
                update.absent = try UpdatePlan(
                    measurements, reference: reference(), holding: baselines, policy: terms.policy,
                    acceptance: terms.acceptance, scoring: terms.scoring
                ).absent.filter { original[$0.place]?.runs.last?.startedAt.isEarlier(than: candidate.start) ?? true }
            }
        }
        update.refusedBefore = measurements.cells.keys.count { original.refuses(candidate.run.id, in: $0) }
        return update
    }

    /// Measurements by a call's other runs of cells that the store lacks, while it has few runs of the environment.
    private func others(of run: String, among all: Reference) -> Reference? {
        var others = all
        others.runs = [:]
        others.cells = all.cells.filter { cell, _ in
            original[cell]?.samples.isEmpty ?? true
                && baselines[cell]?.samples.count ?? 0 < PooledLook.fewestSettled
        }
        for cell in others.cells.keys { others.cells[cell]?.runs.removeAll { $0.run == run } }
        others.cells = others.cells.filter { !$1.runs.isEmpty }
        return others.cells.isEmpty ? nil : others
    }

    /// Writes the changes, one file per page; each file is read again before it is changed.
    package func write() throws {
        for (place, updates) in updates.sorted(by: { $0.key < $1.key }) {
            try store.update(place, foundAt: original.entries[place]?.path) { file throws(BaselineError) in
                var file = file?.marking(lostIn: original.entries[place]?.file) ?? BaselineFile(place)
                for update in updates { file = try file.taking(update, window: terms.window) }
                return file
            }
        }
    }

    /// Whether a cell is stored: with --page or --metric only these are.
    private func isTaken(_ cell: Cell) -> Bool { terms.acceptance?.takes(cell) ?? true }

    private func isAccepted(_ cell: Cell) -> Bool { terms.acceptance?.covers(cell) ?? false }

    private func hasRoom(for candidate: CollectedRun, at cell: Cell) -> Bool {
        let run = BaselineRun(id: candidate.run.id, startedAt: candidate.start)
        return baselines[cell.place]?.wouldKeep(run, metric: cell.metric, window: terms.window) ?? true
    }
}

extension Baselines {
    fileprivate func holds(_ run: String, at place: PageInEnvironment) -> Bool {
        self[place]?.runs.contains { $0.id == run } ?? false
    }

    /// The times of a page whose lists may lose a run with the next update.
    fileprivate func timesLosingRuns(
        at place: PageInEnvironment, accepting accepted: Set<String>, _ window: WindowPolicy
    ) -> [Cell] {
        (self[place]?.metrics ?? [:]).compactMap { id, metric in
            let isFull = metric.samples.count >= window.runs || metric.held.count >= BaselineFile.mostHeld
            let isWanted = metric.definition.metric(id).isTime && (isFull || accepted.contains(id))
            return isWanted ? place.cell(id) : nil
        }
    }

    /// Whether an epoch began with the run of this start, which newer runs may have pushed out since.
    fileprivate func accepted(_ start: Timestamp, in cell: Cell) -> Bool {
        self[cell.place]?.accepted.contains { $0.metric == cell.metric && $0.at == start } ?? false
    }

    fileprivate func holds(_ run: String, in cell: Cell) -> Bool { self[cell]?.has(run) ?? false }

    fileprivate func doubts(_ run: String, in cell: Cell) -> Bool { self[cell]?.held[run] != nil }

    fileprivate func refuses(_ run: String, in cell: Cell) -> Bool {
        guard let file = self[cell.place], let metric = self[cell] else { return false }
        return metric.held[run]?.why == .refused && file.runs.last { metric.has($0.id) }?.id == run
    }

    /// Whether the store has samples of a run that it lacks now: two runs share a name. A late shard only adds samples.
    fileprivate func holdsOther(_ measurement: CellMeasurement?, of run: String, in cell: Cell) -> Bool {
        guard let measurement, let stored = self[cell],
            let known = stored.samples[run] ?? stored.held[run]?.samples,
            stored.definition == BaselineMetric(measurement).definition
        else { return false }
        return !Set(known).isSubset(of: measurement.values)
    }
}

extension Dictionary where Key == Cell {
    fileprivate func at(_ place: PageInEnvironment) -> [String: Value] {
        reduce(into: [:]) { if $1.key.place == place { $0[$1.key.metric] = $1.value } }
    }
}

package struct UpdateTerms: Sendable {
    package var policy: Policy, window: WindowPolicy, acceptance: UpdatePlan.Acceptance?
    package var scoring: PageScoring?
    /// Whether an environment that the configuration doesn't expect may get baselines.
    package var opensEnvironments: Bool
    /// The time of the update, used as the start of runs without one.
    package var now: Timestamp
    /// The program that stores the runs, with its version.
    package var tool: String

    package init(
        policy: Policy, window: WindowPolicy = .standard, acceptance: UpdatePlan.Acceptance? = nil,
        scoring: PageScoring? = nil, opensEnvironments: Bool = false, now: Timestamp, tool: String
    ) {
        (self.policy, self.window, self.acceptance, self.scoring) = (policy, window, acceptance, scoring)
        (self.opensEnvironments, self.now, self.tool) = (opensEnvironments, now, tool)
    }
}
