import SwiftDiagnostics
import SwiftSyntax

/// The macros' diagnostics.
enum Message: DiagnosticMessage {
    case notAStruct(String)
    case hashable(String)
    case handWritten
    case hidden
    case closure(String)
    case content(String)
    case contentSkipped(String)
    case nothingCompared(String)
    case numbersOnly(String)
    case skipsNothing
    case noBody(String)
    case otherBuilder
    case returns

    var message: String {
        switch self {
        case .notAStruct(let kind):
            "@Equatable is for structs: declare the view as a struct, not as a type of kind '\(kind)'"
        case .hashable(let name):
            "@Equatable can't write the == of '\(name)', which is Hashable: hash(into:) would include properties that == skips"
        case .handWritten: "@Equatable writes ==: remove this one, or the macro"
        case .hidden: "no extension can see this type: make it fileprivate, or write ': Equatable' after its name"
        case .closure(let name):
            "closure '\(name)' can't be compared: mark it @SkipEquatable if it doesn't change what body shows"
        case .content(let name):
            "closure '\(name)' makes children and can't be compared: store the view that it makes, as Equatable content"
        case .contentSkipped(let name):
            "skipping '\(name)' leaves the children that it makes stale: store the view that it makes, as Equatable content"
        case .nothingCompared(let name):
            "'\(name)' has no property to compare: its parent never makes it evaluate body again"
        case .numbersOnly(let name):
            "'\(name)' holds plain numbers only: SwiftUI compares its bytes and ignores ==, unless the parent says .equatable()"
        case .skipsNothing: "@SkipEquatable is for stored properties of a view that is @Equatable"
        case .noBody(let name): "@CountBodies found no 'var body' in '\(name)'"
        case .otherBuilder: "@CountBodies needs a body without its own result builder: remove the attribute"
        case .returns: "@CountBodies only counts a body without 'return'"
        }
    }

    var severity: DiagnosticSeverity {
        switch self {
        case .contentSkipped, .nothingCompared, .numbersOnly, .skipsNothing, .noBody, .returns: .warning
        case .notAStruct, .hashable, .handWritten, .hidden, .closure, .content, .otherBuilder: .error
        }
    }

    var diagnosticID: MessageID {
        MessageID(domain: "PerfgateViews", id: String(describing: self).prefix { $0 != "(" }.description)
    }

    func diagnostic(at node: some SyntaxProtocol, fixes: [FixIt] = []) -> Diagnostic {
        Diagnostic(node: Syntax(node), message: self, fixIts: fixes)
    }
}

private struct FixMessage: FixItMessage {
    let message: String
    let fixItID: MessageID

    init(_ message: String, _ id: String) {
        self.message = message
        fixItID = MessageID(domain: "PerfgateViews", id: id)
    }
}

extension FixIt {
    /// Inserts `@SkipEquatable` before a declaration.
    static func skipping(_ variable: VariableDeclSyntax) -> FixIt {
        let attribute = AttributeSyntax(attributeName: IdentifierTypeSyntax(name: .identifier("SkipEquatable")))
            .with(\.leadingTrivia, variable.leadingTrivia).with(\.trailingTrivia, .space)
        let rest = variable.with(\.leadingTrivia, [])
        let marked = rest.with(\.attributes, [.attribute(attribute)] + rest.attributes)
        return FixIt(
            message: FixMessage("insert '@SkipEquatable'", "insertSkipEquatable"),
            changes: [.replace(oldNode: Syntax(variable), newNode: Syntax(marked))])
    }

    /// Turns `private` into `fileprivate`.
    static func opening(_ modifier: DeclModifierSyntax) -> FixIt {
        FixIt(
            message: FixMessage("make it fileprivate", "makeFileprivate"),
            changes: [
                .replace(
                    oldNode: Syntax(modifier.name),
                    newNode: Syntax(
                        TokenSyntax.keyword(
                            .fileprivate, leadingTrivia: modifier.name.leadingTrivia,
                            trailingTrivia: modifier.name.trailingTrivia)))
            ])
    }

    /// Removes a function from a struct.
    static func removing(_ function: FunctionDeclSyntax, from declaration: StructDeclSyntax) -> FixIt {
        let members = declaration.memberBlock.members
        return FixIt(
            message: FixMessage("remove this '=='", "removeEquals"),
            changes: [
                .replace(
                    oldNode: Syntax(members), newNode: Syntax(members.filter { $0.decl.id != function.id }))
            ])
    }
}
