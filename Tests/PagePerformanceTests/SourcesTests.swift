import Foundation
import Testing

/// The table of sources names existing tests.
struct SourcesTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The tables' rows as cells.
    private static func rows() throws -> [[String]] {
        let page = root.appending(path: "Sources/PagePerformance/PagePerformance.docc/Sources.md")
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| ") }.map {
            $0.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }.filter { $0.first != "source" }
    }

    private static func tests() throws -> Set<String> {
        var names: Set<String> = []
        for folder in ["Tests", "SwiftUIChecks/Tests"] {
            let url = root.appending(path: folder)
            for path in try FileManager.default.subpathsOfDirectory(atPath: url.path) where path.hasSuffix(".swift") {
                let text = try String(contentsOf: url.appending(path: path), encoding: .utf8)
                names.formUnion(text.matches(of: /@Test\b(?s:.*?)\bfunc (\w+)\(/).map { String($0.output.1) })
            }
        }
        return names
    }

    @Test func everyRowHasATestOrAReason() throws {
        let (rows, tests) = (try Self.rows(), try Self.tests())
        #expect(rows.count > 90)
        for row in rows {
            try #require(row.count == 4, "\(row)")
            let named = row[2].matches(of: /`(\w+)`/).map { String($0.output.1) }
            #expect(!named.isEmpty || !row[3].isEmpty, "\(row[0])")
            for name in named { #expect(tests.contains(name), "\(row[0]): \(name)") }
        }
    }
}
