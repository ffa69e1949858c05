import PerfgateCompare
import PerfgateJSON
import PerfgateModel

extension ReportReader {
    /// A run with its header's fields.
    static func run(_ node: JSONNode) throws(JSONDocumentError) -> Run {
        var context = Context(try fields(node.optional("fields")))
        for name in Context.names { context[name] = try node.optional(name).flatMap(field) }
        var run = Run(
            id: try node["run_id"].text(), context: context, streams: try node["streams"].list(stream),
            sampleCount: try node["samples"].whole())
        run.whyShownOnly = try node.optional("shown_only")?.text()
        return run
    }

    private static func stream(_ node: JSONNode) throws(JSONDocumentError) -> Run.Stream {
        Run.Stream(
            part: try node.optional("part")?.text(), shard: try node.optional("shard")?.text(),
            path: try node["path"].text(), faults: try node.optional("faults")?.texts() ?? [])
    }

    /// An environment, its fields in the order of the text.
    static func environment(_ node: JSONNode) throws(JSONDocumentError) -> Environment {
        var fields: [Environment.Field] = []
        for (name, value) in try members(node) { fields.append(.init(name: name, value: try field(value))) }
        return Environment(fields)
    }

    /// What is known of a page.
    static func page(_ node: JSONNode) throws(JSONDocumentError) -> PageSummary {
        PageSummary(
            place: PageInEnvironment(
                page: Page(try node["page"].name()), environment: try environment(node["environment"])),
            file: try node.optional("file")?.text(), line: try node.optional("line")?.whole(from: 1),
            owner: try node.optional("owner")?.text(),
            seconds: try node.optional("seconds")?.number(in: 0...Double.greatestFiniteMagnitude) ?? 0,
            tests: try node.optional("tests")?.texts() ?? [], trace: try node.optional("trace").map(trace))
    }

    /// An environment with the runs of its baseline.
    static func environmentSummary(_ node: JSONNode) throws(JSONDocumentError) -> EnvironmentSummary {
        EnvironmentSummary(
            environment: try environment(node["environment"]),
            baselineRuns: try node["baseline_runs"].list(baselineRun), gatedCells: try node["gated"].whole())
    }

    private static func baselineRun(_ node: JSONNode) throws(JSONDocumentError) -> EnvironmentSummary.BaselineRun {
        EnvironmentSummary.BaselineRun(
            id: try node["id"].text(), commit: try node.optional("commit")?.text(),
            startedAt: try node.optional("started_at")?.text())
    }

    private static func fields(_ node: JSONNode?) throws(JSONDocumentError) -> [String: FieldValue] {
        guard let node else { return [:] }
        var fields: [String: FieldValue] = [:]
        for (name, value) in try members(node) { fields[name] = try field(value) }
        return fields
    }

    private static func members(_ node: JSONNode) throws(JSONDocumentError) -> [(key: String, node: JSONNode)] {
        let members = try node.members()
        guard members.count <= JSONNode.mostMembers else { throw node.breaks(.longList(JSONNode.mostMembers)) }
        return members
    }

    private static func field(_ node: JSONNode) throws(JSONDocumentError) -> FieldValue? {
        switch node.value.kind {
        case .string: .text(try node.text())
        case .number: .number(try node.double())
        case .bool: .flag(try node.bool())
        case .null: nil
        case .object, .array: throw node.breaks(.notAField)
        }
    }
}
