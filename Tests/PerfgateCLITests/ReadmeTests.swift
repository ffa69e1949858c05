import Foundation
import PerfgateCompare
import PerfgateJSON
import PerfgateKit
import PerfgateModel
import Testing

/// The README's statements match the program.
struct ReadmeTests {
    static let text: String = {
        let file = GoldenTests.root.appending(path: "README.md")
        return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    }()

    private static func firstColumn(of heading: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0.hasPrefix("| \(heading) |") }) else { return [] }
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|")[0].trimmingCharacters(in: CharacterSet(charactersIn: " `"))
        }
    }

    @Test func showsARealRun() throws {
        let golden = GoldenTests.cases.appending(path: "regression-summary/expected.stdout")
        #expect(Self.text.contains(try String(contentsOf: golden, encoding: .utf8)))
    }

    @Test func itsLogIsSound() throws {
        let block = try #require(Self.text.split(separator: "```json\n").last?.split(separator: "```").first)
        let file = FileManager.default.temporaryDirectory.appending(path: "readme-\(UUID().uuidString).ndjson")
        try String(block).write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let (_, error, code) = try GoldenTests.run(["check", file.path], in: GoldenTests.root)
        #expect(code == 5 && error.split(separator: "\n").count == 1 && error.contains("PG301"), "\(error)")
    }

    @Test func listsEveryExitCode() {
        #expect(Self.firstColumn(of: "exit code") == ExitStatus.allCases.map { String($0.rawValue) })
    }

    @Test func theReportsSchemaListsThemToo() throws {
        let schema = try JSONDocument([UInt8](GoldenTests.run(["schema", "report"], in: GoldenTests.root).0.utf8)).root
        let codes = try schema["properties"]["exit_code"]["enum"].elements().map { try $0.int() }
        // A check never ends like a search.
        #expect(codes == ExitStatus.allCases.filter { $0 != .nothingToFind }.map(\.rawValue))
    }

    @Test func listsTheGatedMetricsOfTheLog() {
        // The hang rate belongs to the screen; all other metrics of the log come from scrolls and visits.
        let gated = MetricCatalog.all.filter {
            $0.isGatedByDefault && ($0.subject != .other || $0.metric.id == "hang_rate")
        }
        #expect(Set(Self.firstColumn(of: "metric")) == Set(gated.map(\.metric.id)))
    }
}
