import PerfgateBaselines
import PerfgateCompare
import PerfgateFiles
import PerfgateModel
import PerfgateStats

package struct BaselineDifference: Sendable, Hashable {
    package let cell: Cell, old: StoredCell?, new: StoredCell?

    /// The accepted change that only the newer state has; `nil` without one.
    package var accepted: AcceptedChange? { new?.accepted == old?.accepted ? nil : new?.accepted }

    /// Whether the newer centre leaves the range of older runs' by a change that matters; true if a side can't say.
    package var isBeyondNoise: Bool {
        guard old?.held == new?.held, let change, let after = new?.center, let range = old?.range,
            let metric = new?.metric
        else { return true }
        let least = MetricCatalog.definition(for: metric).minChange(at: nil)
        return !range.contains(after) && abs(change) >= least
    }

    /// The newer centre minus the older one, in the metric's unit; `nil` if a side has none or the units differ.
    package var change: Double? {
        guard let old, let new, old.metric.unit == new.metric.unit, let before = old.center, let after = new.center
        else { return nil }
        return after - before
    }

    package var addedRuns: [String] { (new?.runs ?? []).filter { !(old?.runs.contains($0) ?? false) } }

    package var removedRuns: [String] { (old?.runs ?? []).filter { !(new?.runs.contains($0) ?? false) } }

    /// Every cell that differs, sorted by page, metric and environment.
    package static func between(_ old: Baselines, _ new: Baselines) -> [BaselineDifference] {
        let before = Dictionary(old.storedCells.map { ($0.cell, $0) }) { first, _ in first }
        let after = Dictionary(new.storedCells.map { ($0.cell, $0) }) { first, _ in first }
        return Set(before.keys).union(after.keys).sorted().compactMap { cell in
            before[cell] == after[cell] ? nil : BaselineDifference(cell: cell, old: before[cell], new: after[cell])
        }
    }
}

/// The stored content of one page × metric × environment, for a list.
package struct StoredCell: Sendable, Hashable {
    package let cell: Cell, metric: Metric
    /// The mean of counts and rates, else the median, in the metric's unit; `nil` without samples.
    package let center: Double?
    /// The range of its runs' centres; `nil` with fewer than two runs.
    package let range: ClosedRange<Double>?
    /// The newest accepted change, which began its epoch; `nil` without one.
    package let accepted: AcceptedChange?
    package let count: Int
    /// The identifiers of the samples' runs, oldest first.
    package let runs: [String]
    /// The stored runs that are never compared with, by identifier, and why.
    package let held: [String: HeldRun.Why]
    /// The limit imported from another tool, in the metric's unit; `nil`: none.
    package let limit: Double?

    /// The held runs by reason: `3 refused, 1 normal`; `nil` without any.
    package var heldWords: String? {
        let counts = HeldRun.Why.allCases.map { why in (name: why.rawValue, count: held.values.count { $0 == why }) }
        let words = counts.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    init(_ cell: Cell, _ entry: Reference.Entry, held: [String: HeldRun.Why], accepted: [AcceptedChange]) {
        let side = CellResult.Side(entry.runs, of: entry.metric)
        self.cell = cell
        metric = entry.metric
        center = side?.center
        let centers = entry.runs.compactMap { CellResult.Side([$0], of: entry.metric)?.center }.sorted()
        range = centers.count > 1 ? centers[0]...centers[centers.count - 1] : nil
        self.accepted = accepted.filter { $0.metric == cell.metric }.max { $0.at.isEarlier(than: $1.at) }
        count = side?.count ?? 0
        runs = entry.runs.map(\.run)
        self.held = held
        limit = entry.limit?.value.value
    }
}

extension Baselines {
    subscript(cell: Cell) -> BaselineMetric? { self[cell.place]?.metrics[cell.metric] }

    /// All stored cells, sorted by page, metric and environment.
    package var storedCells: [StoredCell] {
        let reference = Reference(self)
        let known = reference.cells.map { cell, entry in
            let held = self[cell]?.held.mapValues(\.why) ?? [:]
            return StoredCell(cell, entry, held: held, accepted: self[cell.place]?.accepted ?? [])
        }
        // Cells whose runs are all held have nothing to compare with, but are stored.
        let others = entries.flatMap { place, entry in
            entry.file.metrics.compactMap { id, metric -> StoredCell? in
                guard reference.cells[place.cell(id)] == nil, !metric.held.isEmpty else { return nil }
                return StoredCell(
                    place.cell(id), Reference.Entry(metric: metric.definition.metric(id), runs: []),
                    held: metric.held.mapValues(\.why), accepted: entry.file.accepted)
            }
        }
        return (known + others).sorted { $0.cell < $1.cell }
    }
}

extension Page {
    /// Whether an argument names the page: by its name, or by its baseline file name, which is safe to type.
    package func isNamed(_ word: String) -> Bool { name == word || FileName(for: name).text == word }
}

extension Reference {
    /// Uses stored baselines as the reference, including cells that only have a limit.
    package init(_ baselines: Baselines) {
        self.init()
        for place in baselines.places {
            guard let entry = baselines.entries[place] else { continue }
            add(entry.file, from: entry.path, at: place)
            remember(entry.file, at: place)
        }
        for environment in runs.keys {
            runs[environment]?.sort { ($0.startedAt ?? "", $0.id) < ($1.startedAt ?? "", $1.id) }
        }
    }

    private mutating func add(_ file: BaselineFile, from path: String, at place: PageInEnvironment) {
        for (metric, stored) in file.metrics where !stored.samples.isEmpty || stored.limit != nil {
            func list(_ runs: [(run: BaselineRun, values: [Double])]) -> [RunSamples] {
                runs.map { RunSamples(run: $0.run.id, samples: SampleList(values: $0.values)) }
            }
            var entry = Entry(
                metric: stored.definition.metric(metric), counting: stored.definition.counting,
                formula: stored.definition.formula, runs: list(file.samples(of: metric)),
                limit: stored.limit.map { Setting(Limit($0.value, isTakenAsWritten: true), from: .input(path: path)) })
            if !stored.held.isEmpty { entry.series = list(file.series(of: metric)) }
            (entry.anchor, entry.jumps) = (file.drifting(metric), stored.jumps)
            entry.earlier = file.earlierNoise(of: metric).map {
                Noise(withinRun: $0.withinRun, betweenRuns: $0.betweenRuns)
            }
            cells[place.cell(metric)] = entry
        }
        measured[place] = file.measured
        for run in file.runs where !runs[place.environment, default: []].contains(where: { $0.id == run.id }) {
            runs[place.environment, default: []].append(
                EnvironmentSummary.BaselineRun(
                    id: run.id, commit: run.commit, startedAt: run.startedAt.text, version: run.version))
        }
    }

    /// Takes what the store remembers beside the settled runs.
    private mutating func remember(_ file: BaselineFile, at place: PageInEnvironment) {
        for (metric, stored) in file.metrics {
            let cell = place.cell(metric)
            if stored.isLost, stored.samples.isEmpty { lost.insert(cell) }
            guard let since = stored.heldSince else { continue }
            let open = file.episodes(of: metric).last { $0.isOpen }?.runs ?? []
            held[cell] = HeldNights(
                since: since.at.text, commit: since.commit, runs: since.runs,
                isRefused: open.contains { stored.held[$0.id]?.why == .refused },
                compared: file.samples(of: metric).map(\.run.startedAt.text))
        }
    }
}

extension BaselineFile {
    /// The medians of a metric's first runs of the epoch, if the newest five are all later; `nil`: no drift can be seen.
    fileprivate func drifting(_ metric: String) -> [Double]? {
        guard let anchor = metrics[metric]?.anchor else { return nil }
        let newest = samples(of: metric).suffix(DriftTest.runs)
        let both = newest.count { !anchor.to.isEarlier(than: $0.run.startedAt) }
        let first = anchor.medians.dropLast(both)
        let isKnown = newest.count == DriftTest.runs && first.count >= DriftTest.runs && first.allSatisfy { $0 > 0 }
        return isKnown ? Array(first) : nil
    }
}
