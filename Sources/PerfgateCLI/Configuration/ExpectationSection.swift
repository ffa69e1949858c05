import PerfgateCompare
import PerfgateModel

/// Reads the entries of `expected`.
enum ExpectationSection {
    /// The keys of an entry.
    enum Key: String, YAMLKey {
        case page, metrics, iterations
    }

    /// An entry; `nil` where it names no page.
    static func page(_ value: YAMLValue) -> ExpectedPage? {
        let fields = value.fields(Key.self)
        let metrics = fields[.metrics]?.list().compactMap { $0.text("write a metric's name, such as ttil") } ?? []
        let iterations = fields[.iterations]?.integer(atLeast: 1, "write how many iterations a run must have")
        guard let page = fields[.page] else {
            value.lacks(Key.page, "say which page must be measured")
            return nil
        }
        return page.text("write a page's name").map {
            ExpectedPage(page: Page($0), metrics: metrics, iterations: iterations)
        }
    }
}
