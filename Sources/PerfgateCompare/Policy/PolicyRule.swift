import PerfgateModel

/// An entry of the configuration's `environments` or `pages`: whom it concerns, and what it says of their metrics.
public struct PolicyRule: Sendable, Hashable {
    /// The fields of an environment that must have these values; empty: every environment.
    public let environment: [String: FieldValue]
    /// The pattern that a page's name must match as a whole (`*` any text, `?` any one character); `nil`: every page.
    public let page: String?
    /// What it says, by the metric's identifier.
    public let metrics: [String: MetricSettings]
    /// Where the page is implemented, as `path` or `path:line`; `nil` where the rule doesn't say.
    public let source: String?
    /// Who answers for the page; `nil` where the rule doesn't say.
    public let owner: String?
    /// Where the rule was configured.
    public let origin: Origin

    /// Makes a rule of its parts.
    public init(
        environment: [String: FieldValue] = [:], page: String? = nil, metrics: [String: MetricSettings] = [:],
        source: String? = nil, owner: String? = nil, from origin: Origin = .builtIn
    ) {
        self.environment = environment
        self.page = page
        self.metrics = metrics
        self.source = source
        self.owner = owner
        self.origin = origin
    }

    /// Whether the rule concerns a page in an environment.
    public func concerns(_ page: Page, in environment: Environment) -> Bool {
        if let pattern = self.page, !NamePattern(pattern).matches(page.name) { return false }
        return environment.has(self.environment)
    }
}
