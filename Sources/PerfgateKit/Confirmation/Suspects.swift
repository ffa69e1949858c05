import PerfgateCompare
import PerfgateModel

/// The pages that one look suspects and can't convict: what has to be measured again.
public struct Suspects: Sendable, Hashable {
    /// A page to measure again.
    public struct Suspect: Sendable, Hashable {
        /// The page.
        public let page: Page
        /// The identifiers of the metrics that made it one, sorted.
        public let metrics: [String]
        /// The tests that visit it, sorted; empty where the log doesn't say.
        public let tests: [String]

        /// Makes a suspect of its parts.
        public init(page: Page, metrics: [String], tests: [String]) {
            self.page = page
            self.metrics = metrics
            self.tests = tests
        }
    }

    /// The suspects in the order of their pages.
    public let pages: [Suspect]

    /// Makes a list of suspects.
    public init(pages: [Suspect]) {
        self.pages = pages
    }

    /// The suspects of a first look: gated cells of one run that wait for confirmation, or for more data.
    public init(_ report: GateReport) {
        let cells = report.comparisons.filter { $0.isGated && $0.isSuspect }
        let tests = Dictionary(grouping: report.pages, by: \.place.page).mapValues { Set($0.flatMap(\.tests)) }
        pages = Dictionary(grouping: cells, by: \.page).sorted { $0.key < $1.key }.map { page, cells in
            Suspect(
                page: page, metrics: Set(cells.map(\.metric.id)).sorted { $0.precedesInUTF8($1) },
                tests: (tests[page] ?? []).sorted { $0.precedesInUTF8($1) })
        }
    }
}
