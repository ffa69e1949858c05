/// Text that is safe in any output: the only place that replaces characters which break documents or deceive readers.
package enum CleanText {
    /// The text with U+FFFD for every character that XML 1.0 forbids or that changes the text direction.
    ///
    /// libxml2 2.9 writes forbidden characters unchanged, which makes the file unreadable.
    package static func clean(_ text: String) -> String {
        guard !isPlain(text), text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(isUnsafe(scalar) ? "\u{FFFD}" : scalar) }
        return String(result)
    }

    /// Whether a text is printable ASCII, as most are, and needs no check of its scalars.
    private static func isPlain(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            // Without an early end, several bytes are checked at once.
            bytes.reduce(true) { $0 && $1 &- 0x20 < 0x5F }
        }
    }

    /// The clean text on one line: line ends and tabs become spaces.
    package static func line(_ text: String) -> String {
        let text = clean(text)
        // Of the characters that end lines only control characters are clean.
        guard text.utf8.contains(where: { $0 < 0x20 }) else { return text }
        return String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    }

    /// The clean text on one line of at most `most` characters; a longer text ends with an ellipsis.
    package static func line(_ text: String, most: Int) -> String {
        let line = line(text)
        return line.count > most ? line.prefix(most - 1) + "…" : line
    }

    /// Whether XML 1.0 forbids the scalar, it changes the text direction, or it is a terminal control.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: false
        case 0x00...0x1F, 0x7F...0x9F, 0xFFFE...0xFFFF: true
        case 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: scalar.value & 0xFFFE == 0xFFFE
        }
    }
}

extension CleanText {
    /// The clean text as one line that no CI server takes for a command, anywhere in a log.
    ///
    /// GitHub executes a line that starts with `::`, after optional white space, and `##[` anywhere; Azure executes
    /// `##vso[`, TeamCity `##teamcity[`. A visible character separates the pairs, because GitHub's runner compares by
    /// language rules, which ignore everything invisible.
    package static func logLine(_ text: String) -> String {
        let line = withHashesApart(line(text))
        let first = line.unicodeScalars.first { !isPassedOver($0) && !$0.properties.isWhitespace }
        return first == ":" ? "\\" + line : line
    }

    /// The text with a space between adjacent `#`.
    package static func withHashesApart(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            result.append(scalar)
            if scalar == "#", scalars[(index + 1)...].first(where: { !isPassedOver($0) }) == "#" { result.append(" ") }
        }
        return String(result)
    }

    private static func isPassedOver(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .format
    }
}

extension String {
    /// The text with some of its Unicode scalars replaced; `nil` keeps a scalar.
    ///
    /// It works on scalars instead of characters: a combining mark after a quote would hide the quote from a search.
    package func escaped(by replacement: (Unicode.Scalar) -> String?) -> String {
        guard unicodeScalars.contains(where: { replacement($0) != nil }) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if let text = replacement(scalar) {
                result.unicodeScalars.append(contentsOf: text.unicodeScalars)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
