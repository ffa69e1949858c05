import Foundation

/// A report format.
package enum Format: String, Sendable, CaseIterable {
    case xcode, github, sarif, json, junit

    /// The report, with a line feed at its end unless it is empty.
    ///
    /// - Parameter root: the folder for relative places.
    package func render(_ comparison: Comparison, root: String) throws -> String {
        switch self {
        case .xcode: comparison.findings.map { $0.xcodeLine(root: root) }.joined()
        case .github: comparison.findings.map(\.githubLine).joined()
        case .sarif: try SARIFReport(comparison).json()
        case .json: try ViewsReport(comparison).json()
        case .junit: comparison.junit
        }
    }
}

extension Finding {
    /// `path:line:column: warning: message [rule]`, with the absolute path for Xcode.
    fileprivate func xcodeLine(root: String) -> String {
        let path = place.file.hasPrefix("/") ? place.file : root + "/" + place.file
        return "\(path):\(place.line):\(place.column): \(severity.rawValue): \(message.onOneLine) [\(rule.rawValue)]\n"
    }

    /// A workflow command: <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>
    fileprivate var githubLine: String {
        let level = isNote ? "notice" : severity.rawValue
        return "::\(level) file=\(place.file.githubProperty),line=\(place.line),col=\(place.column),"
            + "title=\(rule.rawValue)::\(message.githubData)\n"
    }
}

extension String {
    fileprivate var onOneLine: String {
        String(map { $0.isNewline ? " " : $0 })
    }

    fileprivate var githubData: String {
        unicodeScalars.map { scalar in
            switch scalar {
            case "%": "%25"
            case "\r": "%0D"
            case "\n": "%0A"
            default: String(scalar)
            }
        }.joined()
    }

    fileprivate var githubProperty: String {
        githubData.unicodeScalars.map { $0 == ":" ? "%3A" : $0 == "," ? "%2C" : String($0) }.joined()
    }

    /// Escapes text for XML text and attributes; characters that XML 1.0 can't represent become U+FFFD.
    fileprivate var xml: String {
        unicodeScalars.map { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "\t", "\n", "\r": "&#\(scalar.value);"
            case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
            default: String(scalar)
            }
        }.joined()
    }
}

/// The input of `perfgate check --views`: every body, with or without a baseline.
private struct ViewsReport: Encodable {
    struct View: Encodable {
        struct Finding: Encodable {
            let rule: Rule
            let severity: Severity
            let line: Int
            /// If it isn't in the view itself: a helper in an extension in another file.
            let file: String?
        }

        let file: String
        let line: Int
        let type: String
        let unit: String
        let complexity: Int
        let baseline: Int?
        let findings: [Finding]

        enum CodingKeys: CodingKey { case file, line, type, unit, complexity, baseline, findings }

        /// A body that isn't in the baseline has `"baseline": null`.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(file, forKey: .file)
            try container.encode(line, forKey: .line)
            try container.encode(type, forKey: .type)
            try container.encode(unit, forKey: .unit)
            try container.encode(complexity, forKey: .complexity)
            try container.encode(baseline, forKey: .baseline)
            try container.encode(findings, forKey: .findings)
        }
    }

    let schema = 1
    let limit: Int
    let views: [View]

    init(_ comparison: Comparison) {
        let lint = comparison.lint
        let findings = Dictionary(grouping: lint.findings) { lint.owner(of: $0)?.place }
        limit = lint.configuration.limit
        views = lint.units.map { unit in
            let key = Baseline.Key(file: unit.place.file, type: unit.type)
            return View(
                file: unit.place.file, line: unit.place.line, type: unit.type, unit: unit.name,
                complexity: unit.complexity, baseline: comparison.baseline.entries[key]?.numbers[.bodyComplexity],
                findings: (findings[unit.place] ?? []).map {
                    View.Finding(
                        rule: $0.rule, severity: $0.severity, line: $0.place.line,
                        file: $0.place.file == unit.place.file ? nil : $0.place.file)
                })
        }
    }
}

extension Encodable {
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}

extension Lint {
    /// The body of a finding: the body that contains it, else the nearest body of its type.
    func owner(of finding: Finding) -> ViewUnit? {
        let same = units.filter { $0.type == finding.type }
        let inFile = same.filter { $0.place.file == finding.place.file }
        return inFile.first { $0.place == finding.place } ?? inFile.last { $0.place < finding.place } ?? inFile.first
            ?? same.first
    }
}

extension Comparison {
    /// A test case for each body, and for each finding without a body.
    fileprivate var junit: String {
        let gated = Dictionary(grouping: findings.filter { !$0.isNote }) { lint.owner(of: $0)?.place }
        var cases: [(file: String, name: String, findings: [Finding])] = lint.units.map { unit in
            (unit.place.file, "\(unit.type).\(unit.name)", gated[unit.place] ?? [])
        }
        cases += (gated[nil] ?? []).map { ($0.place.file, $0.rule.rawValue, [$0]) }
        let failed = cases.filter { !$0.findings.isEmpty }.count
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        text += "<testsuites name=\"view-lint\" tests=\"\(cases.count)\" failures=\"\(failed)\">\n"
        text +=
            "  <testsuite name=\"view-lint\" tests=\"\(cases.count)\" failures=\"\(failed)\" errors=\"0\" skipped=\"0\">\n"
        for element in cases {
            let head = "    <testcase classname=\"\(element.file.xml)\" name=\"\(element.name.xml)\" time=\"0\""
            guard let first = element.findings.first else {
                text += head + "/>\n"
                continue
            }
            let lines = element.findings.map {
                "\($0.place.file):\($0.place.line): \($0.message) [\($0.rule.rawValue)]"
            }
            text += head + ">\n"
            text += "      <failure type=\"\(first.rule.rawValue)\" message=\"\(first.message.xml)\">"
            text += lines.map(\.xml).joined(separator: "\n") + "</failure>\n    </testcase>\n"
        }
        return text + "  </testsuite>\n</testsuites>\n"
    }
}
