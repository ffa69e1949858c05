import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// Updates of a store, one after the other: each is judged against what those before it left.
///
/// Nothing is written before `write`, so that a series of which one update doesn't fit leaves the store as it is.
package struct UpdateSeries: Sendable {
    /// The store as it would be after the updates so far.
    package private(set) var baselines: Baselines
    /// The store.
    package let store: BaselineStore
    private let original: Baselines
    /// By what runs are taken in.
    package let terms: UpdateTerms
    private var updates: [PageInEnvironment: [BaselineUpdate]] = [:]

    /// Starts a series with what a store holds.
    package init(of store: BaselineStore, holding baselines: Baselines, by terms: UpdateTerms) {
        self.store = store
        self.baselines = baselines
        original = baselines
        self.terms = terms
    }

    /// Judges measurements as one update, and takes in what isn't refused.
    package mutating func take(_ measurements: Measurements) throws -> UpdatePlan {
        let plan = try UpdatePlan(
            measurements, reference: Reference(baselines), policy: terms.policy, acceptance: terms.acceptance,
            scoring: terms.scoring, opensEnvironments: terms.opensEnvironments, isFirst: original.entries.isEmpty)
        for place in plan.places {
            let update = BaselineUpdate(
                runs: plan.measurements.runs, cells: plan.cells(at: place),
                measured: plan.measurements.pages[place]?.counts ?? [:], at: terms.now, tool: terms.tool,
                accepting: plan.acceptedMetrics(at: place), reason: terms.acceptance?.reason ?? "")
            try baselines.take(update, at: place, of: store, window: terms.window)
            updates[place, default: []].append(update)
        }
        return plan
    }

    /// Takes in one of several runs, as far as the store doesn't hold it yet and its window has room for it.
    ///
    /// A page of which the store holds the run counts as taken in: what was refused then stays refused until it is
    /// accepted, so that the same runs taken in twice change nothing.
    package mutating func take(_ candidate: CollectedRun) throws -> RunUpdate {
        let measurements = candidate.measurements
        guard !measurements.cells.isEmpty else { return RunUpdate(candidate, .skipped(.nothingMeasured)) }
        let current = measurements.keeping { hasRoom(for: candidate, at: $0) }
        let left = current.keeping { !original.holds(candidate.run.id, in: $0) }
        let new = left.keeping { !original.holds(candidate.run.id, at: $0.place) || isAccepted($0) }
        guard new.cells.isEmpty else { return RunUpdate(candidate, .planned(try take(new))) }
        let isStored = measurements.cells.keys.contains { original.holds(candidate.run.id, at: $0.place) }
        return RunUpdate(candidate, .skipped(isStored ? .stored(others: left.cells.count) : .tooOld))
    }

    /// Writes what was taken in, a file a page, each read anew before it is changed.
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
    /// Whether the baseline of a page holds a run.
    fileprivate func holds(_ run: String, at place: PageInEnvironment) -> Bool {
        self[place]?.runs.contains { $0.id == run } ?? false
    }

    /// Whether a run's samples of a cell are stored.
    fileprivate func holds(_ run: String, in cell: Cell) -> Bool {
        self[cell.place]?.metrics[cell.metric]?.samples[run] != nil
    }
}

/// By what runs are taken into baselines.
package struct UpdateTerms: Sendable {
    /// What the team wants of the gate.
    package var policy: Policy
    /// How many runs a baseline keeps.
    package var window: WindowPolicy
    /// What is accepted although it regressed; `nil`: nothing.
    package var acceptance: UpdatePlan.Acceptance?
    /// How pages are scored; `nil`: they aren't.
    package var scoring: PageScoring?
    /// Whether an environment that the configuration doesn't expect may get baselines.
    package var opensEnvironments: Bool
    /// The time of the update, the start of a run that doesn't say its own.
    package var now: Timestamp
    /// The program that takes the runs in, with its version.
    package var tool: String

    /// Makes terms of their parts.
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
    /// The day, in UTC, on which a moment falls; `nil` beyond the year 9999.
    package init?(of moment: Timestamp) {
        self.init(String(Timestamp(secondsSince1970: moment.day * 86_400).text.prefix(10)))
    }

    /// The day that the clock says, in UTC; the variable `PERFGATE_TODAY` takes its place in tests.
    package static var today: CalendarDay? {
        ProcessInfo.processInfo.environment["PERFGATE_TODAY"].flatMap { CalendarDay($0) }
            ?? CalendarDay(of: Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970)))
    }
}

extension Run {
    /// Why the start that its log says can't be true; `nil` where it can, or none is said.
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
    /// The measurements without starts that can't be true, and what to say of each.
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

    /// The measurements in which a start that can't be true makes its run bad data.
    func refusingImpossibleStarts(today: CalendarDay?) -> Measurements {
        var result = self
        for (index, run) in runs.enumerated() {
            guard let problem = run.impossibleStart(today: today), !run.streams.isEmpty else { continue }
            result.runs[index].streams[0].faults.append(problem)
        }
        return result
    }
}
