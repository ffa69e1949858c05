import Foundation
import SwiftParser
import SwiftSyntax
import Testing

@testable import ViewLint

/// The advice for bodies over the limit is possible, and leaves what it says.
@Suite struct AdviceTests {
    private func unit(_ source: String, limit: Int) async throws -> ViewUnit {
        var configuration = Configuration()
        configuration.limit = limit
        return try #require(try await lint(["V.swift": source], configuration).units.first { $0.type == "V" })
    }

    private func advice(_ members: String, limit: Int) async throws -> String {
        let unit = try await unit("struct V: View {\n\(members)\n}", limit: limit)
        return unit.advice?.sentence(in: "V.swift") ?? "nothing"
    }

    /// Follows the advice in the source, and measures again.
    private func check(_ source: String, limit: Int) async throws -> Advice? {
        let unit = try await unit(source, limit: limit)
        guard let advice = unit.advice else {
            #expect(unit.complexity <= limit)
            return nil
        }
        let file = SourceFile(path: "/app/V.swift", name: "V.swift", text: source)
        let followed = Follower(advice.steps, file, "V").rewrite(file.tree).description
        let parts = "\nstruct Part: View { var body: some View { Text(t) } }"
        let after = try await self.unit(followed + parts, limit: limit)
        #expect(after.complexity == advice.left, "\(source)\n\(followed)\n\(advice.sentence(in: "V.swift"))")
        #expect((advice.division == nil) == (advice.left <= limit))
        if let place = advice.division?.place {
            let divided = Follower([], file, "V", also: place).rewrite(file.tree).description
            let points = try await unit.complexity - self.unit(divided + parts, limit: limit).complexity
            #expect(points >= advice.division?.points ?? 0, "\(source)")
        }
        return advice
    }

    private static let apps = ProcessInfo.processInfo.environment["VIEW_CORPUS"]?.split(separator: ":") ?? []

    /// The folders of apps are in `VIEW_CORPUS`, with colons between them.
    @Test(.enabled(if: !apps.isEmpty, "VIEW_CORPUS names no apps"), arguments: apps.map(String.init))
    func isTrueForApps(_ app: String) async throws {
        let files = try await SourceFiles.parse(SourceFiles.find([app], root: app), root: app)
        let before = try await Lint(files, Configuration())
        let part = SourceFile(path: "/Part.swift", name: "Part.swift", text: "struct Part: View { var body: Text }")
        let advised = before.units.filter { !($0.advice?.steps.isEmpty ?? true) }
        print("\(app): \(advised.count) bodies with advice")
        for unit in advised {
            guard let advice = unit.advice else { continue }
            let owners = before.types[unit.type]?.first { $0.contains(unit.place.file) } ?? []
            let followed = files.map { file in
                guard owners.contains(file.name) else { return file }
                let text = Follower(advice.steps, file, unit.type).rewrite(file.tree).description
                return SourceFile(path: file.path, name: file.name, text: text)
            }
            let after = try await Lint(followed + [part], Configuration()).units.filter {
                $0.type == unit.type && $0.name == unit.name && $0.place.file == unit.place.file
            }
            #expect(after.map(\.complexity).contains(advice.left), "\(unit.place): \(advice.sentence(in: ""))")
        }
    }

    @Test(arguments: UInt64(1)...60, [1, 2, 3, 5, 8])
    func isTrueForRandomBodies(_ seed: UInt64, _ limit: Int) async throws {
        _ = try await check(DrawnView(seed: seed).source, limit: limit)
    }

    @Test func randomBodiesGetEveryKindOfAdvice() async throws {
        var kinds: Set<String> = []
        for seed in UInt64(1)...60 {
            for limit in [1, 2, 3, 5, 8] {
                guard let advice = try await check(DrawnView(seed: seed).source, limit: limit) else { continue }
                for step in advice.steps { kinds.insert(step.place == nil ? "helper" : "closure") }
                kinds.insert(advice.division == nil ? "reached" : "division")
                if advice.steps.count > 1 { kinds.insert("several") }
            }
        }
        #expect(kinds == ["helper", "closure", "reached", "division", "several"])
    }

    @Test func namesTheMemberThatReachesTheLimit() async throws {
        let members = """
            var body: some View { VStack { header; row; row } }
            var header: some View { HStack {} }
            var row: some View { HStack { ZStack {}; ZStack {}; tail } }
            var tail: some View { Group {} }
            """
        #expect(try await advice(members, limit: 5) == "make 'row' a separate View, which leaves 3")
        let messages = try await lint(["A.swift": "struct V: View {\n\(members)\n}"], Configuration(limit: 5)).findings
            .map(\.message)
        #expect(
            messages == ["V: body has a complexity of 10, limit 5: make 'row' a separate View, which leaves 3"])
    }

    @Test func aHelperThatIsAlsoMentionedElsewhereStillCountsThere() async throws {
        let members = """
            var body: some View { VStack { row; tail } }
            var row: some View { HStack { tail; HStack {} } }
            var tail: some View { Group { Group { Group {} } } }
            """
        let advice = try await check("struct V: View {\n\(members)\n}", limit: 7)
        #expect(advice?.steps.map(\.name) == ["tail"])
        #expect(advice?.left == 4)
    }

    @Test func aMemberThatMattersLittleIsNotNamed() async throws {
        let wide = Array(repeating: "HStack {}", count: 14).joined(separator: "; ")
        let members = """
            var body: some View { VStack { \(wide); link } }
            var link: some View { Text(x) }
            """
        #expect(
            try await advice(members, limit: 10)
                == "divide the content of 'VStack' in line 2, 15 points, into separate Views")
    }

    @Test func countsThePartsThatTheRestTakes() async throws {
        let stacks = Array(repeating: "HStack {}", count: 5).joined(separator: "; ")
        let sections = (0..<5).map { "var s\($0): some View { VStack { \(stacks) } }" }.joined(separator: "\n")
        let members = "var body: some View { List { s0; s1; s2; s3; s4 } }\n\(sections)"
        #expect(
            try await advice(members, limit: 7)
                == "make 's0', 's1' and 's2' separate Views, which leaves 15; 2 more leave 1")
    }

    @Test(arguments: [
        ("ToolbarContent", "ToolbarItem { Button { go() } label: { HStack { VStack {} } } }"),
        ("Commands", "CommandMenu { HStack { VStack { Text(x) } } }"),
        ("ChartContent", "ForEach(x) { BarMark(x: $0).annotation { VStack {} } }"),
        ("TableColumnContent<Row, Never>", "TableColumn { HStack { VStack { Text($0) } } }"),
    ])
    func contentOfAnotherProtocolDoesNotBecomeAView(_ type: String, _ content: String) async throws {
        let source =
            "struct V: View {\nvar body: some View { A().toolbar { bar } }\nvar bar: some \(type) { \(content) }\n}"
        let name = type.prefix { $0 != "<" }
        let advice = try await advice(source.split(separator: "\n")[1...2].joined(separator: "\n"), limit: 2)
        #expect(advice == "move 'bar' to a type that conforms to \(name), which leaves 1")
    }

    @Test func contentThatNoTypeReplacesIsOnlyNamed() async throws {
        let text = "var body: some View { VStack { title } }\nvar title: Text { Foo { Text(x) } }"
        #expect(
            try await advice(text, limit: 1)
                == "divide the content of 'VStack' in line 2, 2 points, into separate Views")
        let chart =
            "var body: some View { Chart { if a { BarMark(x).annotation { A() }; BarMark(y).annotation { A() } } } }"
        #expect(
            try await advice(chart, limit: 1) == "the largest part is the content of 'Chart' in line 2 with 2 points")
        let items = "var body: some View { A().toolbar { ToolbarItem { HStack {} }; ToolbarItem { HStack {} } } }"
        #expect(
            try await advice(items, limit: 1)
                == "move the content of 'toolbar' in line 2 to a type that conforms to ToolbarContent, which leaves 1")
        let buttons = "var body: some View { Button { a() } label: { A() }; Button { b() } label: { B() } }"
        #expect(try await advice(buttons, limit: 1) == "divide it into separate Views")
    }

    @Test func placesInOtherFilesHaveTheirNames() async throws {
        let unit = try await lint(
            [
                "A/V.swift": "struct V: View { var body: some View { row } }",
                "A/V+Row.swift": "extension V {\nvar row: some View { VStack { HStack {}; HStack {} } } }",
            ], Configuration(limit: 2)
        ).units[0]
        #expect(
            unit.advice?.sentence(in: "A/V.swift")
                == "make the content of 'VStack' in line 2 of V+Row.swift a separate View, which leaves 2")
    }
}

extension Configuration {
    init(limit: Int) {
        self.init()
        self.limit = limit
    }
}

/// Makes helpers of a type, and the contents of closures, separate Views, as the advice says.
private final class Follower: SyntaxRewriter {
    private let names: Set<String>
    private let places: Set<Place>
    private let file: SourceFile
    private let type: String

    private static let part = Parser.parse(source: "Part() ").statements

    init(_ steps: [Advice.Step], _ file: SourceFile, _ type: String, also place: Place? = nil) {
        names = Set(steps.filter { $0.place == nil }.map(\.name))
        places = Set((steps.map(\.place) + [place]).compactMap(\.self))
        (self.file, self.type) = (file, type)
    }

    private func isHelper(_ expression: ExprSyntax) -> Bool {
        let member = expression.as(MemberAccessExprSyntax.self).flatMap { $0.isOnSelf ? $0.declName : nil }
        guard let name = (expression.as(DeclReferenceExprSyntax.self) ?? member)?.baseName.text else { return false }
        return names.contains(name) && Syntax(expression).enclosingTypeNames.joined(separator: ".") == type
    }

    private func part(for node: some SyntaxProtocol) -> ExprSyntax {
        guard case .expr(let part)? = Self.part.first?.item else {
            return ExprSyntax(MissingExprSyntax(placeholder: .identifier("Part")))
        }
        return part.with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia)
    }

    /// The arguments stay: they are the parameters of the separate View.
    override func visit(_ node: FunctionCallExprSyntax) -> ExprSyntax {
        guard isHelper(node.calledExpression), let made = part(for: node).as(FunctionCallExprSyntax.self) else {
            return super.visit(node)
        }
        let named = node.with(\.calledExpression, made.calledExpression).with(\.leadingTrivia, node.leadingTrivia)
        return super.visit(named)
    }

    override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
        if isHelper(ExprSyntax(node)) { return part(for: node) }
        guard let base = node.base else { return ExprSyntax(node) }
        return ExprSyntax(node.with(\.base, visit(base)))
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
        isHelper(ExprSyntax(node)) ? part(for: node) : ExprSyntax(node)
    }

    override func visit(_ node: ClosureExprSyntax) -> ExprSyntax {
        let place = file.place(node.positionAfterSkippingLeadingTrivia)
        return places.contains(place) ? ExprSyntax(node.with(\.statements, Self.part)) : super.visit(node)
    }
}
