import PerfgateModel

/// A page that a run must measure, whether a baseline knows it or not.
public struct ExpectedPage: Sendable, Hashable {
    /// The page.
    public let page: Page
    /// The identifiers of the metrics that must be measured; empty: any line of the page will do.
    public let metrics: [String]
    /// How many iterations a run must have of it, positive; `nil`: any number.
    public let iterations: Int?

    /// Makes an expectation of its parts.
    public init(page: Page, metrics: [String] = [], iterations: Int? = nil) {
        self.page = page
        self.metrics = metrics
        self.iterations = iterations
    }
}
