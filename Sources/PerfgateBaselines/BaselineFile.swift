import PerfgateModel

/// The baseline of one page in one environment: the raw samples of some runs, by metric.
///
/// Its parts always agree: runs stand in their order, every sample list belongs to a run and to the running epoch of
/// its metric, no run is without a list, and no metric without a list or a limit.
public struct BaselineFile: Sendable, Hashable {
    /// The page.
    public let page: Page
    /// The known fields of the environment by their stored names.
    public let environment: [String: FieldValue]
    /// The runs by start, then identifier.
    public let runs: [BaselineRun]
    /// The metrics by identifier.
    public let metrics: [String: BaselineMetric]
    /// The changes that were accepted, oldest first, without repetition.
    public let accepted: [AcceptedChange]

    /// Makes a baseline; samples from before their metric's epoch, or of a run that isn't among `runs`, are dropped.
    public init(
        page: Page, environment: [String: FieldValue], runs: [BaselineRun] = [],
        metrics: [String: BaselineMetric] = [:], accepted: [AcceptedChange] = []
    ) {
        let known = Dictionary(runs.map { ($0.id, $0) }) { min($0, $1) }
        let epochs = Dictionary(accepted.map { ($0.metric, $0.at) }) { max($0, $1) }
        var current: [String: BaselineMetric] = [:]
        for (id, metric) in metrics {
            let kept = metric.samples.filter { run, _ in
                known[run].map { Self.isCurrent($0, in: epochs[id]) } ?? false
            }
            guard !kept.isEmpty || metric.limit != nil else { continue }
            current[id] = BaselineMetric(metric.definition, samples: kept, limit: metric.limit)
        }
        let used = Set(current.values.flatMap(\.samples.keys))
        self.page = page
        self.environment = environment
        self.runs = known.values.filter { used.contains($0.id) }.sorted()
        self.metrics = current
        self.accepted = Set(accepted).sorted()
    }

    /// A baseline without runs.
    public init(_ place: PageInEnvironment) {
        let known = place.environment.fields.compactMap { field in field.value.map { (field.name, $0) } }
        self.init(page: place.page, environment: Dictionary(known) { first, _ in first })
    }

    /// Whether it holds no sample list and no limit.
    public var isEmpty: Bool { metrics.isEmpty }

    /// The sample lists of a metric in the order of the runs; none where the metric isn't held.
    public func samples(of metric: String) -> [(run: BaselineRun, values: [Double])] {
        runs.compactMap { run in metrics[metric]?.samples[run.id].map { (run, $0) } }
    }

    /// The page in the environment that a key makes of the stored fields.
    public func place(by key: EnvironmentKey) -> PageInEnvironment {
        PageInEnvironment(page: page, environment: key.environment(ofStored: environment))
    }

    /// The same with at most as many runs as a window holds.
    public func trimmed(to window: WindowPolicy) -> BaselineFile {
        BaselineFile(
            page: page, environment: environment, runs: window.kept(of: runs), metrics: metrics, accepted: accepted)
    }

    /// The same samples under another page's name.
    public func renamed(to page: Page) -> BaselineFile {
        BaselineFile(page: page, environment: environment, runs: runs, metrics: metrics, accepted: accepted)
    }

    private static func isCurrent(_ run: BaselineRun, in epoch: Timestamp?) -> Bool {
        epoch.map { !run.startedAt.isEarlier(than: $0) } ?? true
    }
}
