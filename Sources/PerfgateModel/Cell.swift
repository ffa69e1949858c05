/// What is compared with its like: a page, a metric and an environment.
public struct Cell: Sendable, Hashable {
    /// The page.
    public let page: Page
    /// The identifier of the metric.
    public let metric: String
    /// The environment.
    public let environment: Environment

    /// Makes a cell of its parts.
    public init(page: Page, metric: String, environment: Environment) {
        self.page = page
        self.metric = metric
        self.environment = environment
    }
}

extension Cell: Comparable {
    /// By page, metric, then environment, each in the order of UTF-8 bytes.
    public static func < (lhs: Cell, rhs: Cell) -> Bool {
        if lhs.page != rhs.page { return lhs.page < rhs.page }
        if lhs.metric != rhs.metric { return lhs.metric.precedesInUTF8(rhs.metric) }
        return lhs.environment < rhs.environment
    }
}
