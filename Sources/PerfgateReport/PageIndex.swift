import PerfgateCompare
import PerfgateModel

/// What a report knows of its pages, found by comparison.
struct PageIndex {
    private let pages: [PageInEnvironment: PageSummary]

    /// Indexes the pages of a report; of a page that is there twice the first counts.
    init(_ report: GateReport) {
        pages = Dictionary(report.pages.map { ($0.place, $0) }) { first, _ in first }
    }

    /// What is known of a place; `nil` where nothing is.
    subscript(place: PageInEnvironment) -> PageSummary? { pages[place] }

    /// What is known of a comparison's page.
    subscript(result: ComparisonResult) -> PageSummary? { pages[result.place] }

    /// Who answers for a comparison's page; `nil` where nobody said.
    func owner(of result: ComparisonResult) -> String? {
        self[result]?.owner.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension PageSummary {
    /// Where it is implemented: `Search.swift:12`, or the file alone; `nil` where the configuration doesn't know.
    var position: String? { file.map { file in line.map { "\(file):\($0)" } ?? file } }
}
