import Testing
import SeededRandom

@testable import PerfgateReport

struct MarkdownEscapeTests {
    @Test(arguments: [
        ("Search", "Search"),
        ("a & b", "a &amp; b"),
        ("&lt;", "&amp;lt;"),
        ("<script>", "&lt;script&gt;"),
        ("<!-- x", "&lt;\\!-- x"),
        ("a|b", "a\\|b"),
        ("a\\|b", "a\\\\\\|b"),
        ("`x`", "\\`x\\`"),
        ("*_[](!)#|~", "\\*\\_\\[\\]\\(\\!\\)\\#\\|\\~"),
        ("one\ntwo\r\nthree", "one two  three"),
        ("@here", "@\u{200B}here"),
        ("www.a.b", "www\u{200B}.a.b"),
        ("WWW.a.b", "WWW\u{200B}.a.b"),
        ("wwww", "www\u{200B}w\u{200B}"),
        ("http://a", "http:\u{200B}//a"),
        ("run.ndjson:17", "run.ndjson:17"),
        ("/close", "\\/close"), (" \n/merge", "\\/merge"), ("a /close", "a /close"),
        ("<\u{301}b>", "&lt;\u{301}b&gt;"),
        ("|\u{301}", "\\|\u{301}"),
        ("a\u{202E}b\u{2066}c", "a\u{FFFD}b\u{FFFD}c"),
        ("\u{1B}[31m", "\u{FFFD}\\[31m"),
    ])
    func aTextThatSomebodyChoseIsOnlyText(text: String, expected: String) {
        #expect(Array(MarkdownEscape.text(text).unicodeScalars) == Array(expected.unicodeScalars))
    }

    /// For any input, each special character is escaped, and none starts a link.
    @Test(arguments: 0..<50 as Range<UInt64>)
    func noTextOfSuchPartsMeansAnything(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let parts = [
            "\\", "`", "*", "_", "[", "]", "(", ")", "!", "#", "|", "~", "<", ">", "&", "@", "w", "W", ":", "/", ".",
            "\n",
            "\r", "\t", " ", "\u{301}", "\u{200B}", "-", "+", "1", "a", "&amp;", "http", "www", "mailto:", "\u{85}",
            "=", "$",
        ]
        for _ in 0..<100 {
            let text = (0..<12).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            let escaped = Array(MarkdownEscape.text(text).unicodeScalars)
            let note: Comment = "seed \(seed): \(text.debugDescription)"
            var index = 0
            while index < escaped.count {
                let next = index + 1 < escaped.count ? escaped[index + 1] : nil
                switch escaped[index] {
                case "\\":
                    let meant = index == 0 ? "\\`*_[]()!#|~/" : "\\`*_[]()!#|~"
                    #expect(next.map { meant.unicodeScalars.contains($0) } == true, note)
                    index += 1
                case "`", "*", "_", "[", "]", "(", ")", "!", "#", "|", "~", "<", ">", "\n", "\r":
                    Issue.record(note)
                case "&": #expect(["a", "l", "g"].contains(next.map(String.init)), note)
                case "@": #expect(next == "\u{200B}", note)
                case ":": #expect(next != "/" || escaped.dropFirst(index + 2).first != "/", note)
                default: break
                }
                index += 1
            }
            #expect(escaped.first { !$0.properties.isWhitespace } != "/", note)
            #expect(!String(String.UnicodeScalarView(escaped)).lowercased().contains("www."), note)
        }
    }

    @Test func clippingCountsScalarsAndSaysThatItClipped() {
        #expect(MarkdownEscape.clipped("abc", to: 3) == "abc")
        #expect(MarkdownEscape.clipped("abcd", to: 3) == "abc…")
        let zalgo = "a" + String(repeating: "\u{301}", count: 500)
        #expect(MarkdownEscape.clipped(zalgo, to: 10).utf8.count < 30)
    }

    @Test(arguments: [
        ("https://a.b/c?d=e&f=g", "https://a.b/c?d=e&amp;f=g"),
        ("https://a.b/(x) <y>\n", "https://a.b/%28x%29%20%3Cy%3E%0A"),
        ("report.html", "report.html"),
        ("https://a/é\\", "https://a/%C3%A9%5C"),
    ])
    func aLinksDestinationCantBeLeft(link: String, expected: String) {
        #expect(MarkdownEscape.destination(link) == expected)
    }
}
