/// A tag of a template and where it stands.
struct TemplateTag: Equatable {
    /// What the tag does.
    enum Kind: Equatable {
        /// `{{name}}`: escaped.
        case text
        /// `{{{name}}}` or `{{&name}}`: as it is.
        case markup
        /// `{{#name}}`.
        case section
        /// `{{^name}}`.
        case inverted
        /// `{{/name}}`.
        case end
        /// `{{> name}}`.
        case part
        /// Anything else but a comment, with its first character.
        case unsupported(Character)
    }

    /// What it does.
    let kind: Kind
    /// The name in it, without white space around it.
    let name: String
    /// The line of its first brace, from 1.
    let line: Int
    /// The column of its first brace in characters, from 1.
    let column: Int

    /// The tags of a template in their order; comments are left out, an unfinished tag is the engine's to report.
    static func all(in template: String) -> [TemplateTag] {
        var tags: [TemplateTag] = []
        var line = 1
        var column = 1
        var rest = template[...]
        func pass(_ text: Substring) {
            line += text.count { $0 == "\n" }
            column = text.lastIndex(of: "\n").map { text[$0...].count } ?? column + text.count
        }
        while let (before, after) = split(rest, at: "{{"), let (inside, next) = split(after, at: "}}") {
            pass(before)
            if let tag = TemplateTag(inside: inside, line: line, column: column) { tags.append(tag) }
            let end = next.first == "}" && inside.first == "{" ? next.dropFirst() : next
            pass(rest[before.endIndex..<end.startIndex])
            rest = end
        }
        return tags
    }

    private init?(inside: Substring, line: Int, column: Int) {
        guard let mark = inside.first, mark != "!" else { return nil }
        let kinds: [Character: Kind] = [
            "{": .markup, "&": .markup, "#": .section, "^": .inverted, "/": .end, ">": .part,
        ]
        let marks: Set<Character> = ["=", "<", "$", "%", "*"]
        kind = kinds[mark] ?? (marks.contains(mark) ? .unsupported(mark) : .text)
        let name = kind == .text ? inside : inside.dropFirst()
        self.name = String(name.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        self.line = line
        self.column = column
    }

    private static func split(_ text: Substring, at mark: String) -> (Substring, Substring)? {
        guard let range = text.firstRange(of: mark) else { return nil }
        return (text[..<range.lowerBound], text[range.upperBound...])
    }
}
