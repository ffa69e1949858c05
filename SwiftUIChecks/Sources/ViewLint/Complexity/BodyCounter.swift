import SwiftSyntax

/// A composition point of a body.
package struct Point: Sendable {
    package let place: Place
    /// The callee or label of a building closure, or the name of a helper.
    package let name: String
    package let isMention: Bool
    /// The helper that contains it; nil for the body itself.
    package let helper: String?
}

/// Finds the composition points that are reachable from a body without entering another View. It also collects facts
/// for other rules.
final class BodyCounter: SyntaxVisitor {
    private(set) var composition = Composition()
    /// Findings of rules about evaluated expressions in a body.
    private(set) var costs: [(rule: Rule, position: Place, detail: String)] = []
    /// Skipped closures, for a manual check of the rules.
    private(set) var skipped: [(place: Place, name: String)] = []

    private let index: TypeIndex
    private let configuration: Configuration
    private let entry: TypeIndex.Entry
    /// The meaning of a local name that hides the type's members.
    private enum Local {
        case value
        /// A view from outside: not a point, but a closure that contains it builds.
        case content
        case helper(Member)
    }
    /// Innermost last.
    private var scopes: [[String: Local]] = []
    /// The numbers of the helpers that were entered, the body's is 0.
    private var visited: [SyntaxIdentifier: Int] = [:]
    private var file: SourceFile
    /// The siblings of the next node.
    private var nodes: [Composition.Node] = []
    private var closureCount = 0
    /// What the content at the current place can become.
    private var target: Composition.Target?
    private lazy var roles = ClosureRoles(index: index, configuration: configuration) { [unowned self] in
        mentioned(by: $0) != nil || mentionsContent($0)
    }

    init(_ start: Member, of entry: TypeIndex.Entry, in index: TypeIndex, _ configuration: Configuration) {
        self.index = index
        self.configuration = configuration
        self.entry = entry
        file = start.file
        super.init(viewMode: .sourceAccurate)
        enter(start)
    }

    /// Walks a helper's content once.
    ///
    /// - Returns: its number.
    @discardableResult
    private func enter(_ member: Member, isLocal: Bool = false) -> Int {
        if let known = visited[member.node.id] { return known }
        let number = composition.helpers.count
        visited[member.node.id] = number
        let outer = (scopes, file, target)
        target = index.target(of: member)
        composition.helpers.append(Composition.Helper(name: member.name, target: target))
        guard let content = member.content else { return number }
        let generics = entry.generics.merging(member.generics) { $0 + $1 }
        // Names of the place that mentions it are hidden from a member.
        if !isLocal { scopes = [] }
        scopes.append([:])
        for parameter in member.parameters ?? [] {
            let isContent =
                index.isContent(parameter.type, generics) == true || index.builds(parameter, generics) == true
                || (member.name == "body" && parameter.name == "content")
            scopes[scopes.count - 1][parameter.name] = isContent ? .content : .value
        }
        file = member.file
        composition.helpers[number].content = collected { walk(content) }
        (scopes, file, target) = outer
        return number
    }

    /// The nodes that a walk adds.
    private func collected(_ walkInside: () -> Void) -> [Composition.Node] {
        let outer = nodes
        nodes = []
        walkInside()
        defer { nodes = outer }
        return nodes
    }

    private func addBranches(_ branches: [() -> Void]) {
        let branches = branches.map(collected).filter { !$0.isEmpty }
        if !branches.isEmpty { nodes.append(.branches(branches)) }
    }

    // MARK: Closures

    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
        let argument = ClosureArgument(node)
        let name = argument.map { $0.label ?? $0.call.calleeName ?? "closure" } ?? "closure"
        guard roles.builds(node) else {
            skipped.append((file.place(node.positionAfterSkippingLeadingTrivia), name))
            return .skipChildren
        }
        let (number, outer) = (closureCount, target)
        closureCount += 1
        target = index.target(ofContentOf: node, inside: outer)
        var names: [String: Local] = [:]
        switch node.signature?.parameterClause {
        case .simpleInput(let parameters):
            for parameter in parameters { names[parameter.name.plain] = .value }
        case .parameterClause(let clause):
            for parameter in clause.parameters {
                names[(parameter.secondName ?? parameter.firstName).plain] = .value
            }
        case nil: break
        }
        let content = collected { inScope(names) { walk(node.statements) } }
        nodes.append(
            .closure(
                Composition.Closure(
                    number: number, place: file.place(node.positionAfterSkippingLeadingTrivia), name: name,
                    target: target, content: content)))
        target = outer
        return .skipChildren
    }

    // MARK: Mentions

    /// The helper behind a name, with or without `self.`; nil for everything else.
    private func mentioned(by expression: ExprSyntax) -> Member? {
        if let reference = expression.as(DeclReferenceExprSyntax.self) {
            let name = reference.baseName.plain
            switch local(name) {
            case .helper(let member): return member
            case .value, .content: return nil
            case nil: return helper(named: name, at: expression)
            }
        }
        if let member = expression.as(MemberAccessExprSyntax.self), member.isOnSelf {
            return helper(named: member.declName.baseName.plain, at: expression)
        }
        return nil
    }

    private func local(_ name: String) -> Local? {
        scopes.last { $0[name] != nil }?[name]
    }

    /// Whether a name refers to a view from outside the type or function: `content`, or `content()`.
    private func mentionsContent(_ expression: ExprSyntax) -> Bool {
        let name: String
        if let reference = expression.as(DeclReferenceExprSyntax.self) {
            name = reference.baseName.plain
            if case .content? = local(name) { return true }
            if local(name) != nil { return false }
        } else if let member = expression.as(MemberAccessExprSyntax.self), member.isOnSelf {
            name = member.declName.baseName.plain
        } else {
            return false
        }
        return (entry.membersByName[name] ?? []).contains { member in
            guard member.content == nil, let type = member.type else { return false }
            if member.attributes.contains(where: Vocabulary.isBuilder) { return true }
            let made = type.unwrapped.as(FunctionTypeSyntax.self)?.returnClause.type ?? type
            return index.isContent(made, entry.generics) == true
        }
    }

    private func helper(named name: String, at expression: ExprSyntax) -> Member? {
        let members = entry.membersByName[name] ?? []
        let call = expression.parent?.as(FunctionCallExprSyntax.self)
        let isCalled = call?.calledExpression.id == expression.id
        // `title` means the property if there is one, and `title(…)` the function.
        let properties = members.filter { $0.parameters == nil }
        var candidates = isCalled ? members.filter { $0.parameters != nil } : properties
        if candidates.isEmpty { candidates = members }
        if let call, isCalled, candidates.count > 1 {
            let labels = call.arguments.map { $0.label?.plain }
            let fitting = candidates.filter { candidate in
                let known = candidate.parameters?.map(\.label) ?? []
                return labels.allSatisfy(known.contains)
            }
            if !fitting.isEmpty { candidates = fitting }
        }
        return candidates.first(where: index.makesViews)
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        mention(ExprSyntax(node), named: node.baseName)
        return .skipChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        if node.isOnSelf {
            mention(ExprSyntax(node), named: node.declName.baseName)
        } else if let base = node.base {
            walk(base)
        }
        return .skipChildren
    }

    override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    private func mention(_ expression: ExprSyntax, named token: TokenSyntax) {
        guard let member = mentioned(by: expression) else { return }
        let isLocal = expression.as(DeclReferenceExprSyntax.self).map { local($0.baseName.plain) != nil } ?? false
        let place = file.place(token.positionAfterSkippingLeadingTrivia)
        nodes.append(.mention(place, helper: enter(member, isLocal: isLocal)))
    }

    // MARK: Names

    private func inScope(_ names: [String: Local] = [:], _ walkInside: () -> Void) {
        scopes.append(names)
        walkInside()
        scopes.removeLast()
    }

    private func declare(_ names: [TokenSyntax]) {
        guard !scopes.isEmpty else { return }
        for name in names { scopes[scopes.count - 1][name.plain] = .value }
    }

    /// Local functions are visible before their declaration.
    override func visit(_ node: CodeBlockItemListSyntax) -> SyntaxVisitorContinueKind {
        scopes.append([:])
        for item in node {
            guard let function = item.item.as(FunctionDeclSyntax.self) else { continue }
            declare(function.member(in: file))
        }
        return .visitChildren
    }

    override func visitPost(_ node: CodeBlockItemListSyntax) { scopes.removeLast() }

    private func declare(_ local: Member) {
        scopes[scopes.count - 1][local.name] = index.makesViews(local) ? .helper(local) : .value
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        for binding in node.bindings {
            if let value = binding.initializer?.value { walk(value) }
        }
        for member in node.members(in: file) { declare(member) }
        return .skipChildren
    }

    override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
        if let value = node.initializer?.value {
            walk(value)
        } else if let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier {
            // `if let header` reads the property.
            mention(ExprSyntax(DeclReferenceExprSyntax(baseName: name.trimmed)), named: name)
        }
        declare(node.pattern.boundNames)
        return .skipChildren
    }

    override func visit(_ node: MatchingPatternConditionSyntax) -> SyntaxVisitorContinueKind {
        walk(node.initializer.value)
        declare(node.pattern.boundNames)
        return .skipChildren
    }

    override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind {
        var shown: [Composition.Node] = []
        inScope {
            walk(node.conditions)
            shown = collected { walk(node.body) }
        }
        addBranches([{ self.nodes = shown }, { if let elseBody = node.elseBody { self.walk(elseBody) } }])
        return .skipChildren
    }

    override func visit(_ node: SwitchExprSyntax) -> SyntaxVisitorContinueKind {
        walk(node.subject)
        addBranches(node.cases.map { element in { self.walk(element) } })
        return .skipChildren
    }

    /// Operators aren't folded: `a ? b : c` has the elements `a`, `? b :` and `c`.
    override func visit(_ node: ExprListSyntax) -> SyntaxVisitorContinueKind {
        visit(node[...])
        return .skipChildren
    }

    private func visit(_ elements: Slice<ExprListSyntax>) {
        for (offset, element) in zip(elements.indices, elements) {
            guard let ternary = element.as(UnresolvedTernaryExprSyntax.self) else {
                walk(element)
                continue
            }
            let rest = elements[elements.index(after: offset)...]
            return addBranches([{ self.walk(ternary.thenExpression) }, { self.visit(rest) }])
        }
    }

    override func visit(_ node: SwitchCaseSyntax) -> SyntaxVisitorContinueKind {
        inScope {
            for item in node.label.as(SwitchCaseLabelSyntax.self)?.caseItems ?? [] {
                declare(item.pattern.boundNames)
                if let condition = item.whereClause?.condition { walk(condition) }
            }
            walk(node.statements)
        }
        return .skipChildren
    }

    override func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind {
        walk(node.sequence)
        inScope {
            declare(node.pattern.boundNames)
            walk(node.body)
        }
        return .skipChildren
    }

    // MARK: Skipped closures and types

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        node.macroName.text == "Preview" ? .skipChildren : .visitChildren
    }

    // MARK: Other rules

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if node.calleeName == "id", node.arguments.count == 1, let argument = node.arguments.first?.expression,
            node.calledExpression.is(MemberAccessExprSyntax.self), argument.trimmedDescription == "UUID()"
        {
            costs.append((.changingIdentity, file.place(argument.positionAfterSkippingLeadingTrivia), ""))
        }
        if let name = node.calleeName, Vocabulary.formatters.contains(name),
            node.calledExpression.root.expression != nil
        {
            costs.append((.formatterInBody, file.place(node.positionAfterSkippingLeadingTrivia), name))
        }
        return .visitChildren
    }
}
