import PerfgateReport

/// Something wrong in a YAML file, where it stands, and what to do about it.
struct YAMLProblem: Sendable, Hashable {
    /// The path of the file, as it was named.
    let path: String
    /// The line, from 1; `nil` where the whole file is meant.
    let line: Int?
    /// The column in Unicode scalars, from 1; `nil` where the whole line or file is meant.
    let column: Int?
    /// One sentence; its last clause says what to do.
    let message: String
    /// The text of the line; `nil` where there is none to show.
    let excerpt: String?

    /// The longest part of a line that is shown, in characters.
    private static let longestExcerpt = 160

    /// The place as compilers write it: `perfgate.yml:9:12`.
    var location: String {
        let place = [line, column].compactMap { $0.map { ":\($0)" } }.joined()
        return CleanText.line(path) + place
    }

    /// The line and a caret below the place; empty where the place is unknown or too far to the right to be shown.
    private var pointer: String {
        guard let excerpt, let column else { return "" }
        let before = CleanText.line(String(String.UnicodeScalarView(excerpt.unicodeScalars.prefix(column - 1))))
        guard before.count < Self.longestExcerpt else { return "" }
        let caret = String(repeating: " ", count: before.count) + "^"
        return "\n  \(CleanText.line(excerpt, most: Self.longestExcerpt))\n  \(caret)"
    }
}

extension YAMLProblem: CustomStringConvertible {
    /// The place, the sentence, and the line with a caret below the place.
    var description: String { "\(location): error: \(CleanText.line(message))\(pointer)" }
}

extension YAMLProblem: Comparable {
    /// By line, column, then message.
    static func < (lhs: YAMLProblem, rhs: YAMLProblem) -> Bool {
        (lhs.line ?? 0, lhs.column ?? 0, lhs.message) < (rhs.line ?? 0, rhs.column ?? 0, rhs.message)
    }
}
