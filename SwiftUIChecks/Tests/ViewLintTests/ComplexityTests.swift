import Testing

@testable import ViewLint

/// Cases that the worked examples don't decide.
@Suite struct ComplexityTests {
    @Test(arguments: [
        // An empty closure of a builder counts, an empty closure of an unknown callee doesn't.
        ("var body: some View { VStack {} }", 1),
        ("var body: some View { Text(x).foo {} }", 0),
        // A button's first closure acts, in every syntax.
        ("var body: some View { Button(action: { go() }) { Text(x) } }", 1),
        ("var body: some View { Button { go() } label: { Text(x) } }", 1),
        ("var body: some View { Button(action: { go() }, label: { Text(x) }) }", 1),
        ("var body: some View { Button { make() } }", 0),
        ("var body: some View { Button(role: .cancel) { View2() } }", 0),
        ("var body: some View { Button(intent: I()) { Text(x) } }", 1),
        ("var body: some View { Button(intent: I()) { row } }\nvar row: some View { A() }", 2),
        // A control's closure may receive editing events.
        ("var body: some View { Slider(value: $v) { Text(x) } }", 1),
        ("var body: some View { Slider(value: $v) { editing in report(editing) } }", 0),
        ("var body: some View { Stepper(value: $v) { if a { Text(x) } } onEditingChanged: { _ in B() } }", 1),
        ("var body: some View { TextField(x, text: $t) { commit() } }", 0),
        // Labels take precedence over callees.
        ("var body: some View { Menu { A() } label: { B() } primaryAction: { C() } }", 2),
        ("var body: some View { Text(x).sheet(isPresented: $s, onDismiss: { A() }) { B() } }", 1),
        ("var body: some View { Text(x).sheet(item: $s) { s = nil } content: { B($0) } }", 1),
        ("var body: some View { Text(x).fullScreenCover(item: $s) { close() } content: { B($0) } }", 1),
        ("var body: some View { Text(x).onChange(of: y) { Foo() } }", 0),
        ("var body: some View { Toggle(isOn: Binding(get: { A() }, set: { _ in B() })) { Text(x) } }", 1),
        // Members of the same type, by self and Self, in branches and as arguments.
        ("var body: some View { if a { row } else { self.row } }\nvar row: some View { Text(x) }", 2),
        ("var body: some View { Self.row(1) }\nstatic func row(_ i: Int) -> some View { HStack { A() } }", 2),
        ("var body: some View { foo(row, bar: row) }\nvar row: AnyView? { nil }", 2),
        ("var body: some View { a ? row : nil }\nvar row: Text { Text(x) }", 1),
        ("var body: some View { if let row { A() } }\nvar row: Image? { nil }", 1),
        ("var body: some View { x.row }\nvar row: some View { A() }", 0),
        ("var body: some View { Foo(\\.row) }\nvar row: some View { A() }", 0),
        ("var body: some View { count }\nvar count: Int { 1 }", 0),
        ("var body: some View { row }\nlet row: Text", 0),
        ("var body: some View { row }\nlet row: Text = { Text(x) }()", 0),
        // Overloads are distinguished by their labels.
        (
            "var body: some View { row(a: 1) }\nfunc row(a: Int) -> some View { A() }\n"
                + "func row(b: Int) -> some View { VStack {} }", 1
        ),
        // A property and a function with the same name.
        ("var body: some View { title }\nlet title: String\nfunc title(_ s: String) -> some View { A() }", 0),
        // Recursion ends.
        ("var body: some View { row }\nvar row: some View { VStack { row } }", 3),
        // Shadowed names.
        ("var body: some View { ForEach(a) { row in row } }\nvar row: some View { A() }", 1),
        ("var body: some View { let row = 1; VStack { row } }\nvar row: some View { A() }", 1),
        ("var body: some View { if let row = a { row } else { row } }\nvar row: some View { A() }", 1),
        ("var body: some View { switch a { case .x(let row): row } }\nvar row: some View { A() }", 0),
        ("var body: some View { h(1) }\nfunc h(_ row: Int) -> some View { row }\nvar row: some View { A() }", 1),
        // Local helpers.
        ("var body: some View { func row() -> some View { HStack {} }; return VStack { row(); row() } }", 4),
        ("var body: some View { var row: some View { HStack {} }; VStack { row } }", 3),
        ("var body: some View { func n() -> Int { 1 }; return VStack { n() } }", 1),
        // The content of a closure of an unknown callee.
        ("var body: some View { Foo { Text(x).bold() } }", 1),
        ("var body: some View { Foo { if a { Text(x) } } }", 1),
        ("var body: some View { Foo { switch a { default: Text(x) } } }", 1),
        ("var body: some View { Foo { a ? Text(x) : Text(y) } }", 1),
        ("var body: some View { Foo { return Text(x) } }", 1),
        ("var body: some View { Foo { Color.red.onTapGesture { go() } } }", 1),
        ("var body: some View { Foo { Image.logo.resizable() } }", 1),
        ("var body: some View { Foo { Query(x) } }", 0),
        ("var body: some View { Foo { G() } }\nstruct G: UIViewRepresentable {}", 1),
        ("var body: some View { Foo { G() } }\nstruct G: NSObject {}", 0),
        ("var body: some View { Foo(x).placeholder { theme.image } }", 1),
        ("var body: some View { Foo { row } }\nvar row: some View { A() }", 2),
        ("var body: some View { Foo { let b = 1; Text(x) } }", 1),
        ("var body: some View { Foo { y = 1; Text(x) } }", 0),
        ("var body: some View { Foo { y += 1; Text(x) } }", 0),
        ("var body: some View { Foo { for i in a { Text(x) } } }", 0),
        ("var body: some View { Foo { try Text(x) } }", 0),
        ("var body: some View { Foo { await Text(x) } }", 0),
        ("var body: some View { Foo { do { Text(x) } } }", 0),
        ("var body: some View { Foo { UserStore() } }", 0),
        ("var body: some View { Foo { URL(string: x) } }", 0),
        ("var body: some View { Foo { App.shared.open(x) } }", 0),
        ("@ViewBuilder let c: () -> Text\nvar body: some View { Foo { c() } }", 1),
        ("let c: AnyView\nvar body: some View { Foo { self.c.padding() } }", 1),
        ("let c: String\nvar body: some View { Foo { c.count } }", 0),
        ("var body: some View { f(A()) }\nfunc f(_ c: some View) -> some View { Foo { c } }", 2),
        // Closures of values in argument position are data.
        ("var body: some View { List(items.map { Row($0) }) { Text($0) } }", 1),
        ("var body: some View { Foo(x: items.map { Row($0) }) }", 0),
        ("var body: some View { Foo(x: (a?.b).map { Text($0) }) }", 0),
        ("var body: some View { ColorPicker(selection: $c) {} }", 1),
        // Both sides of #if are in the source.
        ("var body: some View {\n#if os(iOS)\nVStack {}\n#else\nHStack {}\n#endif\n}", 2),
        // Types inside a body are not entered.
        ("var body: some View { struct X: View { var y: some View { VStack {} } }; return X() }", 0),
        ("var body: some View { get { VStack {} } }", 1),
    ])
    func counts(_ members: String, _ expected: Int) async throws {
        #expect(try await complexity(of: members) == expected, "\(members)")
    }

    @Test func takesTheParametersTypeWhereTheFilesDeclareIt() async throws {
        let helpers = """
            struct Card<C: View>: View {
              let content: () -> C
              let tapped: () -> Void
              var body: some View { content() }
            }
            extension View {
              func framed<C: View>(@ViewBuilder _ c: () -> C) -> some View { self }
              func logged(_ name: String, if condition: () -> Bool = { true }, _ f: @escaping () -> Void) -> some View { self }
              func either(_ f: (Self) -> some View) -> some View { f(self) }
            }
            """
        func number(_ body: String) async throws -> Int? {
            try await complexity(in: [
                "Helpers.swift": helpers, "V.swift": "struct V: View { var body: some View { \(body) } }",
            ])
        }
        #expect(try await number("Card {} tapped: {}") == 1)
        #expect(try await number("Card { A() } tapped: { B() }") == 1)
        #expect(try await number("Card(content: {}, tapped: { B() })") == 1)
        #expect(try await number("A().framed {}") == 1)
        #expect(try await number("A().logged(x) { B() }") == 0)
        #expect(try await number("A().either { $0.padding() }") == 1)
    }

    @Test func theConfigurationExtendsTheTable() async throws {
        var configuration = Configuration()
        configuration.builders = ["showcase", "extra:"]
        configuration.actions = ["VStack", "label:"]
        configuration.notViews = ["Track"]
        let body = "var body: some View { VStack {}; a.showcase {}; F(extra: {}); G(label: { A() }); H { Track() } }"
        #expect(try await complexity(of: body, configuration) == 2)
        #expect(try await complexity(of: body) == 3)
    }

    @Test func followsExtensionsAcrossFiles() async throws {
        let view = "struct V: View { var body: some View { row } }"
        let row = "extension V { var row: some View { VStack { A() } } }"
        #expect(try await complexity(in: ["A.swift": view, "B.swift": row]) == 2)
        #expect(try await complexity(in: ["A.swift": view]) == 0)
    }

    @Test func anExtensionBelongsToTheTypeOfItsFileThenOfItsFolder() async throws {
        func view(_ modifier: String) -> String { "\(modifier)struct V: View { var body: some View { row } }" }
        let units = try await lint([
            "One/V.swift": view(""), "Two/V.swift": view(""),
            "Two/V+Row.swift": "extension V { var row: some View { VStack {} } }",
            "Two/Z.swift": view("private "),
        ]).units
        #expect(
            units.map { "\($0.place.file) \($0.complexity)" } == ["One/V.swift 0", "Two/V.swift 2", "Two/Z.swift 0"])
    }

    @Test func countsModifiersAndStyles() async throws {
        let units = try await lint([
            "A.swift": """
            struct M: ViewModifier { func body(content: Content) -> some View { content.overlay { A() } } }
            struct S: ButtonStyle { func makeBody(configuration: Configuration) -> some View { HStack { VStack {} } } }
            protocol Screen: View {}
            struct P: Screen { var body: Text { Text(x) } }
            struct N { var body: Int { 1 } }
            struct W: View { var body: some View { A() } }
            struct W_Previews: PreviewProvider { static var previews: some View { W() }
              struct Inner: View { var body: some View { VStack {} } } }
            #Preview { VStack {} }
            """
        ]).units
        #expect(
            units.map { "\($0.type).\($0.name) \($0.complexity)" } == [
                "M.body(content:) 1", "S.makeBody(configuration:) 2", "P.body 0", "W.body 0",
            ])
    }

    @Test func contentThatWasHandedInMakesAClosureABuilder() async throws {
        let wrapper = "struct V<C: View>: View { let c: C; var body: some View { Foo { c.bold() } } }"
        #expect(try await complexity(in: ["V.swift": wrapper]) == 1)
        let modifier = "struct V: ViewModifier { func body(content: Content) -> some View { Foo { content } } }"
        #expect(try await complexity(in: ["V.swift": modifier]) == 1)
    }

    @Test func aNameOfThePlaceThatMentionsAHelperIsHiddenInIt() async throws {
        let members = """
            var body: some View { ForEach(rows) { row in Text(row); list } }
            var list: some View { VStack { row } }
            var row: some View { Text(x) }
            """
        #expect(try await complexity(of: members) == 4)
    }
}
