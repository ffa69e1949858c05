import PerfgateCompare
import PerfgateModel

/// A suite of the JUnit report: a page in an environment, or the inputs.
struct JUnitSuite {
    var name: String
    var seconds = 0.0
    var file: String?
    var line: Int?
    var properties: [(String, String)] = []
    var cases: [JUnitCase]
}

/// A case of the JUnit report: a metric, or an input.
struct JUnitCase {
    /// The result of a case that didn't simply pass.
    struct Result {
        enum Kind: String { case failure, error, skipped }

        let kind: Kind
        let type: String?
        let message: String
    }

    var className, name: String
    var properties: [(String, String)] = []
    /// The anchor of a failing case in the HTML report; `nil` without one.
    var anchor: String?
    var result: Result?
}

/// Splits a report into suites and cases.
struct JUnitSuites {
    let report: GateReport
    private let pages: PageIndex

    init(report: GateReport) { (self.report, pages) = (report, PageIndex(report)) }

    /// The suite of unusable inputs; one per page and environment, by name; the failures against a pinned reference.
    var suites: [JUnitSuite] {
        let places = Dictionary(grouping: report.comparisons, by: \.place)
        let isAlone = Set(places.keys.map(\.environment)).count <= 1
        let suites =
            inputs + places.sorted { $0.key < $1.key }.map { suite($0.key, $0.value, isAlone: isAlone) } + pinned
        let isSeen = suites.contains { $0.cases.contains { $0.result.map { $0.kind != .skipped } ?? false } }
        return report.exitCode == 0 || isSeen ? suites : [call] + suites
    }

    /// The case of a call that fails although none of its comparisons does, such as one in which nothing was judged.
    private var call: JUnitSuite {
        let result = JUnitCase.Result(
            kind: .error, type: "perfgate.NothingJudged", message: CleanText.line(report.headline))
        let judged = JUnitCase(className: "perfgate.call", name: "judged", result: result)
        return JUnitSuite(name: "perfgate.call", cases: [judged])
    }

    /// The start of the first run, without its zone.
    var timestamp: String {
        let days = report.environments.compactMap { $0.releases?.days.last.map { "\($0.day)T00:00:00" } }
        let starts = (report.runs.compactMap(\.startedAt) + days).filter { $0.utf8.count >= 19 }
        let zoneless = starts.min { $0.precedesInUTF8($1) }.map { String($0.prefix(19)) } ?? ""
        let time = /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}/
        return zoneless.wholeMatch(of: time) == nil ? "1970-01-01T00:00:00" : zoneless
    }

    private func suite(_ place: PageInEnvironment, _ comparisons: [CellResult], isAlone: Bool) -> JUnitSuite {
        let page = pages[place]
        let owner = page?.owner.map { [("owner", $0)] } ?? []
        let suffix = isAlone ? "" : " [\(SafeName.text(place.environment.plainText))]"
        let name = SafeName.text(place.page.name) + suffix
        let cases = comparisons.sorted { $0.metric.id.precedesInUTF8($1.metric.id) }.map { result in
            let shown = self.result(result)
            let isFailing = shown.map { $0.kind != .skipped } ?? false
            return JUnitCase(
                className: "perfgate.\(name)", name: SafeName.text(result.metric.id), properties: properties(result),
                anchor: isFailing ? HTMLAnchor.metric(result.metric.id, of: place) : nil, result: shown)
        }
        return JUnitSuite(
            name: name, seconds: page?.seconds ?? 0, file: page?.file, line: page?.line,
            properties: place.environment.fields.map { ($0.name, $0.text) } + [("page", place.page.name)] + owner,
            cases: cases)
    }

    private var pinned: [JUnitSuite] {
        guard let pinned = report.pinned, !pinned.comparisons.isEmpty else { return [] }
        let name = "perfgate.against.\(SafeName.text(pinned.name))"
        let isAlone = Set(pinned.comparisons.map(\.environment)).count <= 1
        let cases = pinned.comparisons.map { result in
            let suffix = isAlone ? "" : " [\(result.environment.plainText)]"
            return JUnitCase(
                className: name, name: SafeName.text("\(result.page.name) \(result.metric.id)\(suffix)"),
                properties: properties(result), result: self.result(result))
        }
        return [JUnitSuite(name: name, cases: cases)]
    }

    private var inputs: [JUnitSuite] {
        guard !report.faultyInputs.isEmpty else { return [] }
        let cases = report.faultyInputs.map { input in
            let run = input.run.map { " run \($0)" } ?? ""
            let result = JUnitCase.Result(
                kind: .error, type: input.fault == .notFound ? "perfgate.NoInput" : "perfgate.BadData",
                message: CleanText.line("\(input.path)\(run): \(input.message)"))
            return JUnitCase(className: "perfgate.inputs", name: SafeName.text(input.path + run), result: result)
        }
        return [JUnitSuite(name: "perfgate.inputs", cases: cases)]
    }

    private func result(_ result: CellResult) -> JUnitCase.Result? {
        var message: String {
            CleanText.line("\(result.page.name) \(result.metric.id): \(pages.reason(of: result))")
        }
        guard result.isGated else {
            return result.verdict.rank <= Verdict.noBaseline.rank
                ? JUnitCase.Result(kind: .skipped, type: nil, message: "Informational (not gated). \(message)") : nil
        }
        let (kind, type): (JUnitCase.Result.Kind, String)
        switch result.verdict {
        case .improved, .passed: return nil
        case .regressed: (kind, type) = (.failure, "Regression")
        case .overLimit: (kind, type) = (.failure, "OverLimit")
        case .missing: (kind, type) = (.error, "NotMeasured")
        case .inconclusive: (kind, type) = (.error, "Inconclusive")
        case .noBaseline: (kind, type) = (.error, "NoBaseline")
        case .waived: (kind, type) = (.skipped, "")
        }
        let isShown = kind == .failure || kind == .error && report.failing.failure(of: result) != nil
        return isShown
            ? JUnitCase.Result(kind: kind, type: "perfgate.\(type)", message: message)
            : JUnitCase.Result(kind: .skipped, type: nil, message: message)
    }

    private func properties(_ result: CellResult) -> [(String, String)] {
        let unit = result.metric.unit.symbol
        let text = ComparisonText(result)
        var properties: [(String, String)] = []
        func add(_ name: String, _ value: Double?) {
            if let value { properties.append(("perfgate.\(name)", Figure.text(value, unit))) }
        }
        add("baseline", result.baseline?.center)
        add("candidate", result.candidate?.center)
        if result.numbers != nil { properties.append(("perfgate.change", Figure.withUnit(text.change, unit))) }
        add("tolerance", result.tolerance)
        add("limit", result.limit?.value)
        if let shift = text.shift { properties.append(("perfgate.shift", shift)) }
        properties.append(("perfgate.n", String(result.candidate?.count ?? 0)))
        properties.append(("perfgate.verdict", result.verdict.rawValue))
        return properties
    }
}

/// Names that are stable between runs and valid for every JUnit reader: ASCII, limited, unambiguous.
enum SafeName {
    /// The longest name in bytes.
    static let longest = 120

    /// The name with every byte that isn't a letter, a digit or simple punctuation as `%XX`; a longer name is cut and
    /// ends in a hash of the whole, so different names stay different.
    static func text(_ name: String) -> String {
        let safe = name.percentEncoded(except: " ._-/,()+=@")
        guard safe.utf8.count > longest else { return safe }
        return "\(safe.prefix(longest - 18))~\(String(UInt64(fnv1a: name.utf8), radix: 16))"
    }
}
