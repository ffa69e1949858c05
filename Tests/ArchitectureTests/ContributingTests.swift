import Foundation
import Testing

/// The tables of `CONTRIBUTING.md` match the repository.
struct ContributingTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: ImportTests.root.appending(path: path), encoding: .utf8)
    }

    @Test func everyVariableIsExplained() throws {
        let guide = try Self.text("CONTRIBUTING.md")
        let folders = ["Sources", "Tests", ".gitlab"]
        let files = folders.flatMap { folder in
            let names = FileManager.default.enumerator(atPath: ImportTests.root.appending(path: folder).path)
            return (names?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
        }
        let read = files.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".yml") } + ["Package.swift", "action.yml"]
        var variables: Set<String> = []
        for path in read {
            variables.formUnion(try Self.text(path).matches(of: /PERFGATE_[A-Z_]+/).map { String($0.output) })
        }
        try #require(variables.count > 15)
        for variable in variables { #expect(guide.contains("`\(variable)`"), "\(variable)") }
    }

    @Test func everyTargetIsSomethingToTouch() throws {
        let guide = try Self.text("CONTRIBUTING.md")
        let rows = guide.split(separator: "\n").filter { $0.hasPrefix("| `") }.joined()
        let targets = ImportTests.allowed.keys.map { String($0.split(separator: "/").last ?? "") }
        for target in targets where target != "perfgate" {
            #expect(rows.contains("\(target)`"), "\(target)")
        }
    }

    /// A busy machine runs the whole suite in a quarter of an hour.
    @Test func aTimeLimitOnlyEndsATestThatHangs() throws {
        let folder = ImportTests.root.appending(path: "Tests")
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        let limit = /\.timeLimit\(\.(\w+)\((\d+)\)\)/
        for name in names.filter({ $0.hasSuffix(".swift") }) {
            for found in try Self.text("Tests/\(name)").matches(of: limit) {
                #expect(found.output.1 == "minutes" && found.output.2 == "30", "\(name): \(found.output.0)")
            }
        }
    }
}
