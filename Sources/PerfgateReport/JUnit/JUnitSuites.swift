import PerfgateCompare
import PerfgateModel

/// A suite of the JUnit report: a page in an environment, or the inputs.
struct JUnitSuite {
    var name: String
    var timestamp: String
    var seconds: Double
    var file: String?
    var line: Int?
    var properties: [(String, String)]
    var cases: [JUnitCase]
}

/// A case of the JUnit report: a metric, or an input.
struct JUnitCase {
    /// The result of a case that didn't simply pass.
    struct Result {
        enum Kind: String {
            case failure, error, skipped
        }

        let kind: Kind
        let type: String?
        let message: String
    }

    var className: String
    var name: String
    var seconds: Double
    var properties: [(String, String)] = []
    /// The anchor of a failing case in the HTML report; `nil` without one.
    var anchor: String?
    var result: Result?
}

/// Splits a report into suites and cases.
struct JUnitSuites {
    let report: GateReport
    private let pages: PageIndex

    init(report: GateReport) {
        self.report = report
        pages = PageIndex(report)
    }

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
        let judged = JUnitCase(className: "perfgate.call", name: "judged", seconds: 0, result: result)
        return JUnitSuite(name: "perfgate.call", timestamp: timestamp, seconds: 0, properties: [], cases: [judged])
    }

    private var timestamp: String {
        let days = report.environments.compactMap { $0.releases?.days.last.map { "\($0.day)T00:00:00" } }
        let starts = (report.runs.compactMap(\.startedAt) + days).filter { $0.utf8.count >= 19 }
        let zoneless = starts.min { $0.precedesInUTF8($1) }.map { String($0.prefix(19)) }
        return zoneless.flatMap { Self.isDateTime($0) ? $0 : nil } ?? "1970-01-01T00:00:00"
    }

    private static func isDateTime(_ text: String) -> Bool {
        let shape = "0000-00-00T00:00:00"
        return text.utf8.count == shape.utf8.count
            && zip(text.utf8, shape.utf8).allSatisfy { byte, expected in
                expected == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == expected
            }
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
                className: "perfgate.\(name)", name: SafeName.text(result.metric.id), seconds: 0,
                properties: properties(result),
                anchor: isFailing ? HTMLAnchor.metric(result.metric.id, of: place) : nil, result: shown)
        }
        return JUnitSuite(
            name: name, timestamp: timestamp, seconds: page?.seconds ?? 0, file: page?.file, line: page?.line,
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
                className: name, name: SafeName.text("\(result.page.name) \(result.metric.id)\(suffix)"), seconds: 0,
                properties: properties(result), result: self.result(result))
        }
        return [JUnitSuite(name: name, timestamp: timestamp, seconds: 0, properties: [], cases: cases)]
    }

    private var inputs: [JUnitSuite] {
        guard !report.faultyInputs.isEmpty else { return [] }
        let cases = report.faultyInputs.map { input in
            let run = input.run.map { " run \($0)" } ?? ""
            return JUnitCase(
                className: "perfgate.inputs", name: SafeName.text(input.path + run), seconds: 0,
                result: JUnitCase.Result(
                    kind: .error, type: input.fault == .notFound ? "perfgate.NoInput" : "perfgate.BadData",
                    message: CleanText.line("\(input.path)\(run): \(input.message)")))
        }
        return [JUnitSuite(name: "perfgate.inputs", timestamp: timestamp, seconds: 0, properties: [], cases: cases)]
    }

    private func result(_ result: CellResult) -> JUnitCase.Result? {
        let message = CleanText.line("\(result.page.name) \(result.metric.id): \(pages.reason(of: result))")
        guard result.isGated else {
            return result.verdict.rank <= Verdict.noBaseline.rank
                ? JUnitCase.Result(kind: .skipped, type: nil, message: "Informational (not gated). \(message)") : nil
        }
        let fails = report.failing.failure(of: result) != nil
        switch result.verdict {
        case .regressed: return JUnitCase.Result(kind: .failure, type: "perfgate.Regression", message: message)
        case .overLimit: return JUnitCase.Result(kind: .failure, type: "perfgate.OverLimit", message: message)
        case .missing, .inconclusive, .noBaseline:
            return fails
                ? JUnitCase.Result(kind: .error, type: "perfgate.\(result.verdict.typeName)", message: message)
                : JUnitCase.Result(kind: .skipped, type: nil, message: message)
        case .waived: return JUnitCase.Result(kind: .skipped, type: nil, message: message)
        case .improved, .passed: return nil
        }
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

extension Verdict {
    fileprivate var typeName: String {
        switch self {
        case .missing: "NotMeasured"
        case .inconclusive: "Inconclusive"
        case .noBaseline, .regressed, .overLimit, .waived, .improved, .passed: "NoBaseline"
        }
    }
}

/// Names that are stable between runs and valid for every JUnit reader: ASCII, limited, unambiguous.
enum SafeName {
    /// The longest name in bytes.
    static let longest = 120

    /// The name with every byte that isn't a letter, a digit or simple punctuation as `%XX`; a longer name is cut and
    /// ends in a hash of the whole, so different names stay different.
    static func text(_ name: String) -> String {
        var result: [UInt8] = []
        for byte in name.utf8 { if isSafe(byte) { result.append(byte) } else { result += Array(escape(byte).utf8) } }
        guard result.count > longest else { return String(decoding: result, as: UTF8.self) }
        return String(decoding: result.prefix(longest - 18), as: UTF8.self) + "~" + hash(name)
    }

    private static func isSafe(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: " ._-/,()+=@".utf8.contains(byte)
        }
    }

    private static func escape(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "%" + (digits.count < 2 ? "0" : "") + digits
    }

    /// FNV-1a of the name's bytes (Fowler, Noll, Vo), as hexadecimal digits.
    private static func hash(_ name: String) -> String {
        let value = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(value, radix: 16)
    }
}
