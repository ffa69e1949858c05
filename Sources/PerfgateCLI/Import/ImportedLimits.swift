import PerfgateBaselines
import PerfgateIngest
import PerfgateModel

/// What Xcode allows, as metrics of baselines. Where two run destinations are one environment the stricter limit holds.
struct ImportedLimits {
    /// The cells with their limits, by page, metric, then environment.
    let cells: [(cell: Cell, metric: BaselineMetric)]

    init(_ allowances: [XcbaselineImport.Allowance], key: EnvironmentKey) {
        var limits: [Cell: BaselineMetric] = [:]
        for allowance in allowances {
            let cell = Cell(
                page: allowance.page, metric: allowance.metric.id, environment: key.environment(of: allowance.context))
            let metric = Self.metric(allowance)
            limits[cell] = limits[cell].map { Self.stricter($0, metric) } ?? metric
        }
        cells = limits.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The baselines that get limits, sorted.
    var places: [PageInEnvironment] {
        Set(cells.map(\.cell.place)).sorted()
    }

    /// The metrics of one baseline, by identifier.
    func metrics(at place: PageInEnvironment) -> [String: BaselineMetric] {
        let here = cells.filter { $0.cell.page == place.page && $0.cell.environment == place.environment }
        return Dictionary(here.map { ($0.cell.metric, $0.metric) }) { first, _ in first }
    }

    private static func metric(_ allowance: XcbaselineImport.Allowance) -> BaselineMetric {
        BaselineMetric(
            BaselineMetric.Definition(unit: allowance.metric.unit, better: allowance.metric.better), samples: [:],
            limit: BaselineLimit(allowance.bound, average: allowance.average))
    }

    private static func stricter(_ first: BaselineMetric, _ second: BaselineMetric) -> BaselineMetric {
        guard let left = first.limit, let right = second.limit else { return first }
        let isFirst = first.definition.better == .lower ? left < right : right < left
        return isFirst ? first : second
    }
}
