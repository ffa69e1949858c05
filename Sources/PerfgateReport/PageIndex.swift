import PerfgateCompare
import PerfgateModel

struct PageIndex {
    private let pages: [PageInEnvironment: PageSummary]
    private let worst: Set<Cell>
    /// The fields in which the report's environments differ.
    private let distinctive: Set<String>

    init(_ report: GateReport) {
        pages = Dictionary(report.pages.map { ($0.place, $0) }) { first, _ in first }
        let worse = (report.comparisons + (report.pinned?.comparisons ?? [])).filter(\.isWorse)
        let fields = Dictionary(grouping: report.environments.flatMap(\.environment.fields), by: \.name)
        distinctive = Set(fields.filter { Set($0.value.map(\.text)).count > 1 }.keys)
        worst = Set(Dictionary(worse.map { ($0.place, $0.cell) }) { first, _ in first }.values)
    }

    subscript(place: PageInEnvironment) -> PageSummary? { pages[place] }
    subscript(result: CellResult) -> PageSummary? { pages[result.place] }

    /// Where to look for the cause of a comparison, as sentences; empty if it isn't worse, or if nothing is known.
    func leads(of result: CellResult) -> [String] {
        guard result.isWorse else { return [] }
        return [result.why?.lead, result.phases?.sentence].compactMap(\.self)
            + (self[result]?.leads ?? []).map { "\(Self.lookAt) \($0)" }
    }

    func leads(of finding: Finding) -> [String] {
        finding.parts.flatMap { part in
            let isWorst = ([part.result] + part.consequences).contains { worst.contains($0.cell) }
            let page = finding.parts.count > 1 ? "\(CleanText.line(part.result.page.name, most: 60)): " : ""
            return isWorst ? leads(of: part.result).map { page + $0 } : []
        }
    }

    /// The leads for tables, only in the first row of a page.
    func leads(ofRow result: CellResult) -> [String] { worst.contains(result.cell) ? leads(of: result) : [] }

    /// The sentence of a comparison followed by its leads, for single-line output.
    func reason(of result: CellResult) -> String {
        ([result.reason] + leads(of: result).map { $0.hasSuffix(".") ? $0 : $0 + "." }).joined(separator: " ")
    }

    static let lookAt = "Where to look:"

    /// What tells the environment from the report's others, in parentheses after a space; empty with a single one.
    func distinction(of result: CellResult) -> String {
        if case .environment = result.subject { return "" }
        let texts = result.environment.fields.filter { distinctive.contains($0.name) }.map(\.text)
        return texts.isEmpty ? "" : " (\(CleanText.line(texts.joined(separator: ", "), most: 60)))"
    }

    func owner(of result: CellResult) -> String? { self[result]?.owner.flatMap { $0.isEmpty ? nil : $0 } }
}

extension PageSummary {
    /// The source: `Search.swift:12`, or only the file; `nil` if not configured.
    var position: String? { file.map { file in line.map { "\(file):\($0)" } ?? file } }
}

/// The next steps for a page, for several pages together, or for the whole run.
struct NextBlock {
    /// The pages; empty: the whole run.
    let pages: [Page]
    /// The steps, in the order in which to try them; not empty.
    let steps: [NextStep]

    /// The blocks of a report: first the commands that several pages share, then page by page. Each command stands once.
    static func all(of report: GateReport) -> [NextBlock] {
        // A step with the same words for several pages.
        let shared = report.next.unique.grouped { [$0.purpose, $0.command.text] }
        let blocks = shared.grouped { $0.compactMap(\.page) }.map { steps in
            NextBlock(pages: steps[0].compactMap(\.page), steps: steps.map { $0[0] })
        }
        return blocks.filter { $0.pages.count != 1 } + blocks.filter { $0.pages.count == 1 }
    }

    var title: String? { pages.isEmpty ? nil : Finding.names(of: pages) }

    /// The number of failing pages that aren't among some with commands.
    static func pagesLeft(of report: GateReport, beside told: Set<Page>) -> Int {
        let failing = report.comparisons.filter { result in
            result.isGated && result.verdict != .noBaseline && report.failing.failure(of: result) != nil
        }
        return Set(failing.map(\.page) + report.next.compactMap(\.page)).subtracting(told).count
    }

    /// The sentence about failing pages without a block; `nil` if there are none.
    static func remainder(of report: GateReport) -> String? {
        let told = Set(report.next.compactMap(\.page)), left = pagesLeft(of: report, beside: told)
        guard !told.isEmpty, left > 0 else { return nil }
        return "\(Figure.count(left, "more page")) fail\(left == 1 ? "s" : ""): the same commands apply to "
            + "\(left == 1 ? "this page and its metric" : "their pages and metrics")."
    }
}

extension CellResult { var htmlAnchor: String { HTMLAnchor.metric(metric.id, of: place) } }

/// The anchors in the HTML report: functions of the content only.
enum HTMLAnchor {
    /// The anchor of a page in an environment, such as `search-5d1c09a3b2f4`.
    static func page(_ place: PageInEnvironment) -> String {
        let parts = [place.page.name] + place.environment.fields.flatMap { [$0.name, $0.text] }
        return slug(place.page.name) + "-" + hash(parts)
    }

    static func metric(_ metric: String, of place: PageInEnvironment) -> String {
        let slug = slug(metric)
        return page(place) + "-" + (slug == metric ? slug : slug + "-" + hash([metric]))
    }

    /// Lower-case ASCII letters, digits, `_` and `-`, at most 40; `page` if empty.
    private static func slug(_ name: String) -> String {
        var slug: [UInt8] = []
        for scalar in name.unicodeScalars.prefix(40) {
            let byte = scalar.isASCII ? UInt8(scalar.value) : 0
            if byte.isLetterOrDigit || byte == UInt8(ascii: "_") {
                slug.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte)
            } else if let last = slug.last, last != UInt8(ascii: "-") {
                slug.append(UInt8(ascii: "-"))
            }
        }
        if slug.last == UInt8(ascii: "-") { slug.removeLast() }
        return slug.isEmpty ? "page" : String(decoding: slug, as: UTF8.self)
    }

    private static func hash(_ parts: [String]) -> String {
        // A byte that no UTF-8 text contains ends each part.
        UInt64(fnv1a: parts.flatMap { Array($0.utf8) + [0xFF] }).upperDigits
    }
}
