import PerfgateBaselines
import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// The trends of test runs, from logs and baselines, ordered by time; each environment separately.
package struct RunTrends: Sendable {
    /// The page, by name or by baseline file name; `nil`: all.
    package var page: String?
    package var metric: String?, tool: String
    package var policy = Policy()
    package var notes: [String] = []
    private var runs: [Environment: [String: TrendRun]] = [:]
    private var cells: [Cell: Samples] = [:]

    /// The samples of a cell, by the definition that values in one graph must share, then by run.
    private typealias Samples = [BaselineMetric.Definition: [String: [Double]]]

    package init(tool: String) { self.tool = tool }

    package var isEmpty: Bool { cells.isEmpty }

    package mutating func add(_ baselines: Baselines) {
        for place in baselines.places {
            guard let file = baselines[place] else { continue }
            for run in file.runs {
                let own = TrendRun(id: run.id, start: run.startedAt, commit: run.commit, version: nil)
                add(own, in: place.environment)
            }
            for (id, metric) in file.metrics {
                for (run, values) in metric.samples { add(values, of: run, to: place.cell(id), metric.definition) }
            }
        }
    }

    /// Adds runs of logs; a known run isn't added twice.
    package mutating func add(_ collected: CollectedRuns) {
        for run in collected.runs {
            let own = TrendRun(
                id: run.run.id, start: run.run.startedAt == nil ? nil : run.start, commit: run.run.commit,
                version: run.run.context.text("app_version"))
            for (cell, measurement) in run.measurements.cells where !measurement.values.isEmpty {
                add(own, in: cell.environment)
                add(measurement.values, of: own.id, to: cell, BaselineMetric(measurement).definition)
            }
        }
    }

    private mutating func add(_ run: TrendRun, in environment: Environment) {
        let known = runs[environment, default: [:]][run.id]
        runs[environment, default: [:]][run.id] = TrendRun(
            id: run.id, start: known?.start ?? run.start, commit: known?.commit ?? run.commit,
            version: known?.version ?? run.version)
    }

    private mutating func add(
        _ values: [Double], of run: String, to cell: Cell, _ definition: BaselineMetric.Definition
    ) {
        cells[cell, default: [:]][definition, default: [:]][run] = values
    }

    package func report() throws -> TrendReport {
        let pages = Set(cells.keys.map(\.page.name)).sorted { $0.precedesInUTF8($1) }
        if let page, !pages.contains(where: { Page($0).isNamed(page) }), !pages.isEmpty {
            throw TrendAbsence.unknown(folder: "The runs", field: "page", value: page, known: pages)
        }
        let ofPages = cells.filter { cell, _ in page.map(cell.page.isNamed) ?? true }
        let wanted = ofPages.filter { cell, _ in metric.map { cell.metric == $0 } ?? true }
        if let metric, wanted.isEmpty, !ofPages.isEmpty {
            throw TrendAbsence.unknown(
                folder: "The runs", field: "metric", value: metric,
                known: Set(ofPages.keys.map(\.metric)).sorted { $0.precedesInUTF8($1) })
        }
        let environments = Dictionary(grouping: wanted, by: \.key.environment)
        let counts = Dictionary(grouping: wanted) { cell, samples in isGated(cell, samples) }.mapValues(\.count)
        let groups = environments.sorted { $0.key < $1.key }.compactMap { group($0.key, $0.value, among: counts) }
        guard !groups.isEmpty else { throw TrendAbsence.noRun }
        let changed = wanted.values.count { $0.count > 1 }
        let note =
            "\(Figure.count(changed, "metric")) of pages changed the formula, the unit or the way frames are counted; "
            + "the graphs show only runs with the newest definition."
        return TrendReport(tool: tool, notes: notes + (changed > 0 ? [note] : []), groups: groups)
    }

    private func isGated(_ cell: Cell, _ samples: Samples) -> Bool {
        samples.keys.contains { policy(of: cell, $0).isGated.value }
    }

    private func policy(of cell: Cell, _ definition: BaselineMetric.Definition) -> CellPolicy {
        policy.cellPolicy(page: cell.page, metric: definition.metric(cell.metric), environment: cell.environment)
    }

    /// - Parameter counts: The number of gated and of other graphs.
    private func group(
        _ environment: Environment, _ cells: [(key: Cell, value: Samples)], among counts: [Bool: Int]
    ) -> TrendGroup? {
        let used = Set(cells.flatMap { $0.value.values.flatMap { $0.filter { !$1.isEmpty }.keys } })
        let ordered = (runs[environment] ?? [:]).values.filter { used.contains($0.id) }.sorted { $0.isBefore($1) }
        guard !ordered.isEmpty else { return nil }
        let graphs = cells.sorted { $0.key < $1.key }.compactMap { graph($0.key, $0.value, ordered, among: counts) }
        return graphs.isEmpty ? nil : TrendGroup(environment, .runs(ordered), graphs)
    }

    private func graph(_ cell: Cell, _ samples: Samples, _ runs: [TrendRun], among counts: [Bool: Int]) -> TrendGraph? {
        // Of several definitions, the newest run's.
        let newest = runs.last { run in samples.values.contains { $0[run.id] != nil } }?.id
        let known = samples.filter { newest.map($0.value.keys.contains) ?? false }
        guard let (definition, values) = known.max(by: { $0.value.count < $1.value.count }) else { return nil }
        let metric = definition.metric(cell.metric)
        let points = runs.enumerated().compactMap { index, run -> TrendGraph.Value? in
            guard let sorted = try? SortedSamples(values[run.id] ?? []), let center = sorted.centre(metric.centre)
            else { return nil }
            // The p90 is the smallest value that nine in ten don't exceed; fewer than 10 samples have none.
            let high = sorted.count < 10 ? nil : sorted.values[(sorted.count * 9 + 9) / 10 - 1]
            return TrendGraph.Value(place: index + 1, count: sorted.count, center: center, high: high, level: center)
        }
        guard !points.isEmpty else { return nil }
        return TrendGraph(
            page: cell.page, metric: metric, level: metric, centerName: metric.centre.rawValue, values: points,
            DriftSeries.Terms(
                policy(of: cell, definition), hasWeekdays: false, among: counts[isGated(cell, samples)] ?? 1))
    }
}

extension TrendRun {
    fileprivate func isBefore(_ other: TrendRun) -> Bool {
        guard let start, let otherStart = other.start else {
            return start == nil && (other.start != nil || id.precedesInUTF8(other.id))
        }
        return BaselineRun(id: id, startedAt: start) < BaselineRun(id: other.id, startedAt: otherStart)
    }
}

extension CollectedRuns {
    /// The fit runs of logs, with their measurements and diagnostics about the rest.
    package init(trendsOf measurements: Measurements, policy: Policy) {
        var lenient = policy
        lenient.badRun = .exclude
        let (_, fit, unfit) = measurements.refusingImpossibleStarts(today: .today).sifted(by: lenient, today: .today)
        var told = fit
        told.diagnostics += unfit
        self.init(told, policy: lenient)
    }
}
