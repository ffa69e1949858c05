import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// What the logs of one run say about the searched page.
package struct BisectReading: Sendable {
    package let cell: Cell, measurement: CellMeasurement
    /// Its samples; larger is worse.
    package let samples: [Double]
    /// The ln medians of the times of other pages, by `page/metric`.
    package let times: [String: Double]
    /// The identifiers of its runs, and their low-power mode and heat.
    package let ids: [String], conditions: [String]

    /// Why logs can't be used, as a clause.
    package struct Refusal: Error, Sendable {
        package let reason: String
        /// Whether more runs can't help.
        package var isFinal = false
    }

    /// Reads a run of a search. Throws if it differs from the first one in more than the commit.
    package init(_ read: Measurements, of position: Int, for state: BisectState, gate: Gate) throws(Refusal) {
        let (page, metric, first) = (state.plan.page, state.plan.metric, state.measured.first)
        let (_, fit, unfit) = read.sifted(by: gate.policy, today: .today)
        let faults = fit.faultyInputs.map(\.message) + fit.runs.flatMap(\.streams).flatMap(\.faults)
        if let fault = faults.first { throw Refusal(reason: "its log can't be used: \(fault)") }
        let measured = fit.scored(by: gate.scoring)
        let cells = measured.cells.filter {
            $0.key.page.isNamed(page) && $0.key.metric == metric && !$0.value.runs.isEmpty
        }
        guard let (cell, measurement) = cells.first
        else { throw Self.absence(of: state.plan, in: measured, unfit, isFirst: first == nil) }
        guard cells.count == 1 else { throw Refusal(reason: "it measured the page in several environments") }
        if let environment = state.terms?.environment, environment != cell.environment.description {
            throw Refusal(reason: "it measured \(cell.environment.description), and the first run \(environment)")
        }
        let values = measurement.values
        let least = min(3, first?.samples?.count ?? 1)
        guard values.count >= least else {
            throw Refusal(
                reason: "its log holds \(Figure.count(values.count, "sample")) of \(page) \(metric), and needs \(least)"
            )
        }
        (self.cell, self.measurement) = (cell, measurement)
        samples = measurement.metric.better == .higher ? values.map { 0 - $0 } : values
        times = measured.cells.reduce(into: [:]) { times, entry in
            guard entry.key.environment == cell.environment, entry.key.page != cell.page else { return }
            times[Self.name(entry.key)] = Self.logMedian(entry.value.metric, entry.value.values)
        }
        ids = measured.runs.map(\.id)
        conditions = measured.slowConditions.sorted()
        let known = Set(state.measured.flatMap { $0.ids ?? [] })
        if let repeated = ids.first(where: known.contains) {
            throw Refusal(
                reason:
                    "its run \(repeated) is that of an earlier run: give each run a run_id of its own, and leave only "
                    + "what it measured")
        }
        if conditions.contains(Measurements.heat) || first?.conditions ?? conditions != conditions {
            throw Refusal(reason: "its device was hot or in low-power mode, unlike the first run's")
        }
        if let other = measured.otherCommit(than: state.plan.commits[position].hash) { throw Refusal(reason: other) }
    }

    /// Why a log can't be used that lacks the page; at the first run, which can't be the commit's, with the nearest name.
    private static func absence(
        of plan: BisectPlan, in measured: Measurements, _ unfit: [Diagnostic], isFirst: Bool
    ) -> Refusal {
        let reason = unfit.first.map { ": \($0.message)" } ?? ""
        let what = "its log holds no samples of \(plan.page) \(plan.metric)\(reason)"
        let page = measured.cells.keys.filter { $0.page.isNamed(plan.page) }
        let names = Set(page.isEmpty ? measured.cells.keys.map(\.page.name) : page.map(\.metric)).sorted()
        guard isFirst, unfit.isEmpty, !(page.map(\.metric).contains(plan.metric)) else { return Refusal(reason: what) }
        let near = Suggestion.nearest(to: page.isEmpty ? plan.page : plan.metric, among: names)
        let hint = near.map { "did you mean \($0)?" } ?? "it has \(names.listed(most: 12))"
        return Refusal(reason: "\(what); \(hint)", isFinal: true)
    }

    private static func name(_ cell: Cell) -> String { "\(cell.page.name)/\(cell.metric)" }

    /// The ln median of a time; `nil` of another metric, and of a median that isn't above 0.
    private static func logMedian(_ metric: Metric, _ values: [Double]) -> Double? {
        guard metric.isTime, let median = values.median, median > 0 else { return nil }
        return log(median)
    }

    /// σ of a time that isn't stored.
    private static let assumedWithinRun = 0.07
    private static let enoughStored = 5, mostStored = 5

    /// The terms of the search: the page's policy, and its stored runs.
    /// - Parameter position: The position of a commit in the range, 0 for an earlier commit; `nil`: unknown.
    package func terms(
        _ policy: Policy, _ baselines: Baselines, asMeasured: Bool, position: (String) -> Int?
    ) -> BisectTerms {
        let reference = Reference(baselines)
        let entry = reference.cells[cell].flatMap { $0.isComparable(with: measurement) ? $0 : nil }
        let metric = measurement.metric
        let said = policy.cellPolicy(
            page: cell.page, metric: metric, environment: cell.environment, stored: entry?.limit)
        let within =
            (try? entry.map { try MeasuredRuns($0.runs.map { Array($0.values) }) })
            .flatMap { Noise($0).withinRun } ?? Self.assumedWithinRun
        let kind: CommitSearch.Kind =
            metric.isTime
            ? .times(least: said.minChange.value, withinRun: within) : metric.unit.isCount ? .counts : .values
        let commits = Dictionary(
            (reference.runs[cell.environment] ?? []).map { ($0.id, $0.commit) }, uniquingKeysWith: { $1 })
        var times: [String: [String: Double]] = [:]
        for (other, entry) in reference.cells where other.environment == cell.environment && other.page != cell.page {
            for run in entry.runs {
                times[run.run, default: [:]][Self.name(other)] = Self.logMedian(entry.metric, Array(run.values))
            }
        }
        let stored = (entry?.runs ?? []).compactMap { run -> BisectTerms.Stored? in
            guard kind.isOfTimes, !run.samples.isEmpty, let commit = commits[run.run] ?? nil,
                let place = position(commit)
            else { return nil }
            let own = (times[run.run] ?? [:]).filter { self.times[$0.key] != nil }
            return BisectTerms.Stored(position: place, run: .init(samples: Array(run.values), times: own))
        }
        var prior = StepPrior(weights: [1])
        let before = stored.filter { $0.position == 0 }.map(\.run)
        if before.count >= Self.enoughStored {
            prior.learn(from: before, least: said.minChange.value, withinRun: within, usesOtherPages: !asMeasured)
        }
        return BisectTerms(
            unit: metric.unit.symbol, isHigherBetter: metric.better == .higher,
            environment: cell.environment.description, kind: kind, tolerance: said.tolerance.value,
            deviation: prior.deviation, freedom: prior.freedom, stored: Array(stored.suffix(Self.mostStored)))
    }
}

extension Measurements {
    static let heat = "heat"

    /// Low-power mode, and heat at which the device slows down.
    package var slowConditions: Set<String> {
        let states = runs.flatMap { run in
            [run.context] + run.states.map(\.conditions) + run.streams.map(\.start.conditions)
        }
        let isSaving = states.contains { $0["low_power_mode"] == .flag(true) }
        let isHot = states.contains { ["serious", "critical"].contains($0.text("thermal_state")) }
        return Set((isSaving ? ["low-power mode"] : []) + (isHot ? [Self.heat] : []))
    }
}

extension BisectState {
    package func report(tool: String, notes: [String] = [], commitAddress: String? = nil) -> BisectReport {
        let outcome: BisectReport.Outcome =
            switch search.step {
            case .end(.named): .named
            case .end(.nothing): .nothing
            case .end(.outside): .outside
            case .end(.undecided), .end(.failing), .end(.unmeasurable): .undecided
            case .measure: search.found.isEmpty ? .undecided : .named
            }
        let isHigherBetter = terms?.isHigherBetter ?? false
        let metric = Metric(id: plan.metric, unit: Unit(terms?.unit ?? ""), better: isHigherBetter ? .higher : .lower)
        var report = BisectReport(tool: tool, page: plan.page, metric: metric, commits: plan.commits, outcome: outcome)
        let isTime = terms?.kind.isOfTimes ?? false
        let sign = isHigherBetter ? -1.0 : 1
        report.environment = terms?.environment
        report.steps = search.found.map { found in
            var step = found
            (step.before, step.after) = (sign * found.before, sign * found.after)
            return step
        }
        let whole = search.probabilities
        if outcome != .named, whole.count == plan.commits.count - 1 { report.probabilities = whole.map(\.probability) }
        report.runs = search.plotted.map { BisectReport.Run(position: $0.position, value: sign * $0.value) }
        report.builds = Set(measured.compactMap(\.pos)).count
        report.skips = finished.count - measured.count
        report.unmeasurable = search.unmeasurable.sorted()
        report.minutes = minutes
        report.runsNeeded = outcome == .undecided ? search.runsNeeded : nil
        report.findsAll = findsAll
        if case .end(.outside(let change)) = search.step { report.difference = exp(change) - 1 }
        if outcome == .nothing, isTime { report.difference = search.endsDifference.map { exp($0) - 1 } }
        report.notes = remarks + [problem].compactMap(\.self) + notes
        report.commitAddress = commitAddress
        return report
    }

    private var remarks: [String] {
        guard let terms, terms.kind.isOfTimes else { return [] }
        let slower = search.alreadySlower.map {
            "\(plan.commits[0].short) is already \(BisectReport.whole(exp($0) - 1)) slower than its baseline; its stored "
                + "runs don't count."
        }
        var shared: String?
        if case .end(.nothing) = search.step, let raw = search.rawEndsDifference, raw > terms.tolerance {
            shared =
                "As measured it is \(BisectReport.whole(raw)) slower, as the other pages are. The same call with --as-measured "
                + "searches for the commit that slowed them all."
        }
        return [slower, warning, shared].compactMap(\.self)
    }

    /// A warning once both ends are measured; `nil`: nothing to warn about.
    package var warning: String? {
        guard let terms, terms.kind.isOfTimes, !plan.asMeasured, search.otherTimes.isEmpty, measured.count > 1
        else { return nil }
        let stored = terms.stored.isEmpty ? " and nothing is stored of it" : ""
        return
            "Fewer than 12 times of other pages were measured\(stored), so a slow run looks like a slow commit: a change of "
            + "10 % is named in three of four such ranges. Measure other pages too, or more --iterations."
    }

    package var hasBadLogs: Bool { finished.last?.reason?.hasPrefix("its log can't be used") ?? false }

    /// Why it can't go on, as a sentence; `nil`: it can.
    package var problem: String? {
        let hint = finished.last?.reason?.hasSuffix("code 127") == true
        let reason =
            (finished.last?.reason.map { ": \($0)" } ?? "")
            + (hint ? ". The copy of this checkout has no files that git ignores, and no new ones above 1 MB" : "")
        switch search.step {
        case .end(.failing): return "The command fails at every commit that was tried last\(reason)."
        case .end(.unmeasurable(let position)):
            return "\(position == 0 ? "GOOD" : "BAD"), \(plan.commits[position].short), can't be measured\(reason)."
        default: return nil
        }
    }
}
