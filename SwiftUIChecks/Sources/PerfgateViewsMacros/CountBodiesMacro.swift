import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@CountBodies`: gives `body` a counting builder. No macro role can change a computed property's code directly.
struct CountBodiesMacro: MemberMacro, MemberAttributeMacro {
    /// Reports a type without a body to count.
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard
            let body = declaration.memberBlock.members.lazy.compactMap({ $0.decl.as(VariableDeclSyntax.self) })
                .first(where: \.isBody)
        else {
            let name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.text ?? "the type"
            context.diagnose(Message.noBody(name).diagnostic(at: node))
            return []
        }
        if let builder = body.attributes.first(where: \.isBuilder) {
            context.diagnose(Message.otherBuilder.diagnostic(at: builder))
        }
        let returns = Returns(viewMode: .sourceAccurate)
        returns.walk(body)
        if let first = returns.first { context.diagnose(Message.returns.diagnostic(at: first)) }
        return []
    }

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard let body = member.as(VariableDeclSyntax.self), body.isBody, !body.attributes.contains(where: \.isBuilder),
            let name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.trimmed
        else { return [] }
        let returns = Returns(viewMode: .sourceAccurate)
        returns.walk(body)
        return returns.first == nil ? ["@PerfgateViews._CountedBody<\(name)>"] : []
    }
}

extension VariableDeclSyntax {
    fileprivate var isBody: Bool {
        bindings.count == 1 && bindings.first?.pattern.trimmedDescription == "body"
            && bindings.first?.accessorBlock != nil && !modifiers.contains { $0.name.text == "static" }
    }
}

extension AttributeListSyntax.Element {
    fileprivate var isBuilder: Bool {
        AttributeListSyntax([self]).names.contains { $0.hasSuffix("Builder") }
    }
}

/// The first `return` of a body, which would disable its builder; a `return` in a nested closure or function doesn't.
private final class Returns: SyntaxVisitor {
    var first: ReturnStmtSyntax?

    override func visit(_ node: ReturnStmtSyntax) -> SyntaxVisitorContinueKind {
        first = first ?? node
        return .skipChildren
    }
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}
