import Foundation
import Testing

@testable import PerfgateIngest

/// The statements of the page on other tools are true.
struct DocumentationTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let page = tests.appending(
        path: "../../../Sources/PerfgateCLI/Documentation.docc/OtherTools.md"
    ).standardized

    private static let contributing = tests.appending(path: "../../../CONTRIBUTING.md").standardized

    /// The text between a fence of a kind and the next fence, block by block.
    private static func blocks(of kind: String, in page: URL = contributing) throws -> [String] {
        let text = try String(contentsOf: page, encoding: .utf8)
        return text.components(separatedBy: "```\(kind)\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
    }

    @Test func everyFormatHasItsRow() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        for name in InputFormat.names { #expect(text.contains("\n| `\(name)` |"), "\(name)") }
    }

    /// The documentation's reader equals this test's, except for the import.
    @Test func theExampleIsCode() throws {
        let code = try String(contentsOf: Self.tests.appending(path: "StopwatchReader.swift"), encoding: .utf8)
        let shown = code.replacing("\n@testable import PerfgateIngest\n", with: "").trimmingWhitespace
        #expect(try Self.blocks(of: "swift").contains(shown))
    }

    @Test func theExampleReadsItsFile() throws {
        let text = try #require(Self.blocks(of: "json").first)
        let head = ForeignHead(Array(text.utf8), isWhole: true)
        #expect(StopwatchReader.recognises(head))
        let result = try StopwatchReader.read(ForeignFile(path: "f", bytes: Array(text.utf8)))
        #expect(result.tallies.map(\.read) == [1])
        #expect(result.runs.flatMap(\.cells).map(\.samples).map { $0.map(\.value) } == [[4.5, 0]])
    }

    @Test func theLimitsAreThoseOfTheCode() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        #expect(ForeignFile.sizeLimit == 64 << 20 && text.contains("64 MiB of decompressed text"))
        #expect(
            JSONValueCount.limit == 1_000_000 && XctraceCells.limit == 1_000_000 && text.contains("a million values"))
        #expect(XcresultStore.sizeLimit == 1 << 30 && text.contains("1 GiB together"))
        #expect(MetricKitHistogram.limit == 100_000 && text.contains("count 100,000 values"))
    }

    /// Every mapping rule in the documentation is valid.
    @Test func theRulesAreSound() throws {
        let yaml = try #require(Self.blocks(of: "yaml", in: Self.page).first)
        let patterns = yaml.split(separator: "\n").compactMap { line in
            line.split(separator: "'").dropFirst().first.map(String.init)
        }
        #expect(patterns.count == 3)
        for pattern in patterns { _ = try MappingRule(pattern: pattern) }
    }
}
