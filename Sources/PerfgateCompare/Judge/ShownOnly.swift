import PerfgateModel

/// What comes only from runs that are shown and gate nothing.
struct ShownOnly {
    /// The measured cells.
    let cells: Set<Cell>
    /// The environments: what is expected there and wasn't measured isn't missed.
    let environments: Set<Environment>
    /// The pages of other environments: there, some run that gates should have measured them.
    let pages: Set<PageInEnvironment>

    /// Looks through what was measured.
    init(_ measurements: Measurements) {
        let runs = Set(measurements.runs.filter { $0.whyShownOnly != nil }.map(\.id))
        guard !runs.isEmpty else {
            (cells, environments, pages) = ([], [], [])
            return
        }
        let gating = measurements.cells.filter { _, measurement in
            let ids = Set(measurement.iterations.keys).union(measurement.runs.map(\.run))
            return !ids.isSubset(of: runs)
        }.keys
        cells = Set(measurements.cells.keys).subtracting(gating)
        let shown = Set(measurements.cells.keys.map(\.environment)).subtracting(gating.map(\.environment))
        environments = shown
        pages = Set(cells.map(\.place)).subtracting(gating.map(\.place))
            .filter { !shown.contains($0.environment) }
    }
}
