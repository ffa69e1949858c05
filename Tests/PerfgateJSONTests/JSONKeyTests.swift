import PerfgateJSON
import Testing

struct JSONKeyTests {
    private static let literals: [StaticString] = [
        "", "a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghX", "abcdefghij",
        "abcdefghijklmnop", "abcdefghijklmnoq", "abcdefghijklmnopqrstu", "é", "日本語の頁", "b", "abd", "a\"b", "a\\b",
    ]

    /// A literal as JSON text, its characters escaped from `first` on.
    private func quoted(_ literal: StaticString, escapedFrom first: Int) -> String {
        let characters = literal.description.unicodeScalars.enumerated().map { index, scalar in
            let hex = String(scalar.value, radix: 16)
            let mustEscape = scalar == "\"" || scalar == "\\"
            return index >= first || mustEscape
                ? "\\u" + String(repeating: "0", count: 4 - hex.count) + hex : "\(scalar)"
        }
        return "\"\(characters.joined())\""
    }

    @Test(arguments: [0, 3, 100], ["", "       "])
    func aKeyEqualsItsOwnLiteralOnly(escapedFrom first: Int, padding: String) throws {
        for written in Self.literals {
            // The first key takes the reader's long path, the second its short path, and the last ends near the input's
            // end.
            let key = quoted(written, escapedFrom: first)
            try read("{\(key):0,\(key):0,\(key):0}\(padding)") { reader in
                try reader.enterObject()
                while let key = try reader.nextKey() {
                    for literal in Self.literals {
                        let isSame = literal.description == written.description
                        let answers = [key == literal, key.text == literal]
                        if answers != Array(repeating: isSame, count: 2) {
                            Issue.record("\(key.string) and \(literal): \(answers)")
                        }
                    }
                    #expect(key.string == written.description)
                    try reader.skipValue()
                }
                try reader.finish()
            }
        }
    }

    @Test func aNulIsNoEnd() throws {
        try read(#"{"page\u0000":1}"#) { reader in
            try reader.enterObject()
            let key = try #require(try reader.nextKey())
            #expect(!(key == "page"))
            #expect(key == "page\0")
        }
    }

    @Test func aTextLendsItsBytesOrDecodesThem() throws {
        try read(#"["plain …", "esc\u0061ped"]"#) { reader in
            var buffer: [UInt8] = []
            try reader.enterArray()
            _ = try reader.nextElement()
            let plain = try reader.readText()
            #expect(!plain.isEscaped && Array(plain.rawBytes) == Array("plain …".utf8))
            plain.appendDecoded(to: &buffer)
            _ = try reader.nextElement()
            let escaped = try reader.readText()
            #expect(escaped.isEscaped && Array(escaped.rawBytes) == Array(#"esc\u0061ped"#.utf8))
            escaped.appendDecoded(to: &buffer)
            #expect(buffer == Array("plain …escaped".utf8))
            switch escaped {
            case "escaped": break
            default: Issue.record("a literal is a pattern for a text")
            }
        }
    }
}
