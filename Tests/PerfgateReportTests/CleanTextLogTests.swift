import PerfgateModel
import SeededRandom
import Testing

@testable import PerfgateReport

/// No line of output is a command to a CI server, whatever names it contains.
struct CleanTextLogTests {
    @Test(arguments: [
        ("::error::x", "\\::error::x"), ("  ::error::x", "\\  ::error::x"),
        ("\u{200B}::error::x", "\\\u{200B}::error::x"),
        ("a ::error::x", "a ::error::x"), ("##[error]x", "# #[error]x"),
        ("a ##vso[task.complete]", "a # #vso[task.complete]"),
        ("#\u{200D}#[error]x", "# \u{200D}#[error]x"), ("###", "# # #"), ("#1", "#1"), ("", ""), ("plain", "plain"),
        ("a\r\n::error::b", "a ::error::b"), ("a\u{0B}::error::b", "a\u{FFFD}::error::b"), ("é ::", "é ::"),
    ])
    func whatStartsACommandIsKeptApart(text: String, expected: String) {
        #expect(CleanText.logLine(text) == expected)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func noTextOfSuchPartsMakesACommand(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let parts = [
            ":", "#", "[", " ", "\n", "\r", "\u{85}", "\u{2028}", "\u{200B}", "\u{FEFF}", "\t", "error", "\u{1B}",
            "e\u{301}",
        ]
        for _ in 0..<200 {
            let text = (0..<8).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            let line = CleanText.logLine(text)
            let visible = line.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
            let plain = String(String.UnicodeScalarView(visible))
            #expect(
                !line.contains(where: \.isNewline) && !plain.contains("##"), "seed \(seed): \(text.debugDescription)")
            #expect(plain.drop(while: \.isWhitespace).first != ":", "seed \(seed): \(text.debugDescription)")
        }
    }
}
