import PerfgateModel
import PerfgateStats

/// The runs of candidate and reference that were measured in turn, matched by `pair` in their logs.
package struct Pairing: Sendable, Hashable {
    /// The candidate's pairs by run identifier; unpaired runs are absent.
    package var candidate: [String: String]
    /// The reference's pairs, in the same form.
    package var reference: [String: String]
    package var isSequence = false

    package init(candidate: [String: String] = [:], reference: [String: String] = [:]) {
        (self.candidate, self.reference) = (candidate, reference)
    }

    package static func pairs(of runs: [Run]) -> [String: String] {
        runs.reduce(into: [:]) { pairs, run in pairs[run.id] = run.pair }
    }

    /// The pairs that only one side has, sorted; empty unless both sides were measured in turn.
    package var unmatched: [String] {
        guard !candidate.isEmpty, !reference.isEmpty else { return [] }
        return Set(candidate.values).symmetricDifference(reference.values).sorted { $0.precedesInUTF8($1) }
    }

    /// The samples of a cell by pair; `nil` if they can't be compared in pairs. Every run with a sample needs a
    /// partner: perfgate leaves out no measurement, so otherwise all samples are compared together, which is valid but
    /// less sensitive. Pairs judged one by one are independent, so a run without its partner is left out there.
    func paired(candidate: [RunSamples], reference: [RunSamples]) throws(StatsError) -> PairedRuns? {
        guard let ours = Self.grouped(candidate, by: self.candidate),
            let theirs = Self.grouped(reference, by: self.reference), !ours.isEmpty,
            isSequence || ours.keys == theirs.keys
        else { return nil }
        let names = ours.keys.filter { theirs[$0] != nil }.sorted { $0.precedesInUTF8($1) }
        return try PairedRuns(names.map { (name: $0, baseline: theirs[$0] ?? [], candidate: ours[$0] ?? []) })
    }

    /// `nil` if a run with samples has no pair.
    private static func grouped(_ runs: [RunSamples], by pairs: [String: String]) -> [String: [[Double]]]? {
        var grouped: [String: [[Double]]] = [:]
        for run in runs where !run.samples.isEmpty {
            guard let pair = pairs[run.run] else { return nil }
            grouped[pair, default: []].append(Array(run.values))
        }
        return grouped
    }
}

/// The reference of a candidate: a baseline's cells, or the cells of other logs.
package struct Reference: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        package var metric: Metric, counting: Counting, formula: String
        /// The samples by run, oldest run first.
        package var runs: [RunSamples]
        /// The samples of all stored runs of the epoch, also of those that aren't compared, oldest first; `nil`: `runs`.
        package var series: [RunSamples]?
        var stored: [RunSamples] { series ?? runs }
        /// The medians of the epoch's first runs, above 0, if the newest five are all later; `nil`: no drift can be seen.
        package var anchor: [Double]?
        /// The jumps of a time from run to run before `series`, in logarithms, oldest first.
        package var jumps: [Double] = []
        /// The stored limit, in the metric's unit; `nil`: none.
        package var limit: Setting<Limit>?
        /// The noise of its earlier epoch; `nil` if there was none, or if it is unknown.
        package var earlier: Noise?

        package init(
            metric: Metric, counting: Counting = .exact, formula: String = "1", runs: [RunSamples],
            limit: Setting<Limit>? = nil
        ) {
            (self.metric, self.counting, self.formula, self.runs, self.limit) = (metric, counting, formula, runs, limit)
        }

        package var isLimitOnly: Bool { limit != nil && runs.allSatisfy(\.samples.isEmpty) }

        /// Only if unit and direction are equal.
        package func limit(of metric: Metric) -> Setting<Limit>? {
            metric.unit == self.metric.unit && metric.better == self.metric.better ? limit : nil
        }

        package func isComparable(with measurement: CellMeasurement) -> Bool {
            formula == measurement.formula && counting == measurement.counting
                && metric.unit == measurement.metric.unit && metric.better == measurement.metric.better
        }
    }

    package var cells: [Cell: Entry]
    /// The runs by environment, oldest first.
    package var runs: [Environment: [EnvironmentSummary.BaselineRun]]
    /// The amount that each run measured of a page, if known.
    package var measured: [PageInEnvironment: [String: MeasuredCounts]] = [:]
    /// The pairs of runs that were measured in turn with the candidate's, by run identifier.
    package var pairs: [String: String] = [:]
    /// The cells whose newest runs are held, so they are still compared with older ones.
    package var held: [Cell: HeldNights] = [:]
    /// The cells that an earlier version's window emptied.
    package var lost: Set<Cell> = []

    package init(cells: [Cell: Entry] = [:], runs: [Environment: [EnvironmentSummary.BaselineRun]] = [:]) {
        (self.cells, self.runs) = (cells, runs)
    }

    /// Uses measurements as the reference, like `perfgate compare`; without quantiles, which have no samples.
    package init(_ measurements: Measurements, key: EnvironmentKey) {
        let measurements = measurements.withoutQuantiles
        cells = measurements.cells.mapValues {
            Entry(metric: $0.metric, counting: $0.counting, formula: $0.formula, runs: $0.runs)
        }
        runs = Dictionary(grouping: measurements.runs) { key.environment(of: $0.context) }.mapValues { runs in
            runs.map { EnvironmentSummary.BaselineRun(id: $0.id, commit: $0.commit, startedAt: $0.startedAt) }
        }
        measured = measurements.pages.mapValues(\.counts)
        pairs = Pairing.pairs(of: measurements.runs)
    }

    package var environments: [Environment] { cells.keys.distinctEnvironments(\.environment).sorted() }
}

/// An open episode of a cell: its newest runs are stored, but never compared with.
package struct HeldNights: Sendable, Hashable {
    /// The start of the first one, and its commit, if known.
    package let since: String, commit: String?
    package let runs: Int
    /// Whether one of them regressed; otherwise all are in doubt, or the newest is the first normal one.
    package let isRefused: Bool
    /// The starts of the runs that the cell is compared with, oldest first.
    package let compared: [String]

    package init(since: String, commit: String?, runs: Int, isRefused: Bool, compared: [String]) {
        (self.since, self.commit, self.runs, self.isRefused) = (since, commit, runs, isRefused)
        self.compared = compared
    }

    /// From this number of nights on, `doctor` names them, and `check` names doubtful ones.
    package static let notable = 3

    /// `refused 9 times since 2026-11-11 (commit 77f0c2e), still compared with 10 runs of 2026-10-29 … 2026-11-10`.
    package var words: String {
        let times = runs == 1 ? "once" : "\(runs) times"
        let commit = commit.map { " (commit \($0.prefix(12)))" } ?? ""
        let days = [compared.first, compared.last].compactMap { $0.map { String($0.prefix(10)) } }
        let span = days.first == days.last ? days.first ?? "" : days.joined(separator: " … ")
        let runs = "still compared with \(Figure.count(compared.count, "run")) of \(span)"
        let base = compared.isEmpty ? "compared with nothing" : runs
        return "\(isRefused ? "refused" : "in doubt") \(times) since \(since.prefix(10))\(commit), \(base)"
    }
}

/// A time, or all pages of an environment, that became slower in many small steps since its epoch began.
package struct BaselineDrift: Sendable, Hashable {
    package let environment: Environment
    /// `nil`: all pages together.
    package let cell: Cell?
    /// The change since the epoch began, as a fraction; above 0.
    package let share: Double

    package var sentence: String {
        let subject = cell.map { "\(MetricCatalog.name(of: $0.metric)) of \($0.page)" } ?? "all pages together"
        return "\(subject) in \(environment): \(words)"
    }

    /// `+12 % since the first runs of its baseline, in steps that each passed`.
    package var words: String {
        "\(Figure.percentage((1_000 * share).rounded() / 1_000)) since the first runs of its baseline, in steps that "
            + "each passed"
    }
}

extension BaselineDrift: Comparable {
    /// Sorts by environment; all pages first, then the largest change.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        if lhs.environment != rhs.environment { return lhs.environment < rhs.environment }
        guard let left = lhs.cell, let right = rhs.cell else { return lhs.cell == nil && rhs.cell != nil }
        return (rhs.share, left) < (lhs.share, right)
    }
}
