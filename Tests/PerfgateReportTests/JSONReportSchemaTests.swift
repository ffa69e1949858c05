import ComparisonFixtures
import Foundation
import PerfgateJSON
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateReport

/// The published schema covers everything that is written, as far as a tree walk can check. A full validator checks the
/// rest.
struct JSONReportSchemaTests {
    private static func schema() throws -> JSONNode { try JSONDocument(GateReport.jsonSchema).root }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func everythingWrittenIsInTheSchema(seed: UInt64) throws {
        var random = RandomReport(seed: seed)
        let root = try JSONDocument(random.report().json()).root
        #expect(try SchemaWalk(schema: Self.schema()).complaints(about: root) == [], "seed \(seed)")
    }

    @Test func theWalkSeesWhatIsWrong() throws {
        let wrong = #"{"schema": 1, "tool": 5, "odd": 0, "verdict": "fine", "runs": [{"run_id": "r"}]}"#
        let complaints = try SchemaWalk(schema: Self.schema()).complaints(about: JSONDocument(Array(wrong.utf8)).root)
        for complaint in ["tool: number", "odd: unknown", "verdict: fine", "runs[0]: lacks samples"] {
            #expect(complaints.contains(complaint), "\(complaints)")
        }
    }

    @Test func theWordsAreThoseOfTheProgram() throws {
        let definitions = try Self.schema()["$defs"]
        func words(_ node: JSONNode) throws -> [String] { try node["enum"].elements().map { try $0.string() } }
        let comparison = try definitions["comparison"]["properties"]
        #expect(try words(comparison["verdict"]) == Verdict.allCases.map(\.rawValue))
        #expect(try words(comparison["detail"]) == VerdictDetail.allCases.map(\.rawValue))
        let call = try definitions["suggested_command"]["properties"]
        #expect(try words(call["verb"]) == SuggestedCommand.Verb.allCases.map(\.rawValue))
        #expect(
            try words(call["arguments"]["items"]["properties"]["flag"])
                == SuggestedCommand.Flag.allCases.map(\.spelling))
        let step = try comparison["rule"]["items"]["properties"]
        #expect(try words(step["step"]) == RuleStep.Name.allCases.map(\.rawValue))
        #expect(try words(step["found"]) == RuleStep.Found.allCases.map(\.rawValue))
        #expect(try words(step["subject"]) == RuleStep.Subject.allCases.map(\.rawValue))
    }
}

/// Walks over a document with its schema: types, words, required and known keys.
private struct SchemaWalk {
    let schema: JSONNode

    func complaints(about root: JSONNode) throws -> [String] { try complaints(root, schema) }

    private func complaints(_ node: JSONNode, _ reference: JSONNode) throws -> [String] {
        let rule = try resolved(reference)
        if let kinds = try rule.find("type"), try !names(kinds).contains(where: { Self.matches($0, node) }) {
            return ["\(node.path): \(node.value.kind.description.split(separator: " ").last ?? "")"]
        }
        if let words = try rule.find("enum"), case .string(let word) = node.value.content,
            try !words.elements().contains(where: { try $0.string() == word })
        {
            return ["\(node.path): \(word)"]
        }
        switch node.value.kind {
        case .object: return try members(node, rule)
        case .array: return try node.elements().flatMap { try complaints($0, rule["items"]) }
        default: return []
        }
    }

    private func members(_ node: JSONNode, _ rule: JSONNode) throws -> [String] {
        let missing = try rule.find("required")?.elements().filter { try node.find($0.string()) == nil } ?? []
        return try missing.map { "\(node.path): lacks \(try $0.string())" }
            + node.members().flatMap { key, value -> [String] in
                guard let known = try rule.find("properties")?.find(key) ?? rule.find("additionalProperties")
                else { return ["\(value.path): unknown"] }
                return try complaints(value, known)
            }
    }

    private func resolved(_ node: JSONNode) throws -> JSONNode {
        guard let reference = try node.find("$ref")?.string() else { return node }
        return try schema["$defs"][String(reference.split(separator: "/").last ?? "")]
    }

    private func names(_ node: JSONNode) throws -> [String] {
        node.value.kind == .array ? try node.elements().map { try $0.string() } : [try node.string()]
    }

    private static func matches(_ type: String, _ node: JSONNode) -> Bool {
        switch (type, node.value.kind) {
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("null", .null),
            ("number", .number):
            true
        case ("integer", .number): (try? node.int()) != nil
        default: false
        }
    }
}
