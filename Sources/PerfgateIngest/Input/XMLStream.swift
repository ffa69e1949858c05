import CLibXML2

/// The elements of an XML text, one after the other, through libxml2's streaming reader.
///
/// Nothing is fetched and no entity is expanded: a document type, which could declare one, is refused where it stands.
/// libxml2's own limits hold too: 256 levels of elements, 10 MB in one text.
final class XMLStream {
    /// What comes next in the text.
    enum Event: Equatable {
        /// An element begins; its attributes by name. An empty one ends too, at once.
        case start(String, attributes: [String: String])
        /// An element ends.
        case end
        /// Text, white space between elements included.
        case text(String)
    }

    private let bytes: UnsafeMutableBufferPointer<CChar>
    private let reader: xmlTextReaderPtr
    private let problem = Problem()
    private var hasPendingEnd = false

    /// The first error, where libxml2 can leave it.
    private final class Problem {
        var message: String?
        var line: Int?
    }

    /// libxml2's own tables, made once before any thread parses.
    private static let library: Void = xmlInitParser()

    /// The most attributes that an element may have: libxml2 compares each with all others.
    static let mostAttributes = 1_000

    /// Starts reading a text in UTF-8, whatever its declaration says.
    init(_ text: [UInt8]) throws(IngestError) {
        try Self.checkAttributes(text)
        Self.library
        bytes = .allocate(capacity: text.count)
        _ = bytes.initialize(from: text.lazy.map { CChar(bitPattern: $0) })
        let options = XML_PARSE_NONET.rawValue | XML_PARSE_NOCDATA.rawValue
        let count = Int32(clamping: text.count)
        guard let reader = xmlReaderForMemory(bytes.baseAddress, count, nil, "UTF-8", Int32(options)) else {
            bytes.deallocate()
            throw .malformed(line: nil, problem: "it is no XML")
        }
        self.reader = reader
        xmlTextReaderSetStructuredErrorHandler(
            reader,
            { context, error in
                guard let context, let error, let text = error.pointee.message else { return }
                let problem = Unmanaged<Problem>.fromOpaque(context).takeUnretainedValue()
                guard problem.message == nil else { return }
                problem.message = String(cString: text)
                problem.line = Int(error.pointee.line)
            }, Unmanaged.passUnretained(problem).toOpaque())
    }

    deinit {
        xmlFreeTextReader(reader)
        bytes.deallocate()
    }

    /// The line on which the element begins that begins or ends here, from 1.
    ///
    /// libxml2 keeps 16 bits of it; beyond, it is the line up to which its parser has read ahead, at most 512 bytes on.
    var line: Int {
        let line = xmlTextReaderCurrentNode(reader).map { Int(xmlGetLineNo($0)) } ?? 0
        return (1..<Int(UInt16.max)).contains(line) ? line : Int(xmlTextReaderGetParserLineNumber(reader))
    }

    /// What comes next; `nil` at the end.
    func next() throws(IngestError) -> Event? {
        if hasPendingEnd {
            hasPendingEnd = false
            return .end
        }
        while true {
            switch xmlTextReaderRead(reader) {
            case 1: if let event = try event() { return event }
            case 0: return nil
            default: throw .malformed(line: problem.line, problem: reason)
            }
        }
    }

    /// What the reader stands at; `nil` for what says nothing.
    private func event() throws(IngestError) -> Event? {
        switch UInt32(xmlTextReaderNodeType(reader)) {
        case XML_READER_TYPE_ELEMENT.rawValue:
            hasPendingEnd = xmlTextReaderIsEmptyElement(reader) == 1
            return .start(Self.string(xmlTextReaderConstLocalName(reader)), attributes: attributes())
        case XML_READER_TYPE_END_ELEMENT.rawValue: return .end
        case XML_READER_TYPE_TEXT.rawValue, XML_READER_TYPE_CDATA.rawValue,
            XML_READER_TYPE_SIGNIFICANT_WHITESPACE.rawValue:
            return .text(Self.string(xmlTextReaderConstValue(reader)))
        case XML_READER_TYPE_DOCUMENT_TYPE.rawValue, XML_READER_TYPE_ENTITY_REFERENCE.rawValue:
            throw .malformed(line: line, problem: "it declares a document type, which could hide anything")
        default: return nil
        }
    }

    /// Throws where a tag has more attributes than an element may have, before libxml2 sees it.
    private static func checkAttributes(_ text: [UInt8]) throws(IngestError) {
        /// What is skipped as a whole, where a quote opens nothing.
        let others = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")].map { (Array($0.utf8), Array($1.utf8)) }
        var index = 0
        while let start = text[index...].firstIndex(of: UInt8(ascii: "<")) {
            if let other = others.first(where: { text[start...].starts(with: $0.0) }) {
                guard let end = text[(start + other.0.count)...].firstRange(of: other.1) else { return }
                index = end.upperBound
                continue
            }
            var count = 0
            var quote: UInt8?
            index = start + 1
            while index < text.count, quote != nil || text[index] != UInt8(ascii: ">") {
                let byte = text[index]
                if byte == quote {
                    quote = nil
                } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    quote = byte
                } else if quote == nil, byte == UInt8(ascii: "=") {
                    count += 1
                }
                guard count <= mostAttributes else {
                    let line = text[..<index].count { $0 == UInt8(ascii: "\n") } + 1
                    throw .malformed(line: line, problem: "an element has more than \(mostAttributes) attributes")
                }
                index += 1
            }
        }
    }

    private func attributes() -> [String: String] {
        var attributes: [String: String] = [:]
        while xmlTextReaderMoveToNextAttribute(reader) == 1 {
            attributes[Self.string(xmlTextReaderConstLocalName(reader))] = Self.string(xmlTextReaderConstValue(reader))
        }
        xmlTextReaderMoveToElement(reader)
        return attributes
    }

    /// The first error in one line, without the end that libxml2 gives it.
    private var reason: String {
        let words = (problem.message ?? "it is no XML").split(whereSeparator: \.isWhitespace)
        let text = words.joined(separator: " ")
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    private static func string(_ text: UnsafePointer<xmlChar>?) -> String {
        text.map { String(cString: $0) } ?? ""
    }
}

extension XMLStream {
    /// Gives what is inside the element that has just begun to a closure, up to its end: the elements directly inside,
    /// which the closure has to read to their ends, and the texts.
    func readContent(_ body: (Event) throws(IngestError) -> Void) throws(IngestError) {
        while let event = try next(), event != .end { try body(event) }
    }

    /// Passes over the element that has just begun.
    func skipElement() throws(IngestError) {
        var depth = 1
        while depth > 0, let event = try next() {
            switch event {
            case .start: depth += 1
            case .end: depth -= 1
            case .text: break
            }
        }
    }

    /// The text directly inside the element that has just begun, without white space around it.
    func readText() throws(IngestError) -> String {
        var text = ""
        try readContent { event throws(IngestError) in
            switch event {
            case .text(let part): text += part
            case .start: try skipElement()
            case .end: break
            }
        }
        return text.trimmingWhitespace
    }
}

extension String {
    /// The text without the white space around it.
    var trimmingWhitespace: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
