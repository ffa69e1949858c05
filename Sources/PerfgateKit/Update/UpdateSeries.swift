import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// Updates of a store, one after the other: each is judged against the result of the earlier ones.
///
/// Nothing is written before `write`, so a series with a failing update leaves the store unchanged.
package struct UpdateSeries: Sendable {
    /// The store's content after the updates so far.
    package private(set) var baselines: Baselines
    /// The store.
    package let store: BaselineStore
    private let original: Baselines
    /// The terms of the update.
    package let terms: UpdateTerms
    private var updates: [PageInEnvironment: [BaselineUpdate]] = [:]

    /// Starts a series with a store's content.
    package init(of store: BaselineStore, holding baselines: Baselines, by terms: UpdateTerms) {
        self.store = store
        self.baselines = baselines
        original = baselines
        self.terms = terms
    }

    /// Stores the runs of a call, one after the other.
    package mutating func take(_ collected: CollectedRuns) throws -> [RunUpdate] {
        let all =
            collected.runs.count > 1
            ? collected.measurements.reference(terms.policy, terms.scoring, key: store.key) : Reference()
        return try collected.runs.map { try take($0, among: all) }
    }

    /// Judges measurements as one update, and stores what isn't refused.
    ///
    /// - Parameter others: Measurements by the call's other runs of cells that the store lacks.
    package mutating func take(_ measurements: Measurements, others: Reference? = nil) throws -> UpdatePlan {
        let plan = try UpdatePlan(
            measurements, reference: Reference(baselines), policy: terms.policy, acceptance: terms.acceptance,
            scoring: terms.scoring, opensEnvironments: terms.opensEnvironments, isFirst: original.entries.isEmpty,
            others: others)
        let results = Dictionary(plan.comparisons.map { ($0.cell, $0) }) { first, _ in first }
        for place in plan.places {
            var update = BaselineUpdate(
                runs: plan.measurements.runs, cells: plan.cells(at: place),
                measured: plan.measurements.pages[place]?.counts ?? [:], at: terms.now, tool: terms.tool,
                accepting: plan.acceptedMetrics(at: place), reason: terms.acceptance?.reason ?? "",
                doubtful: plan.provisionalMetrics(at: place))
            update.earlierNoise = plan.earlierNoise(at: place)
            for measurement in plan.cells(at: place) {
                let cell = Cell(page: place.page, metric: measurement.metric.id, environment: place.environment)
                guard !plan.provisional.contains(cell), let result = results[cell] else { continue }
                update.decisions[cell.metric] = decisions(by: measurement, result, at: place)
            }
            try baselines.take(update, at: place, of: store, window: terms.window)
            updates[place, default: []].append(update)
        }
        return plan
    }

    /// The provisional runs of a cell that a conclusive run confirms: their centre is within the tolerance of its own.
    private func decisions(
        by measurement: CellMeasurement, _ result: CellResult, at place: PageInEnvironment
    ) -> [String: Bool] {
        guard let stored = baselines[place]?.metrics[measurement.metric.id], !stored.provisional.isEmpty,
            let own = (try? SortedSamples(measurement.values))?.centre(measurement.metric.centre),
            let terms = result.toleranceTerms
        else { return [:] }
        let tolerance = max(terms.relative * abs(own), terms.minChange)
        return stored.provisional.reduce(into: [:]) { decisions, run in
            let centre = (try? SortedSamples(stored.samples[run] ?? []))?.centre(measurement.metric.centre)
            decisions[run] = centre.map { abs($0 - own) <= tolerance } ?? true
        }
    }

    /// Stores one of several runs, unless the store contains it or its window has no room.
    ///
    /// A page whose baseline contains the run counts as stored: what was refused then stays refused until it is
    /// accepted, so storing the same runs twice changes nothing. Different samples under a stored run's identifier are
    /// an error.
    ///
    /// - Parameter all: The measurements of all runs of the call.
    package mutating func take(_ candidate: CollectedRun, among all: Reference = Reference()) throws -> RunUpdate {
        let measurements = candidate.measurements
        guard !measurements.cells.isEmpty else { return RunUpdate(candidate, .skipped(.nothingMeasured)) }
        let isImpossible = candidate.run.impossibleStart(today: .today) != nil
        let current = measurements.keeping { isImpossible || hasRoom(for: candidate, at: $0) }
        let left = current.keeping { cell in
            !original.holds(candidate.run.id, in: cell)
                || isAccepted(cell) && original.doubts(candidate.run.id, in: cell)
                || original.holdsOther(measurements.cells[cell], of: candidate.run.id, in: cell)
        }
        let new = left.keeping { cell in
            !original.holds(candidate.run.id, at: cell.place) || isAccepted(cell)
                || original.holds(candidate.run.id, in: cell)
        }
        guard new.cells.isEmpty else {
            return RunUpdate(candidate, .planned(try take(new, others: others(of: candidate.run.id, among: all))))
        }
        let isStored = measurements.cells.keys.contains { original.holds(candidate.run.id, at: $0.place) }
        return RunUpdate(candidate, .skipped(isStored ? .stored(others: left.cells.count) : .tooOld))
    }

    /// Measurements by a call's other runs of cells that the store lacks, while it has few runs of the environment.
    private func others(of run: String, among all: Reference) -> Reference? {
        var others = all
        others.runs = [:]
        others.cells = all.cells.filter { cell, _ in
            original[cell.place]?.metrics[cell.metric]?.settled.isEmpty ?? true
                && baselines[cell.place]?.metrics[cell.metric]?.settled.count ?? 0 < UpdatePlan.fewestSettled
        }
        for cell in others.cells.keys { others.cells[cell]?.runs.removeAll { $0.run == run } }
        others.cells = others.cells.filter { !$1.runs.isEmpty }
        return others.cells.isEmpty ? nil : others
    }

    /// Writes the changes, one file per page; each file is read again before it is changed.
    package func write() throws {
        for (place, updates) in updates.sorted(by: { $0.key < $1.key }) {
            try store.update(place, foundAt: original.entries[place]?.path) { file throws(BaselineError) in
                var file = file ?? BaselineFile(place)
                for update in updates { file = try file.taking(update, window: terms.window) }
                return file
            }
        }
    }
}

extension UpdateSeries {
    private func isAccepted(_ cell: Cell) -> Bool { terms.acceptance?.covers(cell) ?? false }

    private func hasRoom(for candidate: CollectedRun, at cell: Cell) -> Bool {
        let file = baselines[cell.place]
        let run = BaselineRun(id: candidate.run.id, startedAt: candidate.start)
        return file?.wouldKeep(run, metric: cell.metric, window: terms.window) ?? true
    }
}

extension Baselines {
    /// Whether a page's baseline contains a run.
    fileprivate func holds(_ run: String, at place: PageInEnvironment) -> Bool {
        self[place]?.runs.contains { $0.id == run } ?? false
    }

    /// Whether a run's samples of a cell are stored.
    fileprivate func holds(_ run: String, in cell: Cell) -> Bool {
        self[cell.place]?.metrics[cell.metric]?.samples[run] != nil
    }

    /// Whether a run's samples of a cell are provisional.
    fileprivate func doubts(_ run: String, in cell: Cell) -> Bool {
        self[cell.place]?.metrics[cell.metric]?.provisional.contains(run) ?? false
    }

    /// Whether the store contains samples of a run that it doesn't have now, which means that two runs share an
    /// identifier. A late shard only adds samples.
    fileprivate func holdsOther(_ measurement: CellMeasurement?, of run: String, in cell: Cell) -> Bool {
        guard let measurement, let stored = self[cell.place]?.metrics[cell.metric], let known = stored.samples[run],
            stored.definition == BaselineMetric(measurement).definition
        else { return false }
        return !Set(known).isSubset(of: measurement.values)
    }
}

/// The terms on which runs are stored in baselines.
package struct UpdateTerms: Sendable {
    /// The policy of the gate.
    package var policy: Policy
    /// How many runs a baseline keeps.
    package var window: WindowPolicy
    /// The accepted regressions; `nil`: none.
    package var acceptance: UpdatePlan.Acceptance?
    /// How pages are scored; `nil`: not at all.
    package var scoring: PageScoring?
    /// Whether an environment that the configuration doesn't expect may get baselines.
    package var opensEnvironments: Bool
    /// The time of the update, used as the start of runs without one.
    package var now: Timestamp
    /// The program that stores the runs, with its version.
    package var tool: String

    /// Makes terms from their parts.
    package init(
        policy: Policy, window: WindowPolicy = .standard, acceptance: UpdatePlan.Acceptance? = nil,
        scoring: PageScoring? = nil, opensEnvironments: Bool = false, now: Timestamp, tool: String
    ) {
        self.policy = policy
        self.window = window
        self.acceptance = acceptance
        self.scoring = scoring
        self.opensEnvironments = opensEnvironments
        self.now = now
        self.tool = tool
    }
}

extension CalendarDay {
    /// The UTC day of a moment; `nil` beyond the year 9999.
    package init?(of moment: Timestamp) {
        self.init(String(Timestamp(secondsSince1970: moment.day * 86_400).text.prefix(10)))
    }

    /// The current day in UTC; tests override it with the variable `PERFGATE_TODAY`.
    package static var today: CalendarDay? {
        ProcessInfo.processInfo.environment["PERFGATE_TODAY"].flatMap { CalendarDay($0) }
            ?? CalendarDay(of: Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970)))
    }
}

extension Run {
    /// Why the run's start can't be true; `nil` if it can, or if it has none.
    ///
    /// The clock of a device that lost power begins in 1970 or 2001; a start in the future would freeze its baselines.
    func impossibleStart(today: CalendarDay?) -> String? {
        guard let text = startedAt, let start = Timestamp(text), let today,
            let now = Timestamp("\(today)T00:00:00Z"), let earliest = Timestamp("2015-01-01T00:00:00Z")
        else { return nil }
        guard start.isEarlier(than: earliest) || start.seconds >= now.seconds + 2 * 86_400 else { return nil }
        return "Run \(id) says that it began at \(text), which can't be: set the clock of its device."
    }
}

extension Measurements {
    /// The measurements without impossible starts, and a diagnostic for each.
    func withoutImpossibleStarts(today: CalendarDay?) -> (Measurements, [Diagnostic]) {
        var result = self
        var remarks: [Diagnostic] = []
        for (index, run) in runs.enumerated() {
            guard let problem = run.impossibleStart(today: today) else { continue }
            result.runs[index].context["started_at"] = nil
            remarks.append(
                Diagnostic(.impossibleTime, path: run.streams.first?.path, "\(problem) The start was left out."))
        }
        return (result, remarks)
    }

    /// The measurements in which an impossible start makes a run bad data.
    func refusingImpossibleStarts(today: CalendarDay?) -> Measurements {
        var result = self
        for (index, run) in runs.enumerated() {
            guard let problem = run.impossibleStart(today: today), !run.streams.isEmpty else { continue }
            result.runs[index].streams[0].faults.append(problem)
        }
        return result
    }
}
