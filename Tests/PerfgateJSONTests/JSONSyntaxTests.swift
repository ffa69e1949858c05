import PerfgateJSON
import Testing

/// The texts that RFC 8259 accepts and rejects, for both ways through the grammar: skipping and reading.
struct JSONSyntaxTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-0", "-1.5e+10", "1E5", "1e05", "0e0", "\"\"", "[]", "{}", " [ ] ", "\t{\r}\n",
        "[1,2]",
        "[[],{}]", "{\"a\":{\"b\":[null]}}", "{\"a\":1,\"a\":2}", "{\"\":0}", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\\uD834\\uDD1E\"",
        "\"\u{7F}\u{80}\u{2028}\"", "\"\u{10FFFF}\"", "\"/\"", "[1 , 2 ]", "{\"a\" : 1 , \"b\" : 2 }", "1e400",
        "\"\\u0000\"",
        "[\"a long string without anything special in it\",\"é\",1234567890123456789012345678901234567890]",
    ])
    func accepts(text: String) {
        #expect(skipError(Array(text.utf8)) == nil)
        #expect(treeError(Array(text.utf8)) == nil)
    }

    @Test(
        arguments: [
            ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("nul", .unexpectedEnd, 3), ("nulL", .expectedValue, 3),
            ("truex", .trailingContent, 4), ("True", .expectedValue, 0), ("[", .unexpectedEnd, 1),
            ("{", .unexpectedEnd, 1),
            ("[1", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3), ("[1,]", .expectedValue, 3),
            ("[,1]", .expectedValue, 1),
            ("[1 2]", .expectedCommaOrBracket, 3), ("[1}", .expectedCommaOrBracket, 2), ("{]", .expectedKey, 1),
            ("{\"a\"", .unexpectedEnd, 4), ("{\"a\":", .unexpectedEnd, 5), ("{\"a\":1", .unexpectedEnd, 6),
            ("{\"a\":1,", .unexpectedEnd, 7), ("{\"a\":1,}", .expectedKey, 7), ("{\"a\" 1}", .expectedColon, 5),
            ("{\"a\",1}", .expectedColon, 4), ("{\"a\":1 \"b\":2}", .expectedCommaOrBrace, 7),
            ("{a:1}", .expectedKey, 1),
            ("{\"a\":1]", .expectedCommaOrBrace, 6), ("{'a':1}", .expectedKey, 1), ("{1:1}", .expectedKey, 1),
            ("[1]]", .trailingContent, 3), ("1 2", .trailingContent, 2), ("//c\n1", .expectedValue, 0),
            ("\u{C}1", .expectedValue, 0),
            ("\u{A0}1", .expectedValue, 0), ("NaN", .expectedValue, 0), ("-Infinity", .invalidNumber, 1),
            ("0123", .invalidNumber, 0),
            ("-01", .invalidNumber, 1), ("1.", .unexpectedEnd, 2), ("[1.]", .invalidNumber, 3),
            (".5", .expectedValue, 0),
            ("+1", .expectedValue, 0), ("1e", .unexpectedEnd, 2), ("[1e+]", .invalidNumber, 4),
            ("-", .unexpectedEnd, 1),
            ("[--1]", .invalidNumber, 2), ("0x10", .trailingContent, 1), ("1_0", .trailingContent, 1),
            ("\"", .unexpectedEnd, 1),
            ("\"a", .unexpectedEnd, 2), ("'a'", .expectedValue, 0), ("\"a\tb\"", .controlCharacter, 2),
            ("\"\n\"", .controlCharacter, 1),
            ("\"a\0\"", .controlCharacter, 2), ("1\0", .trailingContent, 1), ("\"\\x\"", .invalidEscape, 1),
            ("\"\\\"", .unexpectedEnd, 3),
            ("\"\\", .unexpectedEnd, 2), ("\"\\u12g4\"", .invalidEscape, 1), ("\"\\u12", .unexpectedEnd, 5),
            ("\"\\u12\"", .invalidEscape, 1),
            ("\"\\ud800\"", .loneSurrogate, 1), ("\"\\udc00\"", .loneSurrogate, 1),
            ("\"\\ud800\\u0041\"", .loneSurrogate, 1),
            ("\"\\ud800x\"", .loneSurrogate, 1), ("\"\\ud800\\n\"", .loneSurrogate, 1),
            ("\"\\ud800\\ud800\"", .loneSurrogate, 1),
            ("[\"a rather long string that ends nowhere]", .unexpectedEnd, 41),
        ] as [(String, JSONError.Kind, Int)])
    func rejects(text: String, kind: JSONError.Kind, offset: Int) {
        #expect(skipError(Array(text.utf8)) == JSONError(kind, at: offset))
        let error = treeError(Array(text.utf8))
        #expect(error?.problem == .syntax(kind))
        #expect(error?.location.offset == offset)
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF0, 0x9F, 0x28, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]])
    func rejectsWhatIsNoUTF8(sequence: [UInt8]) {
        for length in [0, 1, 7, 8, 9, 20] {
            let before = [UInt8](repeating: UInt8(ascii: "a"), count: length)
            for after in [[], before] {
                let text = Array("\"".utf8) + before + sequence + after + Array("\"".utf8)
                #expect(skipError(text) == JSONError(.invalidUTF8, at: 1 + length))
            }
            #expect(skipError(Array("[\"".utf8) + before + sequence)?.kind == .invalidUTF8)
        }
    }

    @Test func acceptsEveryScalar() {
        for value in (UInt32(0x20)...0x10FFFF) where value < 0x800 || value % 251 == 0 || value & 0xFFF < 2 {
            guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
            let text = "\"aaaa\(scalar)\""
            if let error = skipError(Array(text.utf8)) { Issue.record("U+\(String(value, radix: 16)): \(error)") }
        }
    }

    @Test(arguments: ["[", "{\"a\":", "[{\"a\":"])
    func nestingEndsAtTheLimit(opening: String) {
        let closing = String(opening.compactMap { $0 == "[" ? "]" : $0 == "{" ? "}" : nil }.reversed())
        func nested(_ levels: Int) -> [UInt8] {
            let count = levels / closing.count
            return Array(
                (String(repeating: opening, count: count) + "0" + String(repeating: closing, count: count)).utf8)
        }
        #expect(skipError(nested(512)) == nil)
        #expect(treeError(nested(512)) == nil)
        let tooDeep = nested(514)
        #expect(skipError(tooDeep)?.kind == .tooDeep)
        #expect(treeError(tooDeep)?.problem == .syntax(.tooDeep))
        #expect(skipError(nested(200_000))?.kind == .tooDeep)
    }

    @Test func skippingCountsTheLevelsAround() {
        let text = String(repeating: "[", count: 513) + String(repeating: "]", count: 513)
        #expect(
            errorKind(text) { reader in
                for _ in 0..<300 {
                    try reader.enterArray()
                    _ = try reader.nextElement()
                }
                try reader.skipValue()
            } == .tooDeep)
        #expect(
            errorKind(text) { reader in
                for _ in 0..<513 {
                    try reader.enterArray()
                    _ = try reader.nextElement()
                }
            } == .tooDeep)
    }
}
