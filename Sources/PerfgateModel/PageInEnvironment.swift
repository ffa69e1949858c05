/// A page in an environment: what reports give a suite, and baselines a file.
public struct PageInEnvironment: Sendable, Hashable, Comparable {
    /// The page.
    public let page: Page
    /// The environment.
    public let environment: Environment

    /// Makes a place of its parts.
    public init(page: Page, environment: Environment) {
        self.page = page
        self.environment = environment
    }

    /// By page, then environment.
    public static func < (lhs: PageInEnvironment, rhs: PageInEnvironment) -> Bool {
        lhs.page == rhs.page ? lhs.environment < rhs.environment : lhs.page < rhs.page
    }
}
