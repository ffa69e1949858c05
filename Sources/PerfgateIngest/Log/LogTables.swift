import PagePerformance
import PerfgateJSON

/// The names that lines of all logs use, each known by a number.
struct LogTables {
    var pages = ByteInterner()
    var tests = ByteInterner()
    var formulas = ByteInterner()
    var contexts: ContextTable
    var metrics = MetricTable()
    /// Whether there was a line that measures something.
    var hasMeasurement = false
    /// Whether one of them met the conditions of the command line.
    var hasTakenMeasurement = false
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

    /// Which metric of visits each metric is, by its number; shorter than the list of metrics where the rest is none.
    var pageMetrics: [PageMetric?] { visitMetrics.kinds }

    /// Which metric of frames a metric is; `nil` for one that ticks don't give.
    func frameMetric(_ metric: Int32) -> FrameMetric? {
        FrameMetric(rawValue: metrics[metric].metric.id)
    }
}
