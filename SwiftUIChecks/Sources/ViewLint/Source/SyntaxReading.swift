import SwiftSyntax

// Shared helpers for syntax nodes.

extension TokenSyntax {
    /// Without backticks.
    var plain: String { identifier?.name ?? text }
}

extension AttributeListSyntax {
    /// The attribute names without the module: `ViewBuilder` for `@SwiftUI.ViewBuilder`.
    var names: [String] {
        compactMap { $0.as(AttributeSyntax.self)?.attributeName.composedNames.last }
    }
}

extension TypeSyntax {
    /// The names in a type or protocol composition, without modules: `View` for `SwiftUI.View`.
    var composedNames: [String] {
        if let composition = self.as(CompositionTypeSyntax.self) {
            return composition.elements.flatMap { $0.type.composedNames }
        }
        if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.composedNames }
        if let member = self.as(MemberTypeSyntax.self) { return [member.name.plain] }
        if let identifier = self.as(IdentifierTypeSyntax.self) { return [identifier.name.plain] }
        return []
    }

    /// The name with its surrounding types and without generic arguments: `Outer.Inner`.
    var baseName: String {
        if let member = self.as(MemberTypeSyntax.self) { return member.baseType.baseName + "." + member.name.plain }
        return self.as(IdentifierTypeSyntax.self)?.name.plain ?? trimmedDescription
    }

    /// The type inside optionals, attributes and parentheses.
    var unwrapped: TypeSyntax {
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.unwrapped }
        if let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return optional.wrappedType.unwrapped }
        if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.unwrapped }
        if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
            return only.type.unwrapped
        }
        if let generic = self.as(IdentifierTypeSyntax.self), generic.name.text == "Optional",
            case .type(let wrapped)? = generic.genericArgumentClause?.arguments.first?.argument
        {
            return wrapped.unwrapped
        }
        return self
    }
}

extension PatternSyntax {
    /// The names that the pattern binds.
    var boundNames: [TokenSyntax] {
        let collector = BoundNames(viewMode: .sourceAccurate)
        collector.walk(self)
        return collector.names
    }
}

private final class BoundNames: SyntaxVisitor {
    var names: [TokenSyntax] = []

    override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
        names.append(node.identifier)
        return .skipChildren
    }
}

extension Syntax {
    /// The names of the surrounding types and extensions of a declaration, outermost first.
    var enclosingTypeNames: [String] {
        var names: [String] = []
        var node = parent
        while let current = node {
            if let name = current.typeName { names.insert(name, at: 0) }
            node = current.parent
        }
        return names
    }

    /// The name of a type or extension with its surrounding types; nil for other nodes.
    var declaredName: String? { typeName.map { (enclosingTypeNames + [$0]).joined(separator: ".") } }

    private var typeName: String? {
        guard asProtocol((any DeclGroupSyntax).self) != nil else { return nil }
        return asProtocol((any NamedDeclSyntax).self)?.name.plain
            ?? self.as(ExtensionDeclSyntax.self)?.extendedType.baseName
    }

    /// The generic parameters of only this declaration, with their bounds.
    var bounds: GenericBounds {
        let generics = asProtocol((any WithGenericParametersSyntax).self)
        let requirements =
            generics?.genericWhereClause ?? self.as(ExtensionDeclSyntax.self)?.genericWhereClause
        var bounds: GenericBounds = [:]
        for parameter in generics?.genericParameterClause?.parameters ?? [] {
            bounds[parameter.name.plain] = parameter.inheritedType?.composedNames ?? []
        }
        for case .conformanceRequirement(let requirement)? in requirements?.requirements.map(\.requirement) ?? [] {
            bounds[requirement.leftType.trimmedDescription, default: []] += requirement.rightType.composedNames
        }
        return bounds
    }

    /// The generic parameters of the surrounding types of a declaration.
    var surroundingBounds: GenericBounds {
        var bounds: GenericBounds = [:]
        var node = parent
        while let current = node {
            bounds.merge(current.bounds) { inner, _ in inner }
            node = current.parent
        }
        return bounds
    }
}

extension FunctionDeclSyntax {
    var genericBounds: GenericBounds { Syntax(self).bounds }
}

extension InitializerDeclSyntax {
    var genericBounds: GenericBounds { Syntax(self).bounds }
}

extension FunctionCallExprSyntax {
    /// The last part of the callee's name: `sheet` for `x.sheet(…)`, `Card` for `Card.init(…)`.
    var calleeName: String? { calledExpression.calleeName }
}

extension ExprSyntax {
    /// The last part of a name, without generic arguments; nil for a callee without a name.
    var calleeName: String? {
        if let reference = self.as(DeclReferenceExprSyntax.self) { return reference.baseName.plain }
        if let generic = self.as(GenericSpecializationExprSyntax.self) { return generic.expression.calleeName }
        if let chain = self.as(OptionalChainingExprSyntax.self) { return chain.expression.calleeName }
        guard let member = self.as(MemberAccessExprSyntax.self) else { return nil }
        let name = member.declName.baseName.plain
        return name == "init" ? member.base?.calleeName : name
    }

    /// The first expression in a chain of members, calls and subscripts, and the innermost call of the chain.
    var root: (expression: ExprSyntax?, innermostCall: FunctionCallExprSyntax?) {
        var innermost: FunctionCallExprSyntax?
        var current: ExprSyntax? = self
        while let expression = current {
            if let call = expression.as(FunctionCallExprSyntax.self) {
                innermost = call
                current = call.calledExpression
            } else if let member = expression.as(MemberAccessExprSyntax.self) {
                guard let base = member.base else { return (nil, innermost) }
                current = base
            } else if let subscripted = expression.as(SubscriptCallExprSyntax.self) {
                current = subscripted.calledExpression
            } else if let generic = expression.as(GenericSpecializationExprSyntax.self) {
                current = generic.expression
            } else if let chain = expression.as(OptionalChainingExprSyntax.self) {
                current = chain.expression
            } else if let forced = expression.as(ForceUnwrapExprSyntax.self) {
                current = forced.expression
            } else if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1 {
                current = tuple.elements.first?.expression
            } else if let configured = expression.as(PostfixIfConfigExprSyntax.self) {
                guard let base = configured.base else { return (nil, innermost) }
                current = base
            } else {
                return (expression, innermost)
            }
        }
        return (nil, innermost)
    }
}

extension String {
    var startsUpperCase: Bool { first(where: { $0 != "_" })?.isUppercase ?? false }
}
