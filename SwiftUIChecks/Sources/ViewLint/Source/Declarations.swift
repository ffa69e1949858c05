import SwiftSyntax

/// A `struct`, `class`, `enum`, `actor`, `protocol` or `extension` of one file.
struct TypeDeclaration: Sendable {
    enum Kind: Sendable { case type, `protocol`, `extension` }

    /// With the surrounding types: `Outer.Inner`.
    let name: String
    let kind: Kind
    /// Only visible in its file.
    let isPrivate: Bool
    let inherited: [String]
    let attributes: [String]
    let generics: GenericBounds
    var members: [Member] = []
    let file: SourceFile

    /// The name without the surrounding types.
    var simpleName: String { String(name.split(separator: ".").last ?? "") }
}

/// A property or function of a type, or a local declaration of a body.
struct Member: Sendable {
    let name: String
    let attributes: [String]
    /// The declared type, or the function's return type.
    let type: TypeSyntax?
    /// The code that runs when it is used; nil for a stored property.
    let content: Syntax?
    /// nil for a property.
    let parameters: [Parameter]?
    let generics: GenericBounds
    /// Its declaration's node: its identity and its place.
    let node: Syntax
    let nameToken: TokenSyntax
    /// The initial value of a stored property.
    var initialValue: ExprSyntax?
    var isStatic = false
    let file: SourceFile
}

/// A parameter of a function or an initialiser, or a property in a memberwise initialiser.
struct Parameter: Sendable {
    /// nil for `_`.
    let label: String?
    /// Its name inside the function.
    let name: String
    let type: TypeSyntax
    let attributes: [String]
    let hasDefault: Bool
}

/// The generic parameters of a declaration with their protocol constraints.
typealias GenericBounds = [String: [String]]

/// The declarations of one file.
struct FileDeclarations: Sendable {
    var types: [TypeDeclaration] = []
    /// By the name in a call: the function's name, or the type's name for an initialiser.
    var signatures: [(name: String, parameters: [Parameter], generics: GenericBounds)] = []

    init(_ file: SourceFile) {
        let collector = DeclarationCollector(file: file)
        collector.walk(file.tree)
        types = collector.types
        signatures = collector.signatures
    }
}

private final class DeclarationCollector: SyntaxVisitor {
    let file: SourceFile
    var types: [TypeDeclaration] = []
    var signatures: [(name: String, parameters: [Parameter], generics: GenericBounds)] = []

    init(file: SourceFile) {
        self.file = file
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { collect(node, node.name, .type) }
    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { collect(node, node.name, .type) }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { collect(node, node.name, .type) }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { collect(node, node.name, .type) }
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        collect(node, node.name, .protocol)
    }
    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        collect(node, named: node.extendedType.baseName, .extension)
    }

    /// `#Preview { … }` and its declarations aren't part of the app.
    override func visit(_ node: MacroExpansionDeclSyntax) -> SyntaxVisitorContinueKind {
        node.macroName.text == "Preview" ? .skipChildren : .visitChildren
    }
    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        node.macroName.text == "Preview" ? .skipChildren : .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        let bounds = node.genericBounds.merging(Syntax(node).surroundingBounds) { own, _ in own }
        signatures.append((node.name.plain, node.signature.parameterClause.collected, bounds))
        return .visitChildren
    }

    private func collect(
        _ node: some DeclGroupSyntax & SyntaxProtocol, _ name: TokenSyntax, _ kind: TypeDeclaration.Kind
    ) -> SyntaxVisitorContinueKind {
        collect(node, named: name.plain, kind)
    }

    private func collect(
        _ node: some DeclGroupSyntax & SyntaxProtocol, named simpleName: String, _ kind: TypeDeclaration.Kind
    ) -> SyntaxVisitorContinueKind {
        let inherited = node.inheritanceClause?.inheritedTypes.flatMap { $0.type.composedNames } ?? []
        if inherited.contains("PreviewProvider") { return .skipChildren }
        let enclosing = Syntax(node).enclosingTypeNames
        var declaration = TypeDeclaration(
            name: (enclosing + [simpleName]).joined(separator: "."), kind: kind,
            isPrivate: node.modifiers.contains { ["private", "fileprivate"].contains($0.name.text) },
            inherited: inherited, attributes: node.attributes.names, generics: Syntax(node).bounds, file: file)
        for item in node.memberBlock.members { collect(item.decl, into: &declaration) }
        types.append(declaration)
        collectInitialisers(of: node, into: declaration)
        return .visitChildren
    }

    private func collect(_ member: DeclSyntax, into declaration: inout TypeDeclaration) {
        if let variable = member.as(VariableDeclSyntax.self) {
            declaration.members += variable.members(in: file)
        } else if let function = member.as(FunctionDeclSyntax.self) {
            declaration.members.append(function.member(in: file))
        } else if let condition = member.as(IfConfigDeclSyntax.self) {
            for case .decls(let items)? in condition.clauses.map(\.elements) {
                for item in items { collect(item.decl, into: &declaration) }
            }
        }
    }

    private func collectInitialisers(of node: some DeclGroupSyntax, into declaration: TypeDeclaration) {
        let initialisers = node.memberBlock.members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }
        for initialiser in initialisers {
            let bounds = initialiser.genericBounds.merging(declaration.generics) { own, _ in own }
            signatures.append((declaration.simpleName, initialiser.signature.parameterClause.collected, bounds))
        }
        guard initialisers.isEmpty, node.is(StructDeclSyntax.self) else { return }
        let memberwise = declaration.members.filter { $0.content == nil && !$0.isStatic && $0.parameters == nil }
            .compactMap { member in
                member.type.map {
                    Parameter(
                        label: member.name, name: member.name, type: $0, attributes: member.attributes,
                        hasDefault: member.initialValue != nil)
                }
            }
        signatures.append((declaration.simpleName, memberwise, declaration.generics))
    }
}

extension VariableDeclSyntax {
    /// The declared properties; properties in patterns such as `(a, b)` have no type.
    func members(in file: SourceFile) -> [Member] {
        let isStatic = modifiers.contains { ["static", "class"].contains($0.name.text) }
        return bindings.flatMap { binding in
            binding.pattern.boundNames.map { name in
                Member(
                    name: name.plain, attributes: attributes.names,
                    type: binding.typeAnnotation?.type ?? bindings.last?.typeAnnotation?.type,
                    content: binding.accessorBlock?.getter, parameters: nil, generics: [:], node: Syntax(binding),
                    nameToken: name, initialValue: binding.initializer?.value, isStatic: isStatic, file: file)
            }
        }
    }
}

extension FunctionDeclSyntax {
    func member(in file: SourceFile) -> Member {
        Member(
            name: name.plain, attributes: attributes.names, type: signature.returnClause?.type,
            content: body.map { Syntax($0.statements) }, parameters: signature.parameterClause.collected,
            generics: genericBounds, node: Syntax(self), nameToken: name, file: file)
    }
}

extension AccessorBlockSyntax {
    /// The statements that compute a value; nil if there are only observers.
    var getter: Syntax? {
        switch accessors {
        case .getter(let statements): Syntax(statements)
        case .accessors(let accessors):
            accessors.first { $0.accessorSpecifier.text == "get" }.flatMap { $0.body.map { Syntax($0.statements) } }
        }
    }
}

extension FunctionParameterClauseSyntax {
    var collected: [Parameter] {
        parameters.map { parameter in
            Parameter(
                label: parameter.firstName.text == "_" ? nil : parameter.firstName.plain,
                name: (parameter.secondName ?? parameter.firstName).plain, type: parameter.type,
                attributes: parameter.attributes.names
                    + (parameter.type.as(AttributedTypeSyntax.self)?.attributes.names ?? []),
                hasDefault: parameter.defaultValue != nil)
        }
    }
}
