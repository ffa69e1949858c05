import SwiftParser
import SwiftSyntax
import Testing

@testable import ViewLint

/// Changes of a source text that keep its complexity, or change it by a known amount.
@Suite struct MetamorphicTests {
    private func count(_ files: [String: String]) async throws -> Int {
        try #require(try await complexity(in: files))
    }

    @Test(arguments: UInt64(1)...60)
    func inliningAHelperThatIsUsedOnceTakesAwayItsMention(_ seed: UInt64) async throws {
        let drawn = DrawnView(seed: seed)
        let before = try await count(["V.swift": drawn.source])
        let all = drawn.helpers.indices.dropFirst().filter { drawn.mentions(of: $0) == 1 }
        // Only helpers that body reaches count.
        var reached: Set = [0]
        for helper in drawn.helpers.indices where reached.contains(helper) {
            for next in drawn.helpers.indices where drawn.helpers[helper].contains(where: { $0.contains("h\(next)") }) {
                reached.insert(next)
            }
        }
        for helper in all where reached.contains(helper) {
            var inlined = drawn
            let statements = drawn.helpers[helper]
            // An argument takes one expression.
            guard statements.count == 1, !statements[0].hasPrefix("if") else { continue }
            inlined.helpers = drawn.helpers.map { $0.map { $0.replacing("h\(helper)", with: statements[0]) } }
            inlined.helpers[helper] = ["Text(t)"]
            #expect(try await count(["V.swift": inlined.source]) == before - 1, "\(drawn.source)")
        }
    }

    @Test(arguments: UInt64(1)...30)
    func movingHelpersToAnotherFileChangesNothing(_ seed: UInt64) async throws {
        let drawn = DrawnView(seed: seed)
        let moved = drawn.helpers.indices.dropFirst().map(drawn.declaration).joined(separator: "\n")
        let files = [
            "V.swift": "struct V: View {\n\(drawn.declaration(0))\n}", "V+Helpers.swift": "extension V {\n\(moved)\n}",
        ]
        #expect(try await count(files) == count(["V.swift": drawn.source]), "\(drawn.source)")
    }

    @Test(arguments: UInt64(1)...30)
    func anActionChangesNothing(_ seed: UInt64) async throws {
        let drawn = DrawnView(seed: seed)
        let before = try await count(["V.swift": drawn.source])
        for action in [".onTapGesture { h1; go() }", ".task { await load() }", ".onChange(of: x) { _, y in z = y }"] {
            var changed = drawn
            changed.helpers = drawn.helpers.map { $0.map { $0.hasPrefix("if") ? $0 : $0 + action } }
            #expect(try await count(["V.swift": changed.source]) == before, "\(changed.source)")
        }
    }

    @Test(arguments: UInt64(1)...30)
    func formattingChangesNothing(_ seed: UInt64) async throws {
        let source = DrawnView(seed: seed).source
        let before = try await count(["V.swift": source])
        let spread = SpreadTokens().rewrite(Parser.parse(source: source)).description
        #expect(spread != source)
        #expect(try await count(["V.swift": spread]) == before, "\(spread)")
        let commented = source.replacing("\n", with: " // VStack { Text(t) }\n")
        #expect(try await count(["V.swift": commented]) == before)
    }
}

/// A view of random helpers; each composes containers, buttons and later helpers.
struct DrawnView {
    /// The statements of each helper; the first is body's.
    var helpers: [[String]] = []

    init(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func draw(_ count: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(count))
        }
        let count = 2 + draw(5)
        for helper in 0..<count {
            helpers.append(
                (0...draw(4)).map { _ in
                    let next = helper + 1 < count ? "h\(helper + 1 + draw(count - helper - 1))" : "Text(t)"
                    return [
                        "VStack { Text(t); \(next) }", next, "Button { go() } label: { \(next) }",
                        "Text(t).overlay(\(next))", "if a { \(next) } else { Spacer() }",
                        "ForEach(list.filter { $0.isOn }) { item in Row(item) }",
                        "List { HStack { ZStack { \(next) } }; Section { Group {} } }",
                        "a ? VStack { Text(t) } : HStack { Group { \(next) } }",
                    ][draw(8)]
                })
        }
    }

    func mentions(of helper: Int) -> Int {
        helpers.joined().filter { $0.split { !$0.isLetter && !$0.isNumber }.contains("h\(helper)") }.count
    }

    func declaration(_ helper: Int) -> String {
        let statements = helpers[helper].joined(separator: "\n")
        let name = helper == 0 ? "body" : "h\(helper)"
        return "@ViewBuilder var \(name): some View {\n\(statements)\n}"
    }

    var source: String {
        "struct V: View {\n\(helpers.indices.map(declaration).joined(separator: "\n"))\n}"
    }
}

/// Inserts a line feed after each opening brace, and before each closing brace and each modifier's dot.
private final class SpreadTokens: SyntaxRewriter {
    override func visit(_ token: TokenSyntax) -> TokenSyntax {
        switch token.tokenKind {
        case .leftBrace: token.with(\.trailingTrivia, .newline)
        case .rightBrace: token.with(\.leadingTrivia, .newlines(2))
        case .comma: token.with(\.trailingTrivia, .newline + .spaces(3))
        default: token
        }
    }
}
