import SwiftSyntax

/// Separates view-building closures from actions.
struct ClosureRoles {
    let index: TypeIndex
    let configuration: Configuration
    /// Whether a plain name, with or without `self.`, refers to a view or to a helper that makes a view.
    let mentionsView: (ExprSyntax) -> Bool

    /// Whether a closure literal is in a builder position: by the table, else by the called function's declaration,
    /// else by its content.
    func builds(_ closure: ClosureExprSyntax) -> Bool {
        guard let argument = ClosureArgument(closure) else { return holdsViews(closure) }
        return byTable(argument) ?? index.declaredToBuild(argument)
            ?? (!isData(argument) && holdsViews(closure))
    }

    private func byTable(_ argument: ClosureArgument) -> Bool? {
        let callee = argument.call.calleeName ?? ""
        if let label = argument.label {
            if configuration.actions.contains(label + ":") { return false }
            if configuration.builders.contains(label + ":") { return true }
            if Vocabulary.isAction(label: label) { return false }
            if Vocabulary.builderLabels.contains(label) { return true }
        }
        if configuration.actions.contains(callee) { return false }
        if configuration.builders.contains(callee) { return true }
        if Vocabulary.buttons.contains(callee) {
            let hasAction =
                argument.follows
                || argument.call.arguments.contains { ["action", "intent"].contains($0.label?.text) }
            return argument.label != nil || (argument.isTrailing && hasAction)
        }
        if Vocabulary.actions.contains(callee) || Vocabulary.isEventName(callee) { return false }
        // `sheet(item: $item) { … } content: { … }`: the first closure handles the dismissal.
        if argument.call.additionalTrailingClosures.contains(where: { $0.label.text == "content" }) { return nil }
        return Vocabulary.builders.contains(callee) ? true : nil
    }

    /// A closure argument in a chain that starts at a value: `ForEach(items.filter { … })`.
    private func isData(_ argument: ClosureArgument) -> Bool {
        let root = ExprSyntax(argument.call).root.expression
        guard let name = root?.as(DeclReferenceExprSyntax.self)?.baseName.plain, !name.startsUpperCase else {
            return false
        }
        var node = argument.call.parent
        while let current = node, !current.is(CodeBlockItemSyntax.self) {
            if current.is(LabeledExprSyntax.self) { return true }
            node = current.parent
        }
        return false
    }

    /// Whether a closure has a view as a statement, and no statement that only actions have.
    private func holdsViews(_ closure: ClosureExprSyntax) -> Bool {
        let signs = ActionSigns(viewMode: .sourceAccurate)
        signs.walk(closure.statements)
        return !signs.found && makesView(closure.statements)
    }

    private func makesView(_ statements: CodeBlockItemListSyntax) -> Bool {
        statements.contains { statement in
            switch statement.item {
            case .expr(let expression): makesView(expression)
            case .stmt(let statement):
                if let returned = statement.as(ReturnStmtSyntax.self)?.expression {
                    makesView(returned)
                } else if let expression = statement.as(ExpressionStmtSyntax.self)?.expression {
                    makesView(expression)
                } else {
                    false
                }
            case .decl(let declaration): makesView(declaration)
            }
        }
    }

    private func makesView(_ declaration: DeclSyntax) -> Bool {
        guard let condition = declaration.as(IfConfigDeclSyntax.self) else { return false }
        return condition.clauses.contains { clause in
            if case .statements(let statements)? = clause.elements { makesView(statements) } else { false }
        }
    }

    private func makesView(_ expression: ExprSyntax) -> Bool {
        if let condition = expression.as(IfExprSyntax.self) {
            if makesView(condition.body.statements) { return true }
            switch condition.elseBody {
            case .ifExpr(let next): return makesView(ExprSyntax(next))
            case .codeBlock(let block): return makesView(block.statements)
            case nil: return false
            }
        }
        if let choice = expression.as(SwitchExprSyntax.self) {
            return choice.cases.contains { element in
                if case .switchCase(let branch) = element { makesView(branch.statements) } else { false }
            }
        }
        if let sequence = expression.as(SequenceExprSyntax.self) {
            // The branches of `a ? Text(b) : Text(c)`, not the operands of `Text(a) + Text(b)` alone.
            return sequence.elements.contains { element in
                element.as(UnresolvedTernaryExprSyntax.self).map { makesView($0.thenExpression) } ?? makesView(element)
            }
        }
        let (root, call) = expression.root
        guard let root else { return false }
        if mentionsView(expression.start) { return true }
        guard let start = root.as(DeclReferenceExprSyntax.self)?.baseName.plain else { return false }
        let name = call?.calleeName
        // `Color.red.padding()`, `Image.logo.resizable()`: a member of a SwiftUI type.
        if start != name, start == "Color" || Vocabulary.views.contains(start) { return true }
        guard let name, name.startsUpperCase, !configuration.notViews.contains(name) else { return false }
        return index.isView(named: name) ?? !Vocabulary.isValue(name)
    }
}

extension ExprSyntax {
    /// The first name of a chain, with a preceding `self.` or `Self.`.
    fileprivate var start: ExprSyntax {
        var current = self
        while true {
            let base: ExprSyntax? =
                current.as(FunctionCallExprSyntax.self)?.calledExpression
                ?? current.as(OptionalChainingExprSyntax.self)?.expression
                ?? current.as(ForceUnwrapExprSyntax.self)?.expression
                ?? current.as(MemberAccessExprSyntax.self).flatMap { $0.isOnSelf ? nil : $0.base }
            guard let base else { return current }
            current = base
        }
    }
}

extension MemberAccessExprSyntax {
    /// `self.x` or `Self.x`.
    var isOnSelf: Bool {
        ["self", "Self"].contains(base?.as(DeclReferenceExprSyntax.self)?.baseName.text)
    }
}

/// Constructs that only actions have: an assignment, a loop, `do`, `try`, `await`, `throw`, `defer`. Nested closures
/// are ignored.
private final class ActionSigns: SyntaxVisitor {
    var found = false

    private func mark() -> SyntaxVisitorContinueKind {
        found = true
        return .skipChildren
    }

    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: AssignmentExprSyntax) -> SyntaxVisitorContinueKind {
        // `_ = x` and `let _ = x` differ: only the latter is allowed in a builder.
        mark()
    }
    override func visit(_ node: BinaryOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        let name = node.operator.text
        let assigns = name.hasSuffix("=") && !["==", "!=", "<=", ">=", "===", "!==", "~="].contains(name)
        return assigns ? mark() : .skipChildren
    }
    override func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind { mark() }
    override func visit(_ node: WhileStmtSyntax) -> SyntaxVisitorContinueKind { mark() }
    override func visit(_ node: RepeatStmtSyntax) -> SyntaxVisitorContinueKind { mark() }
    override func visit(_ node: DoStmtSyntax) -> SyntaxVisitorContinueKind { mark() }
    override func visit(_ node: TryExprSyntax) -> SyntaxVisitorContinueKind { mark() }
    override func visit(_ node: AwaitExprSyntax) -> SyntaxVisitorContinueKind { mark() }
    override func visit(_ node: ThrowStmtSyntax) -> SyntaxVisitorContinueKind { mark() }
    override func visit(_ node: DeferStmtSyntax) -> SyntaxVisitorContinueKind { mark() }
}
