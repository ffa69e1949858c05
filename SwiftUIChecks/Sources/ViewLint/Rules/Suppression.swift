import SwiftSyntax

/// `// view-lint: allow RULE: REASON`, on the line of a finding or above it, or above a type for all findings in it.
struct Suppression: Sendable {
    static let form = "// view-lint: allow RULE: REASON"

    let place: Place
    /// The lines that it covers.
    let lines: ClosedRange<Int>
    /// The type that it is written above, with the surrounding types: it only covers this type's findings.
    let type: String?
    /// nil for an unknown rule.
    let rule: Rule?
    let hasReason: Bool

    func covers(_ finding: Finding) -> Bool {
        hasReason && finding.rule == rule && finding.place.file == place.file && lines.contains(finding.place.line)
            && (type ?? finding.type) == finding.type
    }

    /// The problem with it, depending on whether it covered a finding.
    func complaint(isUsed: Bool) -> Finding? {
        let message: String
        if rule == nil {
            message =
                "the suppression names no rule: \(Self.form), RULE being one of "
                + Rule.allCases.filter { $0 != .suppression }.map(\.rawValue).joined(separator: ", ")
        } else if !hasReason {
            message = "the suppression gives no reason: \(Self.form)"
        } else if !isUsed {
            message = "the suppression has no finding: remove it"
        } else {
            return nil
        }
        return Finding(rule: .suppression, place: place, type: "", message: message)
    }

    /// The common prefix; files without it are skipped.
    static let mark = "view-lint:"

    /// The suppressions of a file.
    static func all(in file: SourceFile) -> [Suppression] {
        guard file.mentionsSuppressions else { return [] }
        return file.tree.tokens(viewMode: .sourceAccurate).flatMap { token in
            of(token.leadingTrivia, at: token.position, before: token, in: file)
                + of(token.trailingTrivia, at: token.endPositionBeforeTrailingTrivia, before: nil, in: file)
        }
    }

    private static func of(
        _ trivia: Trivia, at start: AbsolutePosition, before token: TokenSyntax?, in file: SourceFile
    ) -> [Suppression] {
        var position = start
        var found: [Suppression] = []
        for piece in trivia {
            if case .lineComment(let text) = piece, let (rule, hasReason) = parse(text) {
                let place = file.place(position)
                let type = token.flatMap(typeDeclared)
                let last = token.map { token in
                    let end = type?.endPositionBeforeTrailingTrivia
                    return file.place(end ?? declared(after: token).positionAfterSkippingLeadingTrivia).line
                }
                found.append(
                    Suppression(
                        place: place, lines: place.line...max(place.line, last ?? 0), type: type?.declaredName,
                        rule: rule, hasReason: hasReason))
            }
            position = position.advanced(by: piece.sourceLength.utf8Length)
        }
        return found
    }

    /// The type or extension whose attributes, modifiers or keyword contain a token.
    private static func typeDeclared(by token: TokenSyntax) -> Syntax? {
        var node = token.parent
        while let current = node {
            if let group = current.asProtocol((any DeclGroupSyntax).self) {
                return token.position <= group.introducer.position ? current : nil
            }
            node = current.parent
        }
        return nil
    }

    /// The token after a comment on a separate line: after the attributes of a declaration.
    private static func declared(after token: TokenSyntax) -> TokenSyntax {
        guard token.tokenKind == .atSign else { return token }
        var node = token.parent
        while let current = node, current.asProtocol((any WithAttributesSyntax).self) == nil { node = current.parent }
        guard let attributes = node?.asProtocol((any WithAttributesSyntax).self)?.attributes else { return token }
        return attributes.lastToken(viewMode: .sourceAccurate)?.nextToken(viewMode: .sourceAccurate) ?? token
    }

    private static func parse(_ comment: String) -> (rule: Rule?, hasReason: Bool)? {
        let text = comment.drop { $0 == "/" || $0 == " " }
        guard text.hasPrefix(mark) else { return nil }
        let words = text.dropFirst(mark.count).split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0] == "allow" else { return (nil, false) }
        let parts = words[1].split(separator: ":", maxSplits: 1)
        let rule = Rule(rawValue: String(parts[0]).trimmingBlanks)
        return (rule == .suppression ? nil : rule, parts.count == 2 && !String(parts[1]).trimmingBlanks.isEmpty)
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
