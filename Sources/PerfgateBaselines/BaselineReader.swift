import PerfgateJSON
import PerfgateModel

/// Reads the parts of a baseline's document.
enum BaselineReader {
    /// The version of the format that is read and written.
    static let schema = 1

    /// The baseline that a document holds.
    static func read(_ root: JSONNode) throws(JSONDocumentError) -> BaselineFile {
        let schema = try root["schema"]
        guard try schema.int() == Self.schema else { throw schema.breaks(.unknownSchema(try schema.int())) }
        let runs = try runs(root["runs"])
        let ids = Set(runs.map(\.id))
        var metrics: [String: BaselineMetric] = [:]
        for (id, node) in try root["metrics"].members() { metrics[id] = try metric(node, id: id, runs: ids) }
        var accepted: [AcceptedChange] = []
        for node in try root.optional("accepted")?.elements() ?? [] { accepted.append(try change(node)) }
        return BaselineFile(
            page: try page(root["page"]), environment: try fields(root["environment"]), runs: runs, metrics: metrics,
            accepted: accepted)
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

    private static func time(_ node: JSONNode) throws(JSONDocumentError) -> Timestamp {
        guard let time = Timestamp(try node.string()) else { throw node.breaks(.notATime) }
        return time
    }

    private static func metric(
        _ node: JSONNode, id: String, runs: Set<String>
    ) throws(JSONDocumentError) -> BaselineMetric {
        let definition = BaselineMetric.Definition(
            unit: Unit(try node["unit"].string()), better: try word(node.optional("better")) ?? .lower,
            formula: try node["formula"].string(), counting: try word(node.optional("counting")) ?? .exact)
        var samples: [String: [Double]] = [:]
        for (run, list) in try node["samples"].members() {
            guard runs.contains(run) else { throw list.breaks(.unlistedRun) }
            var values: [Double] = []
            for value in try list.elements() { values.append(try value.double()) }
            samples[run] = values
        }
        return BaselineMetric(definition, samples: samples, limit: try limit(node.optional("limit")))
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
            commit: try node.optional("commit")?.string())
    }
}

extension JSONNode {
    /// The error of a value that breaks a rule of the format.
    fileprivate func breaks(_ rule: BaselineRule) -> JSONDocumentError {
        error(.rule(rule.description))
    }
}
