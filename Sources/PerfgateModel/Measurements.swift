/// What a set of logs says, read and collected: the samples by cell, the runs they came in, and what was wrong.
public struct Measurements: Sendable, Hashable {
    /// The runs in the order of their identifiers.
    public var runs: [Run]
    /// The measured cells, also those without a sample.
    public var cells: [Cell: CellMeasurement]
    /// The pages by environment.
    public var pages: [PageInEnvironment: PageMeasurement]
    /// What can be drawn of a page's worst iteration and visit, by page and environment; absent where nothing can.
    public var traces: [PageInEnvironment: PageTrace] = [:]
    /// The inputs that could not be used, in the order of their paths.
    public var faultyInputs: [FaultyInput]
    /// What a person should know, sorted.
    public var diagnostics: [Diagnostic]

    /// Makes a collection of its parts.
    public init(
        runs: [Run] = [], cells: [Cell: CellMeasurement] = [:], pages: [PageInEnvironment: PageMeasurement] = [:],
        faultyInputs: [FaultyInput] = [], diagnostics: [Diagnostic] = []
    ) {
        self.runs = runs
        self.cells = cells
        self.pages = pages
        self.faultyInputs = faultyInputs
        self.diagnostics = diagnostics
    }

    /// The environments with a measured cell or page, sorted.
    public var environments: [Environment] {
        Set(pages.keys.map(\.environment)).union(cells.keys.map(\.environment)).sorted()
    }
}
