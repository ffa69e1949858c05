import PerfgateModel

/// What a candidate is compared with: the baseline's cells, or those of another set of logs.
package struct Reference: Sendable, Hashable {
    /// One cell of a reference.
    package struct Entry: Sendable, Hashable {
        /// The metric with its unit and direction.
        package var metric: Metric
        /// How its frames were counted.
        package var counting: Counting
        /// The formula's version.
        package var formula: String
        /// The samples by run, oldest run first.
        package var runs: [RunSamples]
        /// The limit that is stored with it, in the metric's unit; `nil`: none.
        package var limit: Setting<Limit>?

        /// Makes an entry of its parts.
        package init(
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
        package var isLimitOnly: Bool { limit != nil && runs.allSatisfy(\.samples.isEmpty) }

        /// The limit as it holds for values of a metric: only where they are of the same unit and direction.
        package func limit(of metric: Metric) -> Setting<Limit>? {
            metric.unit == self.metric.unit && metric.better == self.metric.better ? limit : nil
        }

        /// Whether values of a measurement may be compared with this entry's.
        package func isComparable(with measurement: CellMeasurement) -> Bool {
            formula == measurement.formula && counting == measurement.counting
                && metric.unit == measurement.metric.unit && metric.better == measurement.metric.better
        }
    }

    /// The cells.
    package var cells: [Cell: Entry]
    /// The runs by environment, oldest first.
    package var runs: [Environment: [EnvironmentSummary.BaselineRun]]
    /// How much each run measured of a page, where that is known.
    package var measured: [PageInEnvironment: [String: MeasuredCounts]] = [:]
    /// The pairs of the runs that were measured in turn with the candidate's, by the identifier of the run.
    package var pairs: [String: String] = [:]

    /// Makes a reference of its parts.
    package init(cells: [Cell: Entry] = [:], runs: [Environment: [EnvironmentSummary.BaselineRun]] = [:]) {
        self.cells = cells
        self.runs = runs
    }

    /// Takes measurements as the reference, as `perfgate compare` does.
    package init(_ measurements: Measurements, key: EnvironmentKey) {
        cells = measurements.cells.mapValues {
            Entry(metric: $0.metric, counting: $0.counting, formula: $0.formula, runs: $0.runs)
        }
        runs = [:]
        measured = measurements.pages.mapValues(\.counts)
        pairs = Pairing.pairs(of: measurements.runs)
        for run in measurements.runs {
            let summary = EnvironmentSummary.BaselineRun(id: run.id, commit: run.commit, startedAt: run.startedAt)
            runs[key.environment(of: run.context), default: []].append(summary)
        }
    }

    /// The environments that it knows, sorted.
    package var environments: [Environment] { Set(cells.keys.map(\.environment)).sorted() }
}
