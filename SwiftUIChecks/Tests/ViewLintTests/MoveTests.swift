import Foundation
import Testing

@testable import ViewLint

/// A type keeps its baseline when its file is moved or renamed.
@Suite struct MoveTests {
    private static let large = "VStack { HStack { ZStack {} } }"

    private func view(_ name: String, _ body: String = Self.large) -> String {
        "struct \(name): View { var body: some View { \(body) } }"
    }

    private func key(_ file: String, _ type: String = "V") -> Baseline.Key { Baseline.Key(file: file, type: type) }

    private func baseline(_ keys: Baseline.Key..., rule: Rule = .bodyComplexity) -> Baseline {
        var baseline = Baseline()
        for key in keys { baseline.entries[key] = Baseline.Entry(numbers: [rule: 3], reason: "known") }
        return baseline
    }

    /// The moves, and the findings left.
    private func follow(
        _ baseline: Baseline, _ files: [String: String], elsewhere: Set<String> = []
    ) async throws -> (moves: [Move], new: [Place]) {
        var known = baseline
        let lint = try await lint(files, Configuration(limit: 2))
        let moves = known.follow(lint) { elsewhere.contains($0.file) }
        #expect(known.entries.count == baseline.entries.count)
        return (moves, Comparison(lint, with: known).findings.filter { !$0.isNote }.map(\.place))
    }

    @Test func anEntryFollowsItsTypeToTheOnlyPlace() async throws {
        let (moves, new) = try await follow(baseline(key("Old/V.swift")), ["New/V.swift": view("V")])
        #expect(moves == [.follows(key("Old/V.swift"), to: "New/V.swift")])
        #expect(new == [])
        let renamed = try await follow(
            baseline(key("V.swift")), ["W.swift": view("V"), "X.swift": view("X", "Text(x)")])
        #expect(renamed.moves == [.follows(key("V.swift"), to: "W.swift")])
        #expect(renamed.new == [])
    }

    @Test func anEntryStaysWhereItsFileStillHasTheType() async throws {
        let files = ["A.swift": view("V", "Text(x)"), "B.swift": view("V")]
        let (moves, new) = try await follow(baseline(key("A.swift")), files)
        #expect(moves == [])
        #expect(new.map(\.file) == ["B.swift"])
        let extended = try await follow(
            baseline(key("A.swift")), ["A.swift": "extension V { var a: Int { 1 } }", "B.swift": view("V")])
        #expect(extended.moves == [])
        let unchecked = try await follow(baseline(key("A.swift")), ["B.swift": view("V")], elsewhere: ["A.swift"])
        #expect(unchecked.moves == [])
        let broken = try await follow(baseline(key("A.swift")), ["A.swift": "struct V: View {", "B.swift": view("V")])
        #expect(broken.moves == [])
    }

    @Test func twoPossiblePlacesAreUnclear() async throws {
        let (moves, new) = try await follow(
            baseline(key("V.swift")), ["B.swift": view("V", "Text(x)"), "A.swift": view("V")])
        #expect(moves == [.unclear(key("V.swift"), candidates: ["A.swift", "B.swift"])])
        #expect(new.map(\.file) == ["A.swift"])
        let clean = view("V", "Text(x)")
        #expect(try await follow(baseline(key("V.swift")), ["B.swift": clean, "A.swift": clean]).moves == [])
        // A place with an entry of its own isn't possible.
        let known = try await follow(
            baseline(key("V.swift"), key("B.swift")), ["A.swift": view("V"), "B.swift": view("V")])
        #expect(known.moves == [.follows(key("V.swift"), to: "A.swift")])
        #expect(known.new == [])
    }

    @Test func twoEntriesForOnePlaceStay() async throws {
        let (moves, new) = try await follow(
            baseline(key("A/V.swift"), key("B/V.swift")), ["C/V.swift": view("V")])
        #expect(moves == [.contested([key("A/V.swift"), key("B/V.swift")], file: "C/V.swift")])
        #expect(new.map(\.file) == ["C/V.swift"])
    }

    @Test func extensionsFollowByTheirNamesOrTheirFindings() async throws {
        let formatter = "extension V { var row: some View { Text(DateFormatter().string(from: x)) } }"
        let plain = "extension V { var count: Int { 1 } }"
        var known = baseline(key("V.swift"))
        known.entries[key("V+Row.swift")] = Baseline.Entry(numbers: [.formatterInBody: 1], reason: nil)
        let body = view("V", Self.large + ".overlay(row)")
        let both = try await follow(
            known, ["V/V.swift": body, "V/V+Row.swift": formatter, "V/V+Count.swift": plain])
        #expect(
            Set(both.moves.map { "\($0)" })
                == Set(
                    [Move.follows(key("V+Row.swift"), to: "V/V+Row.swift"), .follows(key("V.swift"), to: "V/V.swift")]
                        .map { "\($0)" }))
        let renamed = try await follow(known, ["V.swift": body, "Rows.swift": formatter, "V+Count.swift": plain])
        #expect(renamed.moves == [.follows(key("V+Row.swift"), to: "Rows.swift")])
        // An extension without findings isn't a place for the body's number.
        let own = try await follow(baseline(key("V.swift")), ["W.swift": view("V"), "V+Count.swift": plain])
        #expect(own.moves == [.follows(key("V.swift"), to: "W.swift")])
    }

    @Test func nestedTypesFollowByTheirWholeNames() async throws {
        let nested = "struct Outer { \(view("V")) }"
        let (moves, _) = try await follow(
            baseline(key("Old.swift", "Outer.V")), ["New.swift": nested, "V.swift": view("V", "Text(x)")])
        #expect(moves == [.follows(key("Old.swift", "Outer.V"), to: "New.swift")])
    }

    @Test func anEntryOfNoTypeStays() async throws {
        let known = baseline(key("Old.swift", ""), key("Old.swift", "Gone"), rule: .suppression)
        #expect(try await follow(known, ["New.swift": view("V")]).moves == [])
    }
}

@Suite struct RuleTests {
    private let files = [
        "V.swift": """
        struct V: View {
          let onTap: () -> Void
          var body: some View { if a { VStack {} } else { HStack { Text(DateFormatter().string(from: d)) } } }
        }
        """
    ]

    @Test func findingsHaveTheConfiguredSeverity() async throws {
        var configuration = Configuration(limit: 1)
        #expect(
            try await lint(files, configuration).findings.map { "\($0.rule) \($0.severity)" } == [
                "closureStored note", "bodyComplexity warning", "formatterInBody warning",
            ])
        for rule in Rule.allCases { configuration.rules[rule] = .error }
        let all = try await lint(files, configuration)
        #expect(all.findings.map(\.rule) == [.closureStored, .branches, .bodyComplexity, .formatterInBody])
        #expect(all.findings.allSatisfy { $0.severity == .error })
        #expect(Comparison(all, with: Baseline()).hasError)
        for rule in Rule.allCases { configuration.rules[rule] = .off }
        #expect(try await lint(files, configuration).findings.isEmpty)
    }

    @Test(arguments: Rule.allCases, Severity.allCases)
    func everyRuleCanBeSet(_ rule: Rule, _ severity: Severity) throws {
        let yaml = "views: {rules: {\(rule.rawValue): \(severity.rawValue)}}"
        #expect(try Configuration(yaml: yaml, file: "a.yml").severity(of: rule) == severity)
    }

    @Test(arguments: [
        "views: {rules: {branches: }}", "views: {rules: {branches: [off]}}", "views: {rules: }",
        "views: {rules: {branches: true}}", "views: {rules: {[a]: off}}", "views: {rules: {branches: Off}}",
    ])
    func othersAreErrors(_ yaml: String) {
        #expect(throws: Configuration.Fault.self) { try Configuration(yaml: yaml, file: "a") }
    }

    @Test func knownNotesAreQuiet() async throws {
        let lint = try await lint(files)
        var known = Baseline()
        #expect(known.update(with: lint.numbers, accepting: "why") { _ in true }.isEmpty)
        #expect(known.entries.values.map(\.numbers) == [[.closureStored: 1, .formatterInBody: 1]])
        let after = Comparison(lint, with: try Baseline(json: Data(known.json.utf8), file: "b"))
        #expect(after.findings.isEmpty)
        #expect(after.knownCount == 2)
        // A file of an older version has no notes: they are shown as before.
        let old = #"{"schema": 1, "views": [{"file": "V.swift", "type": "V", "formatter-in-body": 1}]}"#
        let older = Comparison(lint, with: try Baseline(json: Data(old.utf8), file: "b"))
        #expect(older.findings.map(\.rule) == [.closureStored])
        #expect(!older.isWorse)
    }

    @Test func aRuleThatIsOffKeepsItsNumbers() async throws {
        var known = Baseline()
        let key = Baseline.Key(file: "V.swift", type: "V"), gone = Baseline.Key(file: "V.swift", type: "W")
        known.entries[key] = Baseline.Entry(numbers: [.closureStored: 4, .changingIdentity: 1], reason: "a")
        known.entries[gone] = Baseline.Entry(numbers: [.closureStored: 1, .changingIdentity: 1], reason: "b")
        for reason in [nil, "c"] {
            _ = known.update(with: [key: [.formatterInBody: 1]], accepting: reason, ignoring: [.closureStored]) { _ in
                true
            }
            #expect(known.entries[gone]?.numbers == [.closureStored: 1])
            #expect(known.entries[key]?.numbers[.closureStored] == 4)
            #expect(known.entries[key]?.numbers[.changingIdentity] == nil)
        }
    }

    @Test func aSuppressionOfARuleThatIsOffStays() async throws {
        var configuration = Configuration()
        configuration.rules[.closureStored] = .off
        let source =
            "struct V: View {\n// view-lint: allow closure-stored: fixed\nlet a: () -> Void\nvar body: some View { A() }\n}"
        #expect(try await lint(["V.swift": source], configuration).findings.isEmpty)
    }

    @Test(arguments: [
        ("VStack {}", 1, 1), ("if a { VStack {} }", 1, 1), ("if a { VStack {} } else { HStack {} }", 2, 1),
        ("if a { VStack {} } else if b { HStack { HStack {} } } else { List {} }", 4, 2),
        ("switch a { case 1: VStack {}\ndefault: List { List {} } }", 3, 2),
        ("a ? VStack {} : b ? HStack {} : List { List {} }", 4, 2),
        ("A(a ? VStack {} : nil).overlay { if b { List {} } else { List {} } }", 4, 3),
        ("if a { row } else { VStack { row } }; row", 5, 4),
        ("if a { VStack {} } else { Text(x) }; if b { List {} }", 2, 2),
        ("#if os(iOS)\nVStack {}\n#else\nList {}\n#endif", 2, 2),
    ])
    func onlyTheLargestBranch(_ body: String, _ all: Int, _ shown: Int) async throws {
        let source = "struct V: View { var body: some View {\n\(body)\n}\nvar row: some View { HStack {} } }"
        var configuration = Configuration()
        configuration.rules[.branches] = .note
        let lint = try await lint(["V.swift": source], configuration)
        #expect(lint.units.map(\.complexity) == [all])
        #expect(lint.units.map(\.shownComplexity) == [shown])
        #expect(lint.findings.map(\.rule) == (shown < all ? [.branches] : []))
    }
}

@Suite struct SuppressionTests {
    private static let formatter = "Text(DateFormatter().string(from: x))"

    @Test(arguments: [
        ("// C\nstruct V: View { var body: some View { F } }", 0),
        ("// C\n/// A view.\n@MainActor @Equatable\npublic struct V: View {\n\nvar body: some View {\nF } }", 0),
        ("@MainActor\n// C\npublic struct V: View {\nvar body: some View {\nF } }", 0),
        ("@MainActor public\n// C\nstruct V: View {\nvar body: some View {\nF } }", 0),
        ("// C\nstruct V: View {\nvar body: some View { row } }\nextension V {\nvar row: some View { F } }", 2),
        ("struct V: View {\nvar body: some View { row } }\n// C\nextension V {\nvar row: some View { F } }", 0),
        ("// C\nenum N { struct V: View {\nvar body: some View { F } } }", 2),
        ("enum N {\n// C\nstruct V: View {\nvar body: some View { F } } }", 0),
        ("// C\nimport A\nstruct V: View { var body: some View { F } }", 2),
        ("// C\nstruct W: View { var body: some View { A() } }\nstruct V: View { var body: some View { F } }", 2),
        (
            "// C\nstruct V: View { var body: some View { F; F } }\n#if a\n// C\nstruct W: View { var body: some View { F } }\n#endif",
            0
        ),
    ])
    func aboveATypeCoversItsFindings(_ source: String, _ findings: Int) async throws {
        let text = source.replacing("C\n", with: "view-lint: allow formatter-in-body: why\n").replacing(
            "F", with: Self.formatter)
        let found = try await lint(["V.swift": text]).findings
        // An uncovered finding, and the suppression without one.
        #expect(
            found.map(\.rule.rawValue).sorted() == (findings == 0 ? [] : ["formatter-in-body", "suppression"]),
            "\(text)")
    }
}
