import PerfgateModel

/// What a candidate is compared with: the baseline's cells, or those of another set of logs.
public struct Reference: Sendable, Hashable {
    /// One cell of a reference.
    public struct Entry: Sendable, Hashable {
        /// The metric with its unit and direction.
        public var metric: Metric
        /// How its frames were counted.
        public var counting: Counting
        /// The formula's version.
        public var formula: String
        /// The samples by run, oldest run first.
        public var runs: [RunSamples]
        /// The limit that is stored with it, in the metric's unit; `nil`: none.
        public var limit: Setting<Limit>?

        /// Makes an entry of its parts.
        public init(
            metric: Metric, counting: Counting = .exact, formula: String = "1", runs: [RunSamples],
            limit: Setting<Limit>? = nil
        ) {
            self.limit = limit
            self.metric = metric
            self.counting = counting
            self.formula = formula
            self.runs = runs
        }

        /// Whether it is nothing but a limit, so that nothing can be compared with it.
        public var isLimitOnly: Bool { limit != nil && runs.allSatisfy(\.samples.isEmpty) }

        /// The limit as it holds for values of a metric: only where they are of the same unit and direction.
        public func limit(of metric: Metric) -> Setting<Limit>? {
            metric.unit == self.metric.unit && metric.better == self.metric.better ? limit : nil
        }

        /// Whether values of a measurement may be compared with this entry's.
        public func isComparable(with measurement: CellMeasurement) -> Bool {
            formula == measurement.formula && counting == measurement.counting
                && metric.unit == measurement.metric.unit && metric.better == measurement.metric.better
        }
    }

    /// The cells.
    public var cells: [Cell: Entry]
    /// The runs by environment, oldest first.
    public var runs: [Environment: [EnvironmentSummary.BaselineRun]]
    /// The pairs of the runs that were measured in turn with the candidate's, by the identifier of the run.
    public var pairs: [String: String] = [:]

    /// Makes a reference of its parts.
    public init(cells: [Cell: Entry] = [:], runs: [Environment: [EnvironmentSummary.BaselineRun]] = [:]) {
        self.cells = cells
        self.runs = runs
    }

    /// Takes measurements as the reference, as `perfgate compare` does.
    public init(_ measurements: Measurements, key: EnvironmentKey) {
        cells = measurements.cells.mapValues {
            Entry(metric: $0.metric, counting: $0.counting, formula: $0.formula, runs: $0.runs)
        }
        runs = [:]
        pairs = Pairing.pairs(of: measurements.runs)
        for run in measurements.runs {
            let summary = EnvironmentSummary.BaselineRun(id: run.id, commit: run.commit, startedAt: run.startedAt)
            runs[key.environment(of: run.context), default: []].append(summary)
        }
    }

    /// The environments that it knows, sorted.
    public var environments: [Environment] { Set(cells.keys.map(\.environment)).sorted() }
}
