import PerfgateJSON
import PerfgateModel

/// Reads the parts of a baseline's document.
enum BaselineReader {
    /// The format version that is read and written.
    static let schema = 1

    /// The baseline in a document.
    static func read(_ root: JSONNode, _ known: KnownMetrics) throws(JSONDocumentError) -> BaselineFile {
        let schema = try root["schema"]
        guard try schema.int() == Self.schema else { throw schema.breaks(.unknownSchema(try schema.int())) }
        let runs = try runs(root["runs"])
        let ids = Set(runs.map(\.id))
        var metrics: [String: BaselineMetric] = [:]
        for (id, node) in try root["metrics"].members() { metrics[id] = try metric(node, id: id, runs: ids, known) }
        var accepted: [AcceptedChange] = []
        for node in try root.optional("accepted")?.elements() ?? [] { accepted.append(try change(node)) }
        return BaselineFile(
            page: try page(root["page"]), environment: try fields(root["environment"]), runs: runs,
            measured: try measured(root.optional("measured"), runs: ids), metrics: metrics, accepted: accepted)
    }

    private static func page(_ node: JSONNode) throws(JSONDocumentError) -> Page {
        let name = try node.string()
        guard !name.allSatisfy(\.isWhitespace) else { throw node.breaks(.emptyName) }
        return Page(name)
    }

    private static func fields(_ node: JSONNode) throws(JSONDocumentError) -> [String: FieldValue] {
        var fields: [String: FieldValue] = [:]
        for (name, value) in try node.members() where !value.isNull { fields[name] = try field(value) }
        return fields
    }

    private static func field(_ node: JSONNode) throws(JSONDocumentError) -> FieldValue {
        switch node.value.kind {
        case .string: .text(try node.string())
        case .number: .number(try node.double())
        case .bool: .flag(try node.bool())
        case .object, .array, .null: throw node.breaks(.notAField)
        }
    }

    private static func runs(_ node: JSONNode) throws(JSONDocumentError) -> [BaselineRun] {
        var runs: [BaselineRun] = []
        var ids: Set<String> = []
        for element in try node.elements() {
            let id = try element["id"].string()
            guard ids.insert(id).inserted else { throw element.breaks(.repeatedRun) }
            runs.append(
                BaselineRun(
                    id: id, startedAt: try time(element["started_at"]),
                    commit: try element.optional("commit")?.string(), tool: try element.optional("tool")?.string()))
        }
        return runs
    }

    private static func measured(
        _ node: JSONNode?, runs: Set<String>
    ) throws(JSONDocumentError) -> [String: MeasuredCounts] {
        var measured: [String: MeasuredCounts] = [:]
        for (run, node) in try node?.members() ?? [] {
            guard runs.contains(run) else { throw node.breaks(.unlistedRun) }
            measured[run] = try counts(node)
        }
        return measured
    }

    private static func counts(_ node: JSONNode) throws(JSONDocumentError) -> MeasuredCounts {
        let visits = try node.optional("visits")
        var entries: [String: Int] = [:]
        for (metric, count) in try node.optional("entries")?.members() ?? [] { entries[metric] = try count.count() }
        let milliseconds = try node.optional("scroll_ms")
        guard try milliseconds?.double() ?? 0 >= 0 else { throw (milliseconds ?? node).breaks(.negativeCount) }
        return MeasuredCounts(
            iterations: try node["iterations"].count(), scrolls: try node.optional("scrolls")?.count() ?? 0,
            scrollMS: try milliseconds?.double() ?? 0,
            visits: MeasuredCounts.Visits(
                loaded: try visits?.optional("loaded")?.count() ?? 0,
                error: try visits?.optional("error")?.count() ?? 0,
                abandoned: try visits?.optional("abandoned")?.count() ?? 0),
            entries: entries)
    }

    private static func time(_ node: JSONNode) throws(JSONDocumentError) -> Timestamp {
        guard let time = Timestamp(try node.string()) else { throw node.breaks(.notATime) }
        return time
    }

    private static func metric(
        _ node: JSONNode, id: String, runs: Set<String>, _ known: KnownMetrics
    ) throws(JSONDocumentError) -> BaselineMetric {
        let definition = BaselineMetric.Definition(
            unit: Unit(try node["unit"].string()), better: try word(node.optional("better")) ?? .lower,
            formula: try node["formula"].string(), counting: try word(node.optional("counting")) ?? .exact)
        let metric = Metric(id: id, unit: definition.unit, better: definition.better)
        if let problem = known.contradiction(metric) { throw node.breaks(.contradiction(problem)) }
        var samples: [String: [Double]] = [:]
        for (run, list) in try node["samples"].members() {
            guard runs.contains(run) else { throw list.breaks(.unlistedRun) }
            samples[run] = try list.doubles()
        }
        var provisional: Set<String> = []
        for element in try node.optional("provisional")?.elements() ?? [] {
            let run = try element.string()
            guard samples[run] != nil else { throw element.breaks(.runWithoutSamples) }
            guard provisional.insert(run).inserted else { throw element.breaks(.repeatedRun) }
        }
        return BaselineMetric(
            definition, samples: samples, limit: try limit(node.optional("limit")), provisional: provisional)
    }

    private static func limit(_ node: JSONNode?) throws(JSONDocumentError) -> BaselineLimit? {
        guard let node else { return nil }
        return BaselineLimit(try node["value"].double(), average: try node.optional("average")?.double())
    }

    private static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ node: JSONNode?
    ) throws(JSONDocumentError) -> Word? {
        guard let node else { return nil }
        guard let word = Word(rawValue: try node.string()) else {
            throw node.breaks(.unknownWord(Word.allCases.map(\.rawValue)))
        }
        return word
    }

    private static func change(_ node: JSONNode) throws(JSONDocumentError) -> AcceptedChange {
        AcceptedChange(
            at: try time(node["at"]), metric: try node["metric"].string(), reason: try node["reason"].string(),
            commit: try node.optional("commit")?.string(), noise: try noise(node.optional("noise")))
    }

    private static func noise(_ node: JSONNode?) throws(JSONDocumentError) -> EpochNoise? {
        guard let node else { return nil }
        func deviation(_ key: String) throws(JSONDocumentError) -> Double? {
            guard let node = try node.optional(key) else { return nil }
            let value = try node.double()
            guard value >= 0 else { throw node.breaks(.negativeNoise) }
            return value
        }
        return EpochNoise(withinRun: try deviation("within_run"), betweenRuns: try deviation("between_runs"))
    }
}

extension JSONNode {
    /// A whole number, at least 0.
    fileprivate func count() throws(JSONDocumentError) -> Int {
        let count = try int()
        guard count >= 0 else { throw breaks(.negativeCount) }
        return count
    }

    /// The error for a value that breaks a rule of the format.
    fileprivate func breaks(_ rule: BaselineRule) -> JSONDocumentError {
        error(.rule(rule.description))
    }
}

extension BaselineFile {
    /// The largest size in bytes.
    package static let mostBytes = 64 << 20

    /// Parses the bytes of a baseline file.
    ///
    /// - Parameters:
    ///   - path: The file's path for errors; `nil` without one.
    ///   - known: The units and directions that it must not contradict.
    package init(
        reading bytes: [UInt8], path: String? = nil, known: KnownMetrics = KnownMetrics()
    ) throws(BaselineError) {
        guard bytes.count <= Self.mostBytes else { throw BaselineError(.tooLarge, path: path) }
        let repeated: JSONDocument.Duplicate?
        do throws(JSONDocumentError) {
            let document = try JSONDocument(bytes)
            self = try BaselineReader.read(document.root, known)
            repeated = document.duplicates.first
        } catch {
            if let line = ConflictMarker.firstLine(in: bytes) {
                throw BaselineError(.conflictMarker, path: path, line: line)
            }
            throw BaselineError(error, path: path)
        }
        if let repeated { throw BaselineError(repeated, path: path) }
    }
}

/// The rules of the format beyond JSON's grammar; their words end with advice.
enum BaselineRule: CustomStringConvertible {
    /// This version doesn't read the schema.
    case unknownSchema(Int)
    /// A key is repeated in its object.
    case repeatedKey
    /// A name is empty or only white space.
    case emptyName
    /// A field of the environment isn't a text, a number or a Boolean.
    case notAField
    /// A time is invalid.
    case notATime
    /// A run is repeated.
    case repeatedRun
    /// Samples belong to no run of the file.
    case unlistedRun
    /// A provisional run has no samples.
    case runWithoutSamples
    /// A count is below 0.
    case negativeCount
    case negativeNoise
    /// A word isn't allowed here.
    case unknownWord([String])
    /// A unit or direction differs from the metric's; with a clause that explains it.
    case contradiction(String)

    var description: String {
        switch self {
        case .unknownSchema(let schema): "schema \(schema) is unknown, only 1 is supported; update perfgate"
        case .repeatedKey: "the key is repeated in its object; remove one of the two"
        case .emptyName: "the name is empty; write the page's name"
        case .notAField: "expected a string, a number, true or false; write one of these"
        case .notATime: "not a time; write it like 2026-11-20T10:00:00Z"
        case .repeatedRun: "the run is repeated; remove one of the two"
        case .unlistedRun: "the run is not among `runs`; list it there, or remove it here"
        case .runWithoutSamples: "the run has no list under `samples`; remove it here"
        case .negativeCount: "the number is below 0; write the number"
        case .negativeNoise: "a standard deviation is below 0; remove the noise; it will be measured again"
        case .contradiction(let clause): "\(clause); correct it, or remove the metric from the file"
        case .unknownWord(let words): "not a word for this; write \(words.joined(separator: " or "))"
        }
    }
}

/// The marker lines that git writes around the sides of a conflict. None of them can be a line of JSON, whose strings
/// don't span lines, or start a line of a YAML mapping.
package enum ConflictMarker {
    private static let markers = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"].map { Array($0.utf8) }

    /// The first marker line, from 1; `nil` without markers.
    package static func firstLine(in bytes: [UInt8]) -> Int? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.firstIndex { line in markers.contains { line.starts(with: $0) } }.map { $0 + 1 }
    }
}
