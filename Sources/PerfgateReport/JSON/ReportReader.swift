import PerfgateCompare
import PerfgateJSON
import PerfgateModel

/// Reads the parts of a JSON report.
enum ReportReader {
    /// The report that a document holds.
    static func report(_ root: JSONNode) throws(JSONDocumentError) -> GateReport {
        let schema = try root["schema"]
        guard try schema.int() == GateReport.schema else { throw schema.breaks(.unknownSchema(try schema.int())) }
        return GateReport(
            tool: try root["tool"].text(), outcome: try root["verdict"].word(), exitCode: try code(root["exit_code"]),
            failing: try failing(root["failing"]), headline: try root["headline"].text(),
            notes: try root["notes"].texts(), runs: try list(root, "runs", run),
            comparisons: try list(root, "comparisons", comparison), pinned: try pinned(root.optional("pinned")),
            pages: try list(root, "pages", page),
            environments: try list(root, "environments", environmentSummary),
            faultyInputs: try list(root, "faulty_inputs", faultyInput),
            diagnostics: try list(root, "diagnostics", diagnostic), next: try list(root, "next", step))
    }

    private static func list<Element>(
        _ root: JSONNode, _ key: String, _ read: (JSONNode) throws(JSONDocumentError) -> Element
    ) throws(JSONDocumentError) -> [Element] {
        try root[key].list(read)
    }

    private static func pinned(_ node: JSONNode?) throws(JSONDocumentError) -> PinnedFindings? {
        guard let node else { return nil }
        return PinnedFindings(
            name: try node["name"].text(), comparisons: try list(node, "comparisons", comparison))
    }

    private static func code(_ node: JSONNode) throws(JSONDocumentError) -> Int {
        guard let status = ExitStatus(rawValue: try node.int()) else { throw node.breaks(.unknownCode) }
        return status.rawValue
    }

    private static func failing(_ node: JSONNode) throws(JSONDocumentError) -> FailingKinds {
        FailingKinds(
            inconclusive: try node[Verdict.inconclusive.rawValue].bool(), suspects: try node["suspects"].bool(),
            noBaseline: try node[Verdict.noBaseline.rawValue].bool(),
            missing: try node[Verdict.missing.rawValue].bool())
    }

    private static func faultyInput(_ node: JSONNode) throws(JSONDocumentError) -> FaultyInput {
        FaultyInput(
            path: try node["path"].text(), run: try node.optional("run")?.text(), fault: try node["fault"].word(),
            message: try node["message"].text())
    }

    private static func diagnostic(_ node: JSONNode) throws(JSONDocumentError) -> Diagnostic {
        Diagnostic(
            try node["code"].word(), severity: try node["severity"].word(), path: try node.optional("path")?.text(),
            line: try node.optional("line")?.whole(from: 1), try node["message"].text())
    }

    private static func step(_ node: JSONNode) throws(JSONDocumentError) -> NextStep {
        NextStep(
            page: try node.optional("page").map { node throws(JSONDocumentError) in Page(try node.name()) },
            purpose: try node["purpose"].text(), command: try command(node["command"]))
    }

    private static func command(_ node: JSONNode) throws(JSONDocumentError) -> String {
        let command = try node.text()
        guard PastedCommand.isKnown(command) else { throw node.breaks(.notACommand) }
        return command
    }
}
