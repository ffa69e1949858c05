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
