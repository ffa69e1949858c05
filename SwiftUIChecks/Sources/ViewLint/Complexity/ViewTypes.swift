import SwiftSyntax

extension TypeIndex {
    /// Whether a member makes views: by its type, or by its builder.
    func makesViews(_ member: Member) -> Bool {
        guard member.content != nil else { return false }
        if member.attributes.contains(where: Vocabulary.isBuilder) { return true }
        return member.type.map { isContent($0, member.generics) ?? false } ?? false
    }

    /// Whether builders accept a type; nil if unknown.
    func isContent(_ type: TypeSyntax, _ generics: GenericBounds) -> Bool? {
        let type = type.unwrapped
        if let opaque = type.as(SomeOrAnyTypeSyntax.self) {
            return opaque.constraint.composedNames.contains(where: isContentProtocol)
        }
        if type.is(TupleTypeSyntax.self) || type.is(ArrayTypeSyntax.self) || type.is(DictionaryTypeSyntax.self)
            || type.is(FunctionTypeSyntax.self)
        {
            return false
        }
        guard let name = type.composedNames.last else { return nil }
        if let bounds = generics[name] { return bounds.contains(where: isContentProtocol) ? true : nil }
        if name == "Self" { return nil }
        if name == "Void" || name == "Never" || Vocabulary.isValue(name) { return false }
        return isView(named: name)
    }

    private func isContentProtocol(_ name: String) -> Bool {
        Vocabulary.contents.contains(name) || isView(named: name) == true
    }

    /// Whether a closure for this parameter builds; nil if its type doesn't determine it.
    func builds(_ parameter: Parameter, _ generics: GenericBounds) -> Bool? {
        if parameter.attributes.contains(where: Vocabulary.isBuilder) { return true }
        guard let function = parameter.type.unwrapped.as(FunctionTypeSyntax.self) else { return nil }
        return isContent(function.returnClause.type, generics)
    }

    /// Whether the closure argument of a function or initialiser in the scanned files builds; nil if no declaration
    /// is known, or if declarations of the same name differ.
    func declaredToBuild(_ argument: ClosureArgument) -> Bool? {
        guard let name = argument.call.calleeName else { return nil }
        let answers = (signatures[name] ?? []).compactMap { signature -> Bool?? in
            guard let parameter = argument.parameter(among: signature.parameters) else { return nil }
            return .some(builds(parameter, signature.generics))
        }
        guard let first = answers.first, answers.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}

/// A closure as the argument of a call.
struct ClosureArgument {
    let call: FunctionCallExprSyntax
    /// nil for an unlabelled argument and for the first trailing closure.
    let label: String?
    let isTrailing: Bool
    /// Whether an unlabelled closure precedes it.
    let follows: Bool

    /// nil if the closure isn't an argument.
    init?(_ closure: ClosureExprSyntax) {
        let parent = closure.parent
        if let call = parent?.as(FunctionCallExprSyntax.self), call.trailingClosure?.id == closure.id {
            self.init(call: call, label: nil, isTrailing: true, before: call.arguments.endIndex)
        } else if let element = parent?.as(MultipleTrailingClosureElementSyntax.self),
            let call = element.parent?.parent?.as(FunctionCallExprSyntax.self)
        {
            self.init(call: call, label: element.label.plain, isTrailing: true, before: call.arguments.endIndex)
        } else if let element = parent?.as(LabeledExprSyntax.self),
            let call = element.parent?.parent?.as(FunctionCallExprSyntax.self),
            let place = call.arguments.firstIndex(where: { $0.id == element.id })
        {
            self.init(call: call, label: element.label?.plain, isTrailing: false, before: place)
        } else {
            return nil
        }
    }

    private init(
        call: FunctionCallExprSyntax, label: String?, isTrailing: Bool, before place: LabeledExprListSyntax.Index
    ) {
        self.call = call
        self.label = label
        self.isTrailing = isTrailing
        follows = call.arguments[..<place].contains { $0.label == nil && $0.expression.is(ClosureExprSyntax.self) }
    }

    /// The parameter for the closure; nil if the parameters don't match.
    func parameter(among parameters: [Parameter]) -> Parameter? {
        if let label { return parameters.first { $0.label == label } }
        let closures = parameters.filter { parameter in
            parameter.type.unwrapped.is(FunctionTypeSyntax.self)
                || parameter.attributes.contains(where: Vocabulary.isBuilder)
        }
        guard isTrailing else { return closures.first { $0.label == nil } }
        let given =
            call.arguments.compactMap { $0.label?.plain } + call.additionalTrailingClosures.map(\.label.plain)
        let open = closures.filter { parameter in !given.contains { $0 == parameter.label } }
        return open.first { !$0.hasDefault } ?? open.first
    }
}
