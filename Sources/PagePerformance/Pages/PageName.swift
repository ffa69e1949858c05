/// The name of a page, for an app that keeps all names in one place:
///
///     extension PageName {
///         static let search: Self = "Search"
///         static let product: Self = "Product"
///     }
///
///     measurePage(.search)
///
/// `perfgate catalogue` reads such declarations, and prints the names in a log that aren't among them.
public struct PageName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name, as in logs, baselines and reports.
    public let rawValue: String

    /// Makes a name from any text; a page without a visible character in its name has no event.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Makes a name from a literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}
