/// What is compared with its like: a page, a metric and an environment.
package struct Cell: Sendable, Hashable {
    /// The page.
    package let page: Page
    /// The identifier of the metric.
    package let metric: String
    /// The environment.
    package let environment: Environment

    /// Makes a cell of its parts.
    package init(page: Page, metric: String, environment: Environment) {
        self.page = page
        self.metric = metric
        self.environment = environment
    }
}

extension Cell: Comparable {
    /// By page, metric, then environment, each in the order of UTF-8 bytes.
    package static func < (lhs: Cell, rhs: Cell) -> Bool {
        if lhs.page != rhs.page { return lhs.page < rhs.page }
        if lhs.metric != rhs.metric { return lhs.metric.precedesInUTF8(rhs.metric) }
        return lhs.environment < rhs.environment
    }
}

extension Cell {
    /// Its page in its environment.
    package var place: PageInEnvironment { PageInEnvironment(page: page, environment: environment) }
}

/// A page of the app, or a component that is tested alone (`component/Button`).
///
/// Two pages are the same when their names have the same UTF-8 bytes. `String` would also call names equal that only
/// look the same (`é` composed and decomposed), and then the output would depend on which of them was read first.
package struct Page: Sendable {
    /// The name as the log gives it; any text, never empty or only white space.
    package let name: String

    /// Makes a page of a name.
    package init(_ name: String) {
        self.name = name
    }
}

extension Page: Hashable {
    /// Whether both names have the same UTF-8 bytes.
    package static func == (lhs: Page, rhs: Page) -> Bool {
        lhs.name.utf8.elementsEqual(rhs.name.utf8)
    }

    /// Feeds the name's UTF-8 bytes.
    package func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }
}

extension Page: Comparable {
    /// The order of the names' UTF-8 bytes.
    package static func < (lhs: Page, rhs: Page) -> Bool {
        lhs.name.precedesInUTF8(rhs.name)
    }
}

extension Page: CustomStringConvertible {
    /// The name.
    package var description: String { name }
}

/// A page in an environment: what reports give a suite, and baselines a file.
package struct PageInEnvironment: Sendable, Hashable, Comparable {
    /// The page.
    package let page: Page
    /// The environment.
    package let environment: Environment

    /// Makes a place of its parts.
    package init(page: Page, environment: Environment) {
        self.page = page
        self.environment = environment
    }

    /// By page, then environment.
    package static func < (lhs: PageInEnvironment, rhs: PageInEnvironment) -> Bool {
        lhs.page == rhs.page ? lhs.environment < rhs.environment : lhs.page < rhs.page
    }
}
