import PagePerformance
import PerfgateJSON

/// The names that lines of all logs use, each known by a number.
struct LogTables {
    var pages = ByteInterner()
    var tests = ByteInterner()
    var formulas = ByteInterner()
    var contexts: ContextTable
    var metrics = MetricTable()
    private var visitMetrics = VisitMetrics()

    init(options: IngestOptions) {
        contexts = ContextTable(options: options)
    }

    /// The metrics of visits by the formula that a line names; `nil`: the first.
    mutating func visitMetrics(formula: JSONText?) -> [VisitMetrics.Numbered] {
        let number = formula.map { formulas.index(of: $0) }
        return visitMetrics.numbers(formula: number, formulas, &metrics)
    }

    /// The metric of the main thread's hangs.
    mutating func mainThreadHang() -> Int32 { visitMetrics.mainThreadHang(&metrics) }

    /// The metric of a formula that is only tried.
    mutating func candidate(_ name: JSONText) -> Int32 { visitMetrics.candidate(name, &metrics) }

    /// Whether a metric is a visit's scroll thread hang, by whatever formula.
    func isVisitHang(_ metric: Int32) -> Bool { visitMetrics.isThreadHang(metric) }

    /// Whether a metric is one that ticks would give.
    func isFromFrames(_ metric: Int32) -> Bool {
        FrameMetric(rawValue: metrics[metric].metric.id) != nil
    }
}
