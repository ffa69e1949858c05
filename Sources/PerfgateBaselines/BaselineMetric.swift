import PerfgateModel

package struct BaselineMetric: Sendable, Hashable {
    /// The facts that must be equal for samples to be comparable.
    package struct Definition: Sendable, Hashable {
        package let unit: Unit
        package let better: Better
        package let formula: String
        package let counting: Counting

        package init(unit: Unit, better: Better = .lower, formula: String = "1", counting: Counting = .exact) {
            (self.unit, self.better, self.formula, self.counting) = (unit, better, formula, counting)
        }

        package func metric(_ id: String) -> Metric { Metric(id: id, unit: unit, better: better) }
    }

    package var definition: Definition
    /// The settled samples by run identifier, which are used for comparison, ordered by shard and iteration; an empty
    /// list if the run measured the metric and nothing happened.
    package var samples: [String: [Double]]
    /// The limit imported from another tool; `nil`: none.
    package var limit: BaselineLimit?
    /// The runs beside the settled ones: refused, or in doubt. They are never compared with, and never get in by age.
    package var held: [String: HeldRun]
    /// The open episode of held runs; `nil`: the newest run is settled.
    package var heldSince: HeldSince?
    /// The first settled runs of the epoch, for times; `nil` without settled runs.
    package var anchor: EpochAnchor?
    /// How much a time jumped from run to run before the stored runs, oldest first: |Δ ln median| without the shifts of
    /// the runs, 0 or more; at most `mostJumps`. Epochs don't end it, so the noise of a time isn't forgotten.
    package var jumps: [Double]
    /// The epoch that an improvement ended by itself; `nil`: none is kept.
    package var earlier: EarlierEpoch?
    /// Whether an earlier version's window dropped all its runs: the first new run is held until somebody accepts it.
    package var isLost: Bool

    /// Makes a metric from its parts; a run is settled or held, not both.
    package init(
        _ definition: Definition, samples: [String: [Double]], limit: BaselineLimit? = nil,
        held: [String: HeldRun] = [:], heldSince: HeldSince? = nil, anchor: EpochAnchor? = nil,
        jumps: [Double] = [], earlier: EarlierEpoch? = nil, isLost: Bool = false
    ) {
        (self.definition, self.samples, self.limit) = (definition, samples, limit)
        self.held = held.isEmpty ? held : held.filter { samples[$0.key] == nil }
        (self.heldSince, self.anchor, self.jumps, self.earlier) = (heldSince, anchor, jumps, earlier)
        self.isLost = isLost
    }

    package static let mostJumps = 20

    var isEmpty: Bool { samples.isEmpty && held.isEmpty && limit == nil && !isLost }

    /// Whether it has a run's samples in this epoch, settled or held.
    package func has(_ run: String) -> Bool { samples[run] != nil || held[run] != nil }

    /// The runs whose samples it has: settled, held, or of the earlier epoch.
    var runs: Set<String> { Set(samples.keys).union(held.keys).union(earlier?.samples.keys ?? [:].keys) }

    /// The metric with other standings of its runs; runs without samples are ignored.
    func standing(_ standings: [String: Standing]) -> BaselineMetric {
        var metric = self
        for (run, standing) in standings {
            guard let values = metric.samples[run] ?? metric.held[run]?.samples else { continue }
            switch standing {
            case .settled: (metric.samples[run], metric.held[run]) = (values, nil)
            case .held(let why): (metric.samples[run], metric.held[run]) = (nil, HeldRun(why, values))
            }
        }
        return metric
    }

    /// A set of logs' measurement of a cell, including runs without samples.
    package init(_ cell: CellMeasurement) {
        var samples = cell.iterations.filter { !$0.value.isEmpty }.mapValues { _ in [Double]() }
        for run in cell.runs { samples[run.run, default: []] += run.values }
        self.init(
            Definition(
                unit: cell.metric.unit, better: cell.metric.better, formula: cell.formula, counting: cell.counting),
            samples: samples)
    }
}

extension BaselineMetric.Definition: Comparable {
    /// Sorts by formula, counting, unit, then direction, only to make choices deterministic.
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.order.lexicographicallyPrecedes(rhs.order) }

    private var order: [UInt8] {
        Array([formula, counting.rawValue, unit.symbol, better.rawValue].map(\.utf8).joined(separator: [0]))
    }
}

/// A limit imported from another tool's baseline; it applies with or without samples.
package struct BaselineLimit: Sendable, Hashable, Comparable {
    /// The worst passing value, in the metric's unit; finite. If higher is better, it is a minimum.
    package var value: Double
    /// The tool's average, in the metric's unit; `nil` if unknown.
    package var average: Double?

    package init(_ value: Double, average: Double? = nil) { (self.value, self.average) = (value, average) }

    /// Sorts by value, then average, only to make choices deterministic.
    package static func < (lhs: BaselineLimit, rhs: BaselineLimit) -> Bool {
        (lhs.value, lhs.average ?? -.infinity) < (rhs.value, rhs.average ?? -.infinity)
    }
}

package struct BaselineRun: Sendable, Hashable, Comparable {
    package var id: String
    /// Its start; for a run without one, when it was first stored.
    package var startedAt: Timestamp
    /// The measured commit; `nil` if the log has none.
    package var commit: String?
    /// The measured version of the app; `nil` if the run has a commit, or if the log has none.
    package var version: String?
    /// The program that stored it, with its version; `nil` if unknown.
    package var tool: String?

    package init(id: String, startedAt: Timestamp, commit: String? = nil, version: String? = nil, tool: String? = nil) {
        self.id = id
        self.version = commit == nil ? version : nil
        (self.startedAt, self.commit, self.tool) = (startedAt, commit, tool)
    }

    /// Sorts by start, then identifier; the rest only decides between two records of one run.
    package static func < (lhs: BaselineRun, rhs: BaselineRun) -> Bool {
        if lhs.startedAt.isEarlier(than: rhs.startedAt) { return true }
        if rhs.startedAt.isEarlier(than: lhs.startedAt) { return false }
        if lhs.id != rhs.id { return lhs.id.precedesInUTF8(rhs.id) }
        if lhs.startedAt != rhs.startedAt { return lhs.startedAt < rhs.startedAt }
        if lhs.commit != rhs.commit { return (lhs.commit ?? "").precedesInUTF8(rhs.commit ?? "") }
        if lhs.version != rhs.version { return (lhs.version ?? "").precedesInUTF8(rhs.version ?? "") }
        return (lhs.tool ?? "").precedesInUTF8(rhs.tool ?? "")
    }
}

/// An accepted change for the worse, which starts a new epoch of its metric.
package struct AcceptedChange: Sendable, Hashable, Comparable {
    /// The start of the accepted run: samples of earlier runs are neither stored nor used.
    package var at: Timestamp
    package var metric, reason: String
    /// The commit of the run; `nil` if the log has none.
    package var commit: String?
    /// The noise of a time before the change; `nil` if there were too few runs.
    package var noise: EpochNoise?

    package init(at: Timestamp, metric: String, reason: String, commit: String? = nil, noise: EpochNoise? = nil) {
        (self.noise, self.at, self.metric, self.reason) = (noise, at, metric, reason)
        self.commit = commit
    }

    /// Sorts by time, metric, reason, commit, then noise.
    package static func < (lhs: AcceptedChange, rhs: AcceptedChange) -> Bool {
        if lhs.at != rhs.at { return lhs.at < rhs.at }
        if lhs.metric != rhs.metric { return lhs.metric.precedesInUTF8(rhs.metric) }
        if lhs.reason != rhs.reason { return lhs.reason.precedesInUTF8(rhs.reason) }
        if lhs.commit != rhs.commit { return (lhs.commit ?? "").precedesInUTF8(rhs.commit ?? "") }
        let (first, second) = (lhs.noise, rhs.noise)
        return (first?.withinRun ?? -1, first?.betweenRuns ?? -1) < (second?.withinRun ?? -1, second?.betweenRuns ?? -1)
    }
}

/// The variation of a time in an epoch, in logarithms: .03 is about 3 %. The next epoch uses it until it has enough.
package struct EpochNoise: Sendable, Hashable {
    /// Within a run, 0 or more; `nil` if no run had two samples.
    package var withinRun: Double?
    /// Between runs, 0 or more; `nil` if unknown.
    package var betweenRuns: Double?

    package init(withinRun: Double?, betweenRuns: Double?) {
        (self.withinRun, self.betweenRuns) = (withinRun, betweenRuns)
    }
}

/// A run whose samples of a metric are stored, but never compared with.
package struct HeldRun: Sendable, Hashable {
    package var why: Why
    /// The samples, ordered by shard and iteration.
    package var samples: [Double]

    package init(_ why: Why, _ samples: [Double]) { (self.why, self.samples) = (why, samples) }

    package enum Why: String, Sendable, Hashable, CaseIterable {
        case refused
        /// It may have regressed: the data is inconclusive.
        case doubtful
        /// It is the first normal run after a refused one; the next normal run settles both.
        case normal
    }
}

/// What an update does with a run's samples of a metric.
package enum Standing: Sendable, Hashable {
    case settled
    /// They are stored, and not compared with.
    case held(HeldRun.Why)
}

/// The open episode of a metric: since when its runs are held, without a settled run after them.
package struct HeldSince: Sendable, Hashable {
    /// The start of the first held run.
    package var at: Timestamp
    /// The commit of that run; `nil` if unknown.
    package var commit: String?
    /// The number of held runs that were refused or in doubt, 1 or more; it goes on when the list of held runs is full.
    package var runs: Int
}

/// The first settled runs of a time's epoch, which show a slow drift: the window forgets them, the anchor doesn't.
package struct EpochAnchor: Sendable, Hashable {
    /// The starts of the first and of the last of these runs.
    package var from, to: Timestamp
    /// The runs' medians in time order, in the metric's unit; 1 to 30.
    package var medians: [Double]

    package static let mostRuns = 30

    /// The anchor with the settled runs after it, and those before it, which were stored late; `nil` without any.
    static func extended(_ anchor: EpochAnchor?, by settled: [(run: BaselineRun, values: [Double])]) -> EpochAnchor? {
        var (medians, times) = (anchor?.medians ?? [], anchor.map { [$0.from, $0.to] } ?? [])
        let late = settled.filter { run, _ in anchor.map { run.startedAt.isEarlier(than: $0.from) } ?? false }
        for (run, values) in late.reversed() where medians.count < mostRuns {
            guard let median = median(of: values) else { continue }
            medians.insert(median, at: 0)
            times.insert(run.startedAt, at: 0)
        }
        for (run, values) in settled where medians.count < mostRuns {
            guard times.last?.isEarlier(than: run.startedAt) ?? true, let median = median(of: values) else { continue }
            medians.append(median)
            times.append(run.startedAt)
        }
        guard let from = times.first, let to = times.last else { return nil }
        return EpochAnchor(from: from, to: to, medians: medians)
    }

    private static func median(of values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
        return (1_000 * median).rounded() / 1_000
    }
}

/// The epoch that an improvement ended by itself. It is kept until the new epoch fills the window, so
/// `perfgate baseline reopen` can return to it.
package struct EarlierEpoch: Sendable, Hashable {
    package var samples: [String: [Double]]
    package var anchor: EpochAnchor?
}

extension BaselineMetric {
    /// The metric in a new epoch, which keeps the ended one; the same if no run is older than its begin.
    func begun(at epoch: Timestamp, runs: [String: BaselineRun]) -> BaselineMetric {
        let old = samples.filter { runs[$0.key]?.startedAt.isEarlier(than: epoch) ?? true }
        guard !old.isEmpty else { return self }
        var metric = self
        metric.samples = samples.filter { old[$0.key] == nil }
        (metric.held, metric.heldSince, metric.anchor) = ([:], nil, nil)
        metric.earlier = EarlierEpoch(samples: old, anchor: anchor)
        return metric
    }
}

package struct ReleasedRuns: Sendable, Hashable, Comparable {
    package var at: Timestamp
    package var metric, reason: String
    /// The identifiers of the runs, sorted.
    package var runs: [String]

    /// Sorts by time, metric, reason, then runs.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        if lhs.at != rhs.at { return lhs.at < rhs.at }
        let (first, second) = ([lhs.metric, lhs.reason] + lhs.runs, [rhs.metric, rhs.reason] + rhs.runs)
        return first.lexicographicallyPrecedes(second) { $0.precedesInUTF8($1) }
    }
}

/// A maximal series of held runs of a metric without a settled run between them.
package struct HeldEpisode: Sendable, Hashable {
    /// The runs, oldest first; not empty.
    package let runs: [BaselineRun]
    /// Whether no settled run is newer.
    package let isOpen: Bool
}

extension BaselineFile {
    package func episodes(of metric: String) -> [HeldEpisode] {
        guard let stored = metrics[metric], !stored.held.isEmpty else { return [] }
        var episodes: [HeldEpisode] = []
        var current: [BaselineRun] = []
        for run in runs {
            if stored.held[run.id] != nil {
                current.append(run)
            } else if stored.samples[run.id] != nil, !current.isEmpty {
                episodes.append(HeldEpisode(runs: current, isOpen: false))
                current = []
            }
        }
        return episodes + (current.isEmpty ? [] : [HeldEpisode(runs: current, isOpen: true)])
    }

    /// The samples of a metric's settled and held runs, in run order; empty if there is no such metric.
    package func series(of metric: String) -> [(run: BaselineRun, values: [Double])] {
        guard let stored = metrics[metric] else { return [] }
        return runs.compactMap { run in (stored.samples[run.id] ?? stored.held[run.id]?.samples).map { (run, $0) } }
    }

    /// The baseline with its held runs let in for a metric; the same if none are held.
    package func releasing(_ metric: String, reason: String, at now: Timestamp, window: WindowPolicy) -> BaselineFile {
        guard var stored = metrics[metric], !stored.held.isEmpty else { return self }
        let held = stored.held
        for (run, item) in held { stored.samples[run] = item.samples }
        (stored.held, stored.heldSince) = ([:], nil)
        var file = self
        file.metrics[metric] = stored
        // What is let in is usual, so a drift is counted from the newest runs on.
        if let from = stored.anchor?.from {
            stored.anchor = EpochAnchor.extended(nil, by: file.samples(of: metric).suffix(5))
            stored.anchor?.from = from
            file.metrics[metric] = stored
        }
        file.released.append(
            ReleasedRuns(at: now, metric: metric, reason: reason, runs: held.keys.sorted { $0.precedesInUTF8($1) }))
        return file.settled(in: window)
    }

    /// The baseline with a metric's earlier epoch, and without its runs since; `nil` if the epoch isn't kept.
    package func reopening(_ metric: String, window: WindowPolicy) -> BaselineFile? {
        guard let stored = metrics[metric], let earlier = stored.earlier, let last = lastChange(of: metric) else {
            return nil
        }
        var file = self
        file.accepted.removeAll { $0 == last }
        file.metrics[metric] = BaselineMetric(
            stored.definition, samples: earlier.samples, limit: stored.limit, anchor: earlier.anchor,
            jumps: stored.jumps)
        return file.settled(in: window)
    }

    /// The baseline with what follows from its lists: the window of each metric, the anchors, and the open episodes.
    /// - Parameter added: By metric, the number of runs that are refused or in doubt for the first time.
    func settled(in window: WindowPolicy, added: [String: Int] = [:]) -> BaselineFile {
        var file = trimmed(to: window)
        for (id, stored) in file.metrics {
            var metric = stored
            if Metric(id: id, unit: metric.definition.unit, better: metric.definition.better).isTime {
                metric.anchor = EpochAnchor.extended(metric.anchor, by: file.samples(of: id))
            }
            metric.heldSince = file.episodes(of: id).last { $0.isOpen }.map { episode in
                let first = episode.runs[0]
                var since = metrics[id]?.heldSince ?? HeldSince(at: first.startedAt, commit: first.commit, runs: 0)
                let doubted = episode.runs.count { metric.held[$0.id]?.why != .normal }
                since.runs = max(since.runs + (added[id] ?? 0), doubted, 1)
                return since
            }
            if metric.samples.count >= window.runs { metric.earlier = nil }
            if !metric.samples.isEmpty { metric.isLost = false }
            file.metrics[id] = metric
        }
        return file.rebuilt
    }
}
