import PagePerformance
import PerfgateCompare
import PerfgateJSON
import PerfgateModel
import PerfgateStats

/// The hangs that devices reported, as evidence beside an app's verdicts; pairs are of the older and the newer release.
struct FieldHangs {
    private let releases: [String], days: ClosedRange<String>, visits: [Page: [Int]]

    private typealias Hangs = ReleaseTraffic.Hangs

    /// Counts the visits of an app: the events of the metric of visits with the most; without any, of any metric.
    init(_ content: PairContent, app: String) {
        releases = [content.pair.base, content.pair.candidate]
        days = (content.sources.keys.min()?.text ?? "")...(content.sources.keys.max()?.text ?? "")
        let ofVisits = Set([Metric(PageMetric.ttfl), Metric(PageMetric.ttil), .loadFailures].map(\.id))
        let cells = content.releases(of: app).cells
        let known = cells.filter { ofVisits.contains($0.metric.id) }
        visits = (known.isEmpty ? cells : known).reduce(into: [:]) { visits, cell in
            let counts = [\ReleaseDay.base, \.candidate].map { side in
                cell.days.reduce(0) { $0.saturatingSum($1[keyPath: side].histogram.count) }
            }
            visits[cell.page] = zip(visits[cell.page] ?? [0, 0], counts).map { max($0, $1) }
        }
    }

    /// - Parameter app: Its bundle; `nil`: all hangs are of the app.
    func heaviest(of all: ReportedHangs, app: String?) -> ReleaseTraffic.Hangs {
        var reported = [0, 0]
        var stacks: [ReportedHang: [Hangs.Amount?]] = [:]
        for (hang, amount) in all.amounts where app == nil || hang.app == app {
            guard let side = releases.firstIndex(of: hang.release), hang.day.map(days.contains) ?? true
            else { continue }
            reported[side] += Int(amount.hangs)
            let page = hang.labels.last { visits[Page($0)] != nil }
            let stack = ReportedHang(
                release: "", labels: page.map { [$0] } ?? [], frames: hang.frames, isNamed: hang.isNamed)
            stacks[stack, default: [nil, nil]][side] = (stacks[stack]?[side] ?? .init()) + amount
        }
        let ordered = stacks.map { rated($0, $1, reported) }.sorted(by: Self.precedes)
        var counts: [Page?: Int] = [:]
        let listed = ordered.filter { stack in
            counts[stack.page, default: 0] += 1
            return counts[stack.page, default: 0] <= Hangs.mostOfPage
        }.prefix(Hangs.most)
        return Hangs(
            reported: .init(base: reported[0], candidate: reported[1]), stacks: Array(listed),
            left: ordered.count - listed.count)
    }

    /// A stack per thousand visits. A place in a build says nothing of another, and no report nothing of a release.
    private func rated(_ stack: ReportedHang, _ amounts: [Hangs.Amount?], _ reported: [Int]) -> Hangs.Stack {
        let page = stack.labels.first.map { Page($0) }
        let rates = (0...1).map { side in
            let count = (page.map { [$0] } ?? Array(visits.keys)).reduce(0) { $0.saturatingSum(visits[$1]?[side] ?? 0) }
            let none = stack.isNamed && reported[side] > 0 ? Hangs.Amount() : nil
            return count > 0 ? (amounts[side] ?? none)?.perThousand(of: count) : nil
        }
        return Hangs.Stack(page: page, frames: stack.frames, base: rates[0], candidate: rates[1])
    }

    private static func precedes(_ one: Hangs.Stack, _ other: Hangs.Stack) -> Bool {
        for side in [\Hangs.Stack.candidate, \.base] {
            let times = (one[keyPath: side]?.milliseconds ?? -1, other[keyPath: side]?.milliseconds ?? -1)
            if times.0 != times.1 { return times.0 > times.1 }
        }
        let names = [one, other].map { [$0.page?.name ?? ""] + $0.frames }
        return names[0].lexicographicallyPrecedes(names[1]) { $0.precedesInUTF8($1) }
    }
}

extension ReleaseTraffic.Hangs {
    /// What the listed stacks are, in one sentence.
    func sentence(_ traffic: ReleaseTraffic) -> String {
        "Devices reported \(Figure.count(reported.candidate, "hang")) of \(traffic.candidate) and \(reported.base) of "
            + "\(traffic.base). Their stacks are evidence, no verdict: each is one snapshot of one user, and not all "
            + "devices send reports."
    }
}

/// Findings of `view-lint check --format json` by file: where to look if a page got worse. No verdict depends on them.
package struct ViewFindings: Sendable {
    /// The format version that this program reads.
    package static let schema = 1
    static let mostViews = PageSummary.mostLeads - 1
    private static let mostPlaces = 3, longestLead = 300

    /// The highest accepted complexity, at least 1.
    private let limit: Int
    private let views: [String: [View]]

    /// The body of a view, of a modifier or of a style.
    private struct View: Sendable {
        let type: String, unit: String, line: Int, complexity: Int
        /// The complexity in view-lint's baseline; `nil` if it has none.
        let known: Int?
        let findings: [Finding]
    }

    /// A finding of a rule, except complexity, which is part of the view.
    private struct Finding: Sendable { let rule: String, file: String, line: Int }

    /// Parses a document; unknown keys are ignored. The errors contain no advice.
    package init(json bytes: [UInt8]) throws(JSONDocumentError) {
        let root = try JSONDocument(bytes).root
        let schema = try root["schema"]
        guard try schema.int() == Self.schema
        else { throw schema.error(.rule("schema \(try schema.int()) is not known, only \(Self.schema) is")) }
        guard let limit = try root.find("limit")
        else { throw root.error(.rule("there is no limit, as in the baseline of view-lint")) }
        self.limit = try limit.whole(from: 1)
        var views: [String: [View]] = [:]
        for node in try root["views"].elements() {
            let file = try node["file"].string()
            views[file, default: []].append(try Self.view(node, in: file))
        }
        self.views = views
    }

    private static func view(_ node: JSONNode, in file: String) throws(JSONDocumentError) -> View {
        var findings: [Finding] = []
        for finding in try node["findings"].elements() {
            let rule = try finding["rule"].string()
            let place = try finding.optional("file")?.string() ?? file
            let line = try finding["line"].whole(from: 1)
            if rule != "view-body-complexity" { findings.append(Finding(rule: rule, file: place, line: line)) }
        }
        return View(
            type: try node["type"].string(), unit: try node["unit"].string(), line: try node["line"].whole(from: 1),
            complexity: try node["complexity"].whole(from: 0), known: try node.optional("baseline")?.whole(from: 0),
            findings: findings)
    }

    /// Adds leads to the pages that got worse.
    /// - Returns: A diagnostic if no page has a source among the views' files; else `nil`.
    func lead(_ pages: inout [PageSummary], where comparisons: [CellResult]) -> Diagnostic? {
        let worse = Set(comparisons.filter(\.isWorse).map(\.place))
        for index in pages.indices where worse.contains(pages[index].place) {
            pages[index].leads = pages[index].file.map(leads) ?? []
        }
        guard !pages.contains(where: { $0.file.map { views[$0] != nil } ?? false }) else { return nil }
        let example = views.keys.min { $0.precedesInUTF8($1) } ?? "Sources/Search.swift"
        return Diagnostic(
            .unmatchedViews,
            "No page has a source among the files of --views, so they can't be matched: write `source` as "
                + "view-lint writes the file, such as \(CleanText.line(example, most: 200)).")
    }

    /// The leads for remarkable views of a file, the worst first, then the number of omitted ones.
    func leads(in file: String) -> [String] {
        let remarkable = (views[file] ?? []).filter { view in
            view.complexity > limit || isHigher(view) || !view.findings.isEmpty
        }
        return remarkable.sorted { rank($0) < rank($1) }.map(lead)
            .first(Self.mostViews) { "\(Figure.count($0, "more view")) of \(file)" }
            .map { CleanText.line($0, most: Self.longestLead) }
    }

    /// Whether the complexity exceeds what the team accepted.
    private func isHigher(_ view: View) -> Bool { view.complexity > view.known ?? limit }

    private func rank(_ view: View) -> (Int, Int, Int, Int, String) {
        (isHigher(view) ? 0 : 1, -view.complexity, -view.findings.count, view.line, view.type)
    }

    private func lead(_ view: View) -> String {
        let before = view.known.map { $0 == view.complexity ? ", as in the baseline" : ", was \($0) in the baseline" }
        let body =
            "\(CleanText.line(view.type, most: 80)): \(view.unit) \(view.complexity), limit \(limit)\(before ?? "")"
        let rules = Dictionary(grouping: view.findings, by: \.rule).sorted { $0.key.precedesInUTF8($1.key) }
        return ([body] + rules.map { Self.phrase($0, $1) }).joined(separator: "; ")
    }

    /// `closure stored: Search.swift:38, Search.swift:40`.
    private static func phrase(_ rule: String, _ findings: [Finding]) -> String {
        let places = findings.map { finding in
            let name = finding.file.split(separator: "/").last.map(String.init) ?? finding.file
            return (name: name, line: finding.line)
        }.sorted { ($0.name, $0.line) < ($1.name, $1.line) }
        let shown = places.map { "\($0.name):\($0.line)" }.listed(most: mostPlaces)
        return "\(rule.replacing("-", with: " ")): \(shown)"
    }
}

extension JSONNode {
    fileprivate func whole(from least: Int) throws(JSONDocumentError) -> Int {
        let number = try int()
        guard number >= least else { throw error(.rule("\(number) is below \(least)")) }
        return number
    }
}
