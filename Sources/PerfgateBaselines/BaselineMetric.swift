import PerfgateModel

/// What a baseline holds of one metric of its page.
package struct BaselineMetric: Sendable, Hashable {
    /// What has to be equal for samples to be comparable.
    package struct Definition: Sendable, Hashable {
        /// The unit of the samples.
        package let unit: Unit
        /// Which values are good.
        package let better: Better
        /// The version of the formula that gave the samples.
        package let formula: String
        /// How frames were counted.
        package let counting: Counting

        /// Makes a definition of its parts.
        package init(unit: Unit, better: Better = .lower, formula: String = "1", counting: Counting = .exact) {
            self.unit = unit
            self.better = better
            self.formula = formula
            self.counting = counting
        }
    }

    /// What has to be equal for samples to be comparable.
    package var definition: Definition
    /// The samples by the identifier of their run, in the order of shard and iteration; an empty list where the run
    /// measured the metric and nothing happened.
    package var samples: [String: [Double]]
    /// What another tool allowed; `nil`: nothing was taken over from one.
    package var limit: BaselineLimit?
    /// The runs whose samples are kept and not compared with, until a later run says whether they are chance.
    package var provisional: Set<String>

    /// Makes a metric of its parts; only runs with a sample list can be provisional.
    package init(
        _ definition: Definition, samples: [String: [Double]], limit: BaselineLimit? = nil,
        provisional: Set<String> = []
    ) {
        self.definition = definition
        self.samples = samples
        self.limit = limit
        self.provisional = provisional.intersection(samples.keys)
    }

    /// The sample lists that are compared with.
    package var settled: [String: [Double]] { samples.filter { !provisional.contains($0.key) } }

    /// The same with all of its runs provisional.
    var doubtful: BaselineMetric {
        BaselineMetric(definition, samples: samples, limit: limit, provisional: Set(samples.keys))
    }

    /// The same once provisional runs were decided: those that are true are settled, the others' samples go.
    func deciding(_ decisions: [String: Bool]) -> BaselineMetric {
        let decided = decisions.filter { provisional.contains($0.key) }
        return BaselineMetric(
            definition, samples: samples.filter { decided[$0.key] != false }, limit: limit,
            provisional: provisional.subtracting(decided.keys))
    }
}

extension BaselineMetric {
    /// What a set of logs measured of a cell, runs without a sample included.
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
    /// By formula, counting, unit, then direction: only so that the choice between two is the same everywhere.
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.order.lexicographicallyPrecedes(rhs.order) }

    private var order: [UInt8] {
        Array([formula, counting.rawValue, unit.symbol, better.rawValue].map(\.utf8).joined(separator: [0]))
    }
}

/// A bound that another tool stored with its baseline: it holds with samples and without.
package struct BaselineLimit: Sendable, Hashable {
    /// The worst value that passes, in the metric's unit; finite. Where higher is better it is a minimum.
    package let value: Double
    /// The average that the tool measured, in the metric's unit; `nil` where it doesn't say.
    package let average: Double?

    /// Makes a limit of its parts.
    package init(_ value: Double, average: Double? = nil) {
        self.value = value
        self.average = average
    }
}

extension BaselineLimit: Comparable {
    /// By value, then average: only so that the choice between two is the same everywhere.
    package static func < (lhs: BaselineLimit, rhs: BaselineLimit) -> Bool {
        (lhs.value, lhs.average ?? -.infinity) < (rhs.value, rhs.average ?? -.infinity)
    }
}

/// A run that a baseline holds samples of.
package struct BaselineRun: Sendable, Hashable {
    /// The identifier.
    package let id: String
    /// When it began; for a run that doesn't say so, when it was first taken in.
    package let startedAt: Timestamp
    /// The commit that was measured; `nil` where the log doesn't say.
    package let commit: String?
    /// The program that took it in, with its version; `nil` where the file doesn't say.
    package let tool: String?

    /// Makes a run of its parts.
    package init(id: String, startedAt: Timestamp, commit: String? = nil, tool: String? = nil) {
        self.id = id
        self.startedAt = startedAt
        self.commit = commit
        self.tool = tool
    }
}

extension BaselineRun: Comparable {
    /// By start, then identifier; the rest only decides between two records of one run.
    package static func < (lhs: BaselineRun, rhs: BaselineRun) -> Bool {
        if lhs.startedAt.isEarlier(than: rhs.startedAt) { return true }
        if rhs.startedAt.isEarlier(than: lhs.startedAt) { return false }
        if lhs.id != rhs.id { return lhs.id.precedesInUTF8(rhs.id) }
        if lhs.startedAt != rhs.startedAt { return lhs.startedAt < rhs.startedAt }
        if lhs.commit != rhs.commit { return (lhs.commit ?? "").precedesInUTF8(rhs.commit ?? "") }
        return (lhs.tool ?? "").precedesInUTF8(rhs.tool ?? "")
    }
}

/// A change for the worse that was accepted, the start of a new epoch of its metric.
package struct AcceptedChange: Sendable, Hashable {
    /// The start of the run that was accepted: samples of earlier runs are neither kept nor used.
    package let at: Timestamp
    /// The identifier of the metric.
    package let metric: String
    /// Why, in the words of who accepted it.
    package let reason: String
    /// The commit of the run; `nil` where the log doesn't say.
    package let commit: String?
    /// The noise of the metric before it, of a time; `nil` where too few runs had shown it.
    package let noise: EpochNoise?

    /// Makes an accepted change of its parts.
    package init(at: Timestamp, metric: String, reason: String, commit: String? = nil, noise: EpochNoise? = nil) {
        self.noise = noise
        self.at = at
        self.metric = metric
        self.reason = reason
        self.commit = commit
    }
}

/// How a time varied in an epoch, in logarithms: .03 is about 3 %. The next one is judged by it until it shows its own.
package struct EpochNoise: Sendable, Hashable {
    /// Within a run, 0 or more; `nil` where no run had two samples.
    package let withinRun: Double?
    /// Between runs, 0 or more; `nil` where it wasn't known.
    package let betweenRuns: Double?

    /// Makes it of its parts.
    package init(withinRun: Double?, betweenRuns: Double?) {
        self.withinRun = withinRun
        self.betweenRuns = betweenRuns
    }
}

extension AcceptedChange: Comparable {
    /// By time, metric, reason, commit, then noise.
    package static func < (lhs: AcceptedChange, rhs: AcceptedChange) -> Bool {
        if lhs.at != rhs.at { return lhs.at < rhs.at }
        if lhs.metric != rhs.metric { return lhs.metric.precedesInUTF8(rhs.metric) }
        if lhs.reason != rhs.reason { return lhs.reason.precedesInUTF8(rhs.reason) }
        if lhs.commit != rhs.commit { return (lhs.commit ?? "").precedesInUTF8(rhs.commit ?? "") }
        let (first, second) = (lhs.noise, rhs.noise)
        return (first?.withinRun ?? -1, first?.betweenRuns ?? -1) < (second?.withinRun ?? -1, second?.betweenRuns ?? -1)
    }
}
