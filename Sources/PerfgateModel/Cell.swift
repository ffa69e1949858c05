/// The unit of comparison: a page, a metric and an environment.
package struct Cell: Sendable, Hashable, Comparable {
    package let page: Page
    package let metric: String
    package let environment: Environment
    /// The cached hash, because cells are looked up often.
    private let storedHash: Int

    package init(page: Page, metric: String, environment: Environment) {
        (self.page, self.metric, self.environment) = (page, metric, environment)
        var hasher = Hasher()
        hasher.combine(page)
        hasher.combine(metric)
        hasher.combine(environment)
        storedHash = hasher.finalize()
    }

    package var place: PageInEnvironment { PageInEnvironment(page: page, environment: environment) }

    package static func == (lhs: Cell, rhs: Cell) -> Bool {
        lhs.storedHash == rhs.storedHash && lhs.metric == rhs.metric && lhs.page == rhs.page
            && lhs.environment == rhs.environment
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(storedHash) }

    /// Sorts by page, metric, then environment, each by UTF-8 bytes.
    package static func < (lhs: Cell, rhs: Cell) -> Bool {
        if lhs.page != rhs.page { return lhs.page < rhs.page }
        if lhs.metric != rhs.metric { return lhs.metric.precedesInUTF8(rhs.metric) }
        return lhs.environment < rhs.environment
    }
}

/// A page of the app, or a component that is tested separately (`component/Button`).
///
/// Pages are compared by the UTF-8 bytes of their names. `String` treats names that only look the same as equal (`é`
/// composed and decomposed), which would make the output depend on the reading order.
package struct Page: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The name from the log; any text that isn't empty or only white space.
    package let name: String
    /// The cached hash, because cells are looked up often.
    private let storedHash: Int

    package init(_ name: String) {
        self.name = name
        var hasher = Hasher()
        var bytes = name
        bytes.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        storedHash = hasher.finalize()
    }

    package var description: String { name }

    package static func == (lhs: Page, rhs: Page) -> Bool {
        lhs.storedHash == rhs.storedHash && lhs.name.hasSameUTF8(as: rhs.name)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(storedHash) }

    package static func < (lhs: Page, rhs: Page) -> Bool { lhs.name.precedesInUTF8(rhs.name) }
}

/// A page in an environment: a suite in reports, and a file in baselines.
package struct PageInEnvironment: Sendable, Hashable, Comparable {
    package let page: Page
    package let environment: Environment

    package init(page: Page, environment: Environment) { (self.page, self.environment) = (page, environment) }

    package func cell(_ metric: String) -> Cell { Cell(page: page, metric: metric, environment: environment) }

    package static func < (lhs: PageInEnvironment, rhs: PageInEnvironment) -> Bool {
        lhs.page == rhs.page ? lhs.environment < rhs.environment : lhs.page < rhs.page
    }
}
