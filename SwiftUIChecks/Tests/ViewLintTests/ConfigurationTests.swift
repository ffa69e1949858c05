import Foundation
import Testing

@testable import ViewLint

@Suite struct ConfigurationTests {
    private static let page = testFolder.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/PerfgateCLI/Documentation.docc/ViewChecks.md")

    @Test(.enabled(if: FileManager.default.fileExists(atPath: page.path), "the package stands alone"))
    func readsTheSettingsOfThePage() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let block = try #require(text.split(separator: "```yaml\n").dropFirst().first?.split(separator: "```").first)
        let configuration = try Configuration(yaml: String(block), file: "page.yml")
        #expect(configuration.limit == 10)
        #expect(configuration.baseline == "known-views.json")
        #expect(configuration.exclude == ["Generated"])
        #expect(configuration.builders == ["Card", "extra:"])
        #expect(configuration.actions == ["track"])
        #expect(configuration.notViews == ["Tracker"])
        #expect(configuration.rules == [.closureStored: .off, .formatterInBody: .error])
    }

    @Test(arguments: ["", "{}", "schema: 1\npages: []", "views: {}"])
    func hasDefaultsForEverything(_ yaml: String) throws {
        #expect(try Configuration(yaml: yaml, file: "perfgate.yml") == Configuration())
    }
}

@Suite struct BaselineTests {
    private let key = Baseline.Key(file: "A.swift", type: "A")

    private func baseline(_ numbers: [Rule: Int]) -> Baseline {
        var baseline = Baseline()
        baseline.entries[key] = Baseline.Entry(numbers: numbers, reason: nil)
        return baseline
    }

    @Test func neverRaisesANumberWithoutAReason() {
        var known = baseline([.bodyComplexity: 12, .formatterInBody: 2])
        let refused = known.update(
            with: [key: [.bodyComplexity: 14, .formatterInBody: 1, .changingIdentity: 1]], accepting: nil
        ) { _ in true }
        #expect(refused.map(\.key) == [key])
        #expect(refused.map(\.rules) == [[.bodyComplexity, .changingIdentity]])
        #expect(known == baseline([.bodyComplexity: 12, .formatterInBody: 1]))
    }

    @Test func keepsEntriesOfFilesThatWereNotChecked() {
        var known = baseline([.bodyComplexity: 12])
        #expect(known.update(with: [:], accepting: nil) { $0.file == "B.swift" }.isEmpty)
        #expect(known == baseline([.bodyComplexity: 12]))
        #expect(known.update(with: [:], accepting: nil) { _ in true }.isEmpty)
        #expect(known == Baseline())
    }

    @Test func readsWhatItWrites() throws {
        var known = baseline([.bodyComplexity: 12, .observedObjectCreated: 1])
        known.entries[Baseline.Key(file: "a \"b\"\\\n.swift", type: "R<D>")] = Baseline.Entry(
            numbers: [.bodyComplexity: 11], reason: "why\t\u{1}")
        #expect(try Baseline(json: Data(known.json.utf8), file: "views.json") == known)
        #expect(try Baseline(json: Data(Baseline().json.utf8), file: "views.json") == Baseline())
    }

    @Test(arguments: [1, 4], ["\n", "\r\n"])
    func marksOfAMergeConflictAreNamed(_ line: Int, _ end: String) {
        var lines = baseline([.bodyComplexity: 12]).json.split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        lines.insert("<<<<<<< ours", at: line - 1)
        let data = Data(lines.joined(separator: end).utf8)
        let error = #expect(throws: Baseline.Fault.self) { try Baseline(json: data, file: "b.json") }
        #expect(error?.description.hasPrefix("b.json:\(line): marks of a merge conflict: ") == true)
    }
}
