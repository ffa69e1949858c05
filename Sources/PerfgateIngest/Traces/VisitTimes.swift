import PagePerformance

/// The times of a visit that decide something beside being samples.
struct VisitTimes {
    /// The initial load in ms; `nil` where it gives no sample.
    private(set) var initialLoad: Double?
    /// The first layout in ms; `nil` where it wasn't measured.
    private(set) var firstLayout: Double?
    /// The scroll thread hang in ms; `nil` where it wasn't measured.
    private(set) var threadHang: Double?
    /// Whether there is any finite time of a phase.
    private(set) var hasPhase = false

    /// The times of a visit that lie in columns whose numbers are those of metrics.
    ///
    /// - Parameter metrics: Which metric of visits a number is.
    init(_ visit: VisitTable.Visit, in columns: SampleColumns, _ metrics: [PageMetric?]) {
        for position in visit.range {
            let number = Int(columns.numbers[position])
            let value = columns.values[position]
            guard number < metrics.count, let metric = metrics[number], value.isFinite else { continue }
            hasPhase = true
            switch metric {
            case .ttil: initialLoad = value
            case .ttfl: firstLayout = value
            case .scrollThreadHang: threadHang = value
            default: break
            }
        }
    }

    /// Whether the visit was slower than another: by its initial load, then by its first layout.
    func isSlower(than other: VisitTimes) -> Bool {
        if initialLoad != other.initialLoad { return initialLoad ?? -1 > other.initialLoad ?? -1 }
        return firstLayout ?? -1 > other.firstLayout ?? -1
    }
}
