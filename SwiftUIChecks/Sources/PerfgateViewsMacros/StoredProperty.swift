import SwiftSyntax

/// A stored property of a struct, with the facts for its comparison.
struct StoredProperty {
    /// The method that compares two values of the property.
    enum Comparison {
        /// By the property's value; for a binding, the bound value.
        case value
        /// By a wrapper; only the compiler knows whether SwiftUI updates it.
        case wrapper
        /// A closure, or a tuple that contains a closure.
        case closure
        case none
    }

    let name: TokenSyntax
    let declaration: VariableDeclSyntax
    let type: TypeSyntax?
    let initialValue: ExprSyntax?
    let comparison: Comparison

    /// Wrappers that SwiftUI updates itself: a new value triggers an evaluation of the body, independent of `==`.
    private static let selfUpdating: Set = [
        "State", "StateObject", "Environment", "EnvironmentObject", "FocusState", "Namespace", "AppStorage",
        "SceneStorage", "GestureState", "ScaledMetric", "Query", "FetchRequest", "SectionedFetchRequest",
    ]
    private static let selfUpdatingPrefixes = ["Focused", "Accessibility"]
    /// Attributes of stored properties that aren't wrappers, apart from builders.
    private static let plain: Set = ["available", "MainActor", "preconcurrency", "usableFromInline"]

    var isSkipped: Bool { declaration.attributes.names.contains("SkipEquatable") }

    /// Whether a closure makes the view's children, by its builder or its result.
    func isContent(_ generics: Set<String>) -> Bool {
        if declaration.attributes.names.contains(where: { $0.hasSuffix("Builder") }) { return true }
        guard let result = type?.unwrapped.as(FunctionTypeSyntax.self)?.returnClause.type.unwrapped else {
            return false
        }
        return result.is(SomeOrAnyTypeSyntax.self) || generics.contains(result.trimmedDescription)
            || result.trimmedDescription == "AnyView"
    }

    /// Whether the type is a number, by its annotation or its initial value.
    var isNumber: Bool {
        guard declaration.wrapperNames.isEmpty else { return false }
        if let type { return Self.numbers.contains(type.trimmedDescription) }
        guard let initialValue else { return false }
        return initialValue.is(IntegerLiteralExprSyntax.self) || initialValue.is(FloatLiteralExprSyntax.self)
            || initialValue.is(BooleanLiteralExprSyntax.self)
    }

    private static let numbers: Set = [
        "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Float",
        "Double", "CGFloat", "CGPoint", "CGSize", "CGRect", "TimeInterval",
    ]

    /// The stored instance properties of a declaration, without computed, static and lazy properties.
    static func all(of variable: VariableDeclSyntax) -> [StoredProperty] {
        let modifiers = variable.modifiers.map(\.name.text)
        guard !modifiers.contains("static"), !modifiers.contains("class"), !modifiers.contains("lazy") else {
            return []
        }
        var properties: [StoredProperty] = []
        // `let a, b: Int`: the type follows the last of the names that share it.
        var type: TypeSyntax?
        for binding in variable.bindings.reversed() {
            type = binding.typeAnnotation?.type ?? (binding.initializer == nil ? type : nil)
            guard !binding.isComputed else { continue }
            for name in binding.pattern.boundNames.reversed() {
                let isTuple = !binding.pattern.is(IdentifierPatternSyntax.self)
                properties.append(
                    StoredProperty(
                        name: name, declaration: variable, type: isTuple ? nil : type,
                        initialValue: isTuple ? nil : binding.initializer?.value,
                        comparison: comparison(variable, binding, type)))
            }
        }
        return properties.reversed()
    }

    private static func comparison(
        _ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ type: TypeSyntax?
    ) -> Comparison {
        if variable.attributes.names.contains("SkipEquatable") { return .none }
        // A constant is equal in every view of the type, or differs without meaning: `let id = UUID()`.
        if variable.bindingSpecifier.text == "let", binding.initializer != nil { return .none }
        if let wrapper = variable.wrapperNames.last {
            if wrapper == "Binding" { return .value }
            let isSelfUpdating =
                selfUpdating.contains(wrapper) || selfUpdatingPrefixes.contains(where: wrapper.hasPrefix)
            return isSelfUpdating ? .none : .wrapper
        }
        return type?.holdsClosure == true ? .closure : .value
    }

    fileprivate static func isWrapper(_ attribute: String) -> Bool { !plain.contains(attribute) }
}

extension VariableDeclSyntax {
    /// The attributes that may be property wrappers; a `let` has none.
    var wrapperNames: [String] {
        guard bindingSpecifier.text == "var" else { return [] }
        return attributes.names.filter {
            $0 != "SkipEquatable" && !$0.hasSuffix("Builder") && StoredProperty.isWrapper($0)
        }
    }
}

extension AttributeListSyntax {
    /// Names without surrounding modules or types: `State` for `@SwiftUI.State`, `Binding` for `@FocusState.Binding`.
    var names: [String] {
        compactMap { element in
            guard let type = element.as(AttributeSyntax.self)?.attributeName else { return nil }
            return type.as(MemberTypeSyntax.self)?.name.text ?? type.as(IdentifierTypeSyntax.self)?.name.text
        }
    }
}

extension PatternBindingSyntax {
    /// Whether it has accessors other than observers.
    fileprivate var isComputed: Bool {
        switch accessorBlock?.accessors {
        case nil: false
        case .getter: true
        case .accessors(let accessors):
            accessors.contains { !["willSet", "didSet"].contains($0.accessorSpecifier.text) }
        }
    }
}

extension PatternSyntax {
    fileprivate var boundNames: [TokenSyntax] {
        if let identifier = self.as(IdentifierPatternSyntax.self) { return [identifier.identifier] }
        return self.as(TuplePatternSyntax.self)?.elements.flatMap(\.pattern.boundNames) ?? []
    }
}

extension TypeSyntax {
    /// The type inside optionals, attributes and parentheses.
    fileprivate var unwrapped: TypeSyntax {
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.unwrapped }
        if let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return optional.wrappedType.unwrapped }
        if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.unwrapped }
        if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
            return only.type.unwrapped
        }
        return self
    }

    fileprivate var holdsClosure: Bool {
        let type = unwrapped
        if let tuple = type.as(TupleTypeSyntax.self) { return tuple.elements.contains { $0.type.holdsClosure } }
        return type.is(FunctionTypeSyntax.self)
    }
}
