import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Equatable`: adds a member `==`, and an empty extension for the conformance.
struct EquatableMacro: MemberMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let view = EquatableView(declaration) else {
            context.diagnose(Message.notAStruct(declaration.introducer.text).diagnostic(at: node))
            return []
        }
        view.diagnostics(at: node).forEach(context.diagnose)
        guard view.handWritten == nil, !view.isHashable else { return [] }
        return view.members(access: view.access(in: context.lexicalContext))
    }

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard !protocols.isEmpty, let view = EquatableView(declaration), !view.isHashable else { return [] }
        if let hidden = view.hidden(in: context.lexicalContext) {
            context.diagnose(Message.hidden.diagnostic(at: hidden, fixes: [.opening(hidden)]))
            return []
        }
        return [try ExtensionDeclSyntax("extension \(type.trimmed): nonisolated Equatable {}")]
    }
}

/// `@SkipEquatable` is only a mark; `@Equatable` reads it.
struct SkipEquatableMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        if declaration.as(VariableDeclSyntax.self).map({ StoredProperty.all(of: $0).isEmpty }) ?? true {
            context.diagnose(Message.skipsNothing.diagnostic(at: node))
        }
        return []
    }
}

/// A struct with `@Equatable`.
private struct EquatableView {
    let declaration: StructDeclSyntax

    init?(_ declaration: some DeclGroupSyntax) {
        guard let declaration = declaration.as(StructDeclSyntax.self) else { return nil }
        self.declaration = declaration
    }

    var isHashable: Bool {
        declaration.inheritanceClause?.inheritedTypes.contains {
            ["Hashable", "Swift.Hashable"].contains($0.type.trimmedDescription)
        }
            ?? false
    }

    var handWritten: FunctionDeclSyntax? {
        declaration.memberBlock.members.lazy.compactMap { $0.decl.as(FunctionDeclSyntax.self) }
            .first { $0.name.text == "==" && $0.signature.parameterClause.parameters.count == 2 }
    }

    /// The access of `==`: the struct's, at least `fileprivate`, which is the meaning of `private` beside the type.
    func access(in context: [Syntax]) -> String {
        let levels = ["public", "package", "internal", "fileprivate", "private"]
        func level(_ modifiers: DeclModifierListSyntax) -> String? {
            modifiers.first { levels.contains($0.name.text) && $0.detail == nil }?.name.text
        }
        let own =
            level(declaration.modifiers) ?? context.first?.as(ExtensionDeclSyntax.self).flatMap { level($0.modifiers) }
        switch own {
        case nil, "internal": return ""
        case "private": return "fileprivate "
        case let own?: return own + " "
        }
    }

    /// The `private` of the struct, or of a surrounding type, that hides it from an extension at file level.
    func hidden(in context: [Syntax]) -> DeclModifierSyntax? {
        // At file level, private means fileprivate.
        ([Syntax(declaration)] + context).dropLast().lazy.compactMap { node in
            node.asProtocol((any WithModifiersSyntax).self)?.modifiers.first { $0.name.text == "private" }
        }.first
    }

    /// `==`, callable from any isolation, and the comparison, which accesses properties of the main actor.
    func members(access: String) -> [DeclSyntax] {
        var guards: [String] = []
        write(declaration.memberBlock.members, into: &guards)
        let head = "nonisolated \(access)static func == (l: Self, r: Self) -> Bool"
        guard guards.contains(where: { $0.hasPrefix("guard") }) else { return ["\(raw: head) { true }"] }
        return [
            "\(raw: head) { PerfgateViews._sameView(l, r, _isSame) }",
            """
            @MainActor private static func _isSame(_ l: Self, _ r: Self) -> Bool {
            \(raw: guards.map { "    " + $0 }.joined(separator: "\n"))
                return true
            }
            """,
        ]
    }

    /// The guards of members, with their `#if`.
    private func write(_ members: MemberBlockItemListSyntax, into lines: inout [String]) {
        for member in members {
            if let variable = member.decl.as(VariableDeclSyntax.self) {
                lines += StoredProperty.all(of: variable).flatMap(\.guards)
            } else if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                for clause in condition.clauses {
                    let text = clause.condition.map { " " + $0.trimmedDescription } ?? ""
                    lines.append(clause.poundKeyword.text + text)
                    if case .decls(let members)? = clause.elements { write(members, into: &lines) }
                }
                lines.append("#endif")
            }
        }
    }

    // MARK: Diagnostics

    private var variables: [VariableDeclSyntax] {
        func variables(_ members: MemberBlockItemListSyntax) -> [VariableDeclSyntax] {
            members.flatMap { member -> [VariableDeclSyntax] in
                if let variable = member.decl.as(VariableDeclSyntax.self) { return [variable] }
                let clauses = member.decl.as(IfConfigDeclSyntax.self)?.clauses.map(\.elements) ?? []
                return clauses.flatMap { elements in
                    if case .decls(let members)? = elements { return variables(members) }
                    return []
                }
            }
        }
        return variables(declaration.memberBlock.members)
    }

    func diagnostics(at node: AttributeSyntax) -> [Diagnostic] {
        let name = declaration.name.text
        if isHashable { return [Message.hashable(name).diagnostic(at: node)] }
        if let handWritten {
            return [Message.handWritten.diagnostic(at: handWritten, fixes: [.removing(handWritten, from: declaration)])]
        }
        let properties = variables.flatMap(StoredProperty.all)
        var diagnostics = properties.compactMap(diagnostic)
        let compared = properties.filter { $0.comparison != .none }
        if compared.isEmpty {
            diagnostics.append(Message.nothingCompared(name).diagnostic(at: node))
        } else if properties.allSatisfy(\.isNumber) {
            diagnostics.append(Message.numbersOnly(name).diagnostic(at: node))
        }
        return diagnostics
    }

    private func diagnostic(_ property: StoredProperty) -> Diagnostic? {
        let generics = Set(declaration.genericParameterClause?.parameters.map(\.name.text) ?? [])
        let variable = property.declaration
        if property.isSkipped {
            return property.isContent(generics)
                ? Message.contentSkipped(property.name.text).diagnostic(at: property.name) : nil
        }
        guard property.comparison == .closure else { return nil }
        let message = property.isContent(generics) ? Message.content : Message.closure
        // The other properties in the same declaration would be skipped too.
        let fixes = StoredProperty.all(of: variable).count == 1 ? [FixIt.skipping(variable)] : []
        return message(property.name.text).diagnostic(at: property.name, fixes: fixes)
    }
}

extension StoredProperty {
    /// The guards that compare the property.
    fileprivate var guards: [String] {
        let arguments: [String]
        switch comparison {
        case .none, .closure: arguments = []
        case .value: arguments = paths(to: name.text, type).map { "l.\($0), r.\($0)" }
        case .wrapper:
            let storage = "_" + (name.identifier?.name ?? name.text)
            arguments = ["l.\(storage), r.\(storage), l.\(name.text), r.\(name.text)"]
        }
        return arguments.map { "guard PerfgateViews._same(\($0)) else { return false }" }
    }

    /// The parts of a tuple, because no overload matches its labels; else the property itself.
    private func paths(to path: String, _ type: TypeSyntax?) -> [String] {
        guard let tuple = type?.as(TupleTypeSyntax.self), tuple.elements.count > 1 else { return [path] }
        return tuple.elements.enumerated().flatMap { paths(to: "\(path).\($0.offset)", $0.element.type) }
    }
}
