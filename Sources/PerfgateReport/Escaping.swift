import PerfgateJSON
import PerfgateModel

/// Escapes text for HTML and SVG, as content or in a quoted attribute.
enum HTMLEscape {
    /// The text with the five markup characters as entities; a carriage return becomes a space. It works on bytes: a
    /// combining mark after a markup character would hide it from a search by characters.
    static func text(_ text: String) -> String {
        let clean = CleanText.clean(text)
        guard clean.utf8.contains(where: isSpecial) else { return clean }
        var escaped: [UInt8] = []
        append(clean, to: &escaped)
        return String(decoding: escaped, as: UTF8.self)
    }

    static func append(_ text: String, to escaped: inout [UInt8]) {
        escaped.append(CleanText.clean(text), replacing: isSpecial) { byte, escaped in
            switch byte {
            case UInt8(ascii: "&"): escaped.append("&amp;")
            case UInt8(ascii: "<"): escaped.append("&lt;")
            case UInt8(ascii: ">"): escaped.append("&gt;")
            case UInt8(ascii: "\""): escaped.append("&quot;")
            case UInt8(ascii: "'"): escaped.append("&#39;")
            default: escaped.append(UInt8(ascii: " "))
            }
        }
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"), 0x0D: true
        default: false
        }
    }
}

extension String {
    /// The text with `%` and two hexadecimal digits for each byte except letters, digits and `plain`, which is ASCII.
    func percentEncoded(except plain: String) -> String {
        utf8.map { byte in
            if byte.isLetterOrDigit || plain.utf8.contains(byte) { return String(UnicodeScalar(byte)) }
            return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}

/// Finished HTML or SVG in UTF-8. A literal is markup; every text interpolated into a literal is cleaned and escaped.
///
///     let row: Markup = "<td>\(page.name)</td>"
struct Markup: ExpressibleByStringInterpolation, Sendable {
    private(set) var bytes: [UInt8]

    init() { bytes = [] }

    init(stringLiteral markup: String) { self.init(trusted: markup) }

    init(stringInterpolation: StringInterpolation) { bytes = stringInterpolation.bytes }

    /// The markup of a drawing or style sheet, which is safe by construction.
    init(trusted markup: String) { bytes = Array(markup.utf8) }

    init(_ parts: some Collection<Markup>) {
        bytes = []
        bytes.reserveCapacity(parts.reduce(0) { $0 + $1.count })
        for part in parts { bytes += part.bytes }
    }

    /// A text whose days, such as 2026-01-31, aren't broken between lines.
    init(dated text: String) {
        self.init()
        var rest = text[...]
        while let day = rest.firstMatch(of: /\d{4}-\d\d-\d\d/) {
            self += "\(String(rest[..<day.range.lowerBound]))<time>\(String(day.output))</time>"
            rest = rest[day.range.upperBound...]
        }
        self += "\(String(rest))"
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var count: Int { bytes.count }
    var isEmpty: Bool { bytes.isEmpty }

    static func += (lhs: inout Markup, rhs: Markup) { lhs.bytes += rhs.bytes }

    struct StringInterpolation: StringInterpolationProtocol {
        var bytes: [UInt8] = []

        init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { bytes.append(literal) }

        mutating func appendInterpolation(_ text: String) { HTMLEscape.append(text, to: &bytes) }

        mutating func appendInterpolation(_ markup: Markup) { bytes += markup.bytes }

        mutating func appendInterpolation(_ parts: [Markup]) { bytes += Markup(parts).bytes }

        mutating func appendInterpolation(_ number: Int) { bytes.append(decimal: number) }

        mutating func appendInterpolation(_ markup: Markup?) { if let markup { bytes += markup.bytes } }
    }
}

/// Escapes untrusted text for Markdown: it can't become a link, a mention, a tag or a cell.
package enum MarkdownEscape {
    /// The text in one line. It is escaped by bytes, so a combining mark can't hide the character before it.
    package static func text(_ text: String) -> String {
        var clean = CleanText.clean(text)
        // GitLab executes a line that starts with a slash.
        let line = clean.unicodeScalars.drop { $0.properties.isWhitespace }
        let isCommand = line.first == "/"
        if isCommand { clean = "\\" + String(line) }
        var escaped: [UInt8] = []
        clean.withUTF8 { bytes in
            escaped.reserveCapacity(bytes.count + 32)
            for index in bytes.indices {
                if isCommand && index == 0 { escaped.append(bytes[0]) } else { append(bytes[index], to: &escaped) }
                if wouldLink(bytes, upTo: index) { escaped.append(zeroWidthSpace) }
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// The first scalars of a text and an ellipsis; the whole text if it isn't longer.
    static func clipped(_ text: String, to count: Int) -> String {
        guard text.utf8.count > count, text.unicodeScalars.count > count else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(count))) + "…"
    }

    /// The destination of a link, without characters that end it or are read as an entity.
    static func destination(_ link: String) -> String {
        // An ampersand separates query fields and must remain one: it is encoded as an entity.
        CleanText.clean(link).percentEncoded(except: "-._~:/?#@!$'*+,;=%&").replacing("&", with: "&amp;")
    }

    private static let zeroWidthSpace = "\u{200B}"

    private static func append(_ byte: UInt8, to escaped: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "&"): escaped.append("&amp;")
        case UInt8(ascii: "<"): escaped.append("&lt;")
        case UInt8(ascii: ">"): escaped.append("&gt;")
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): escaped.append(UInt8(ascii: " "))
        default:
            if "\\`*_[]()!#|~".utf8.contains(byte) { escaped.append(UInt8(ascii: "\\")) }
            escaped.append(byte)
        }
    }

    /// After `@`, after `www`, and between `:` and `//`.
    private static func wouldLink(_ bytes: UnsafeBufferPointer<UInt8>, upTo index: Int) -> Bool {
        switch bytes[index] {
        case UInt8(ascii: "@"): true
        case UInt8(ascii: ":"): bytes[(index + 1)...].starts(with: "//".utf8)
        case UInt8(ascii: "w"), UInt8(ascii: "W"):
            index >= 2 && bytes[index - 2..<index].allSatisfy { $0 | 0x20 == UInt8(ascii: "w") }
        default: false
        }
    }
}
