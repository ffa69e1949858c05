import Foundation

/// SARIF 2.1.0 for code scanning: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>
struct SARIFReport: Encodable {
    struct Text: Encodable { let text: String }
    struct RuleDescription: Encodable {
        struct Defaults: Encodable { let level: String }
        let id: String
        let shortDescription: Text
        let defaultConfiguration: Defaults
    }
    struct Driver: Encodable {
        let name = "view-lint"
        let rules: [RuleDescription]
    }
    struct Tool: Encodable { let driver: Driver }
    struct Artifact: Encodable { let uri: String }
    /// Only the line: columns would have to count UTF-16.
    struct Region: Encodable { let startLine: Int }
    struct PhysicalLocation: Encodable {
        let artifactLocation: Artifact
        let region: Region
    }
    struct Location: Encodable { let physicalLocation: PhysicalLocation }
    struct Result: Encodable {
        let ruleId: String
        let ruleIndex: Int
        let level: String
        let message: Text
        let locations: [Location]
        /// The baseline's key and, if a type has several findings of a rule, their order.
        let partialFingerprints: [String: String]
    }
    struct Run: Encodable {
        let tool: Tool
        let results: [Result]
    }

    let schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    let version = "2.1.0"
    let runs: [Run]

    enum CodingKeys: String, CodingKey { case schema = "$schema", version, runs }

    init(_ comparison: Comparison) {
        let rules = Rule.allCases
        var seen: [String: Int] = [:]
        let results = comparison.findings.map { finding in
            let order = seen[finding.key, default: 0]
            seen[finding.key] = order + 1
            let location = PhysicalLocation(
                artifactLocation: Artifact(uri: finding.place.file.uri),
                region: Region(startLine: finding.place.line))
            return Result(
                ruleId: finding.rule.rawValue, ruleIndex: rules.firstIndex(of: finding.rule) ?? 0,
                level: finding.severity.rawValue, message: Text(text: finding.message),
                locations: [Location(physicalLocation: location)],
                partialFingerprints: ["viewLintKey/v1": "\(finding.key)|\(order)"])
        }
        let descriptions = rules.map { rule in
            RuleDescription(
                id: rule.rawValue, shortDescription: Text(text: rule.summary),
                defaultConfiguration: .init(level: rule.severity == .off ? "none" : rule.severity.rawValue))
        }
        runs = [Run(tool: Tool(driver: Driver(rules: descriptions)), results: results)]
    }
}

extension String {
    /// A relative or absolute path as a URI reference.
    fileprivate var uri: String {
        let path = addingPercentEncoding(
            withAllowedCharacters: .urlPathAllowed.subtracting(CharacterSet(charactersIn: ":")))
        return (hasPrefix("/") ? "file://" : "") + (path ?? self)
    }
}
