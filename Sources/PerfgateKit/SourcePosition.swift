/// A place in a source file, as the configuration writes it: `path` or `path:line`.
struct SourcePosition {
    /// The path of the file.
    let file: String
    /// The line, from 1; `nil` where none is given.
    let line: Int?

    /// Takes a text apart; what doesn't end in a colon and a positive number is a path as a whole.
    init(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let line = Int(text[text.index(after: colon)...]), line > 0 else {
            (file, line) = (text, nil)
            return
        }
        file = String(text[..<colon])
        self.line = line
    }
}
