import CLibXML2

/// The elements of an XML text, one after the other, with libxml2's streaming reader.
///
/// Nothing is fetched and no entity is expanded: a document type, which could declare one, is rejected. libxml2's own
/// limits apply too: 256 levels of elements, 10 MB per text.
final class XMLStream {
    enum Event: Equatable {
        /// An element starts, with its attributes by name. An empty element also ends immediately.
        case start(String, attributes: [String: String])
        case end
        /// Text, including white space between elements.
        case text(String)
    }

    private let bytes: UnsafeMutableBufferPointer<CChar>
    private let reader: xmlTextReaderPtr
    private let problem = Problem()
    private var hasPendingEnd = false

    /// The first error, stored where libxml2 can write it.
    private final class Problem {
        var message: String?
        var line: Int?
    }

    /// libxml2's global tables, initialised before any thread parses.
    private static let library: Void = xmlInitParser()

    /// The most attributes per element: libxml2 compares each with all others.
    static let mostAttributes = 1_000

    /// Starts reading UTF-8, ignoring the declared encoding.
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

    /// The line of the current element's start, from 1.
    ///
    /// libxml2 stores 16 bits of it; beyond that it is the line that the parser has read ahead to, at most 512 bytes
    /// further.
    var line: Int {
        let line = xmlTextReaderCurrentNode(reader).map { Int(xmlGetLineNo($0)) } ?? 0
        return (1..<Int(UInt16.max)).contains(line) ? line : Int(xmlTextReaderGetParserLineNumber(reader))
    }

    /// The next event; `nil` at the end.
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

    /// The event at the reader's position; `nil` for irrelevant nodes.
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

    /// Throws if a tag exceeds the attribute limit, before libxml2 parses it.
    private static func checkAttributes(_ text: [UInt8]) throws(IngestError) {
        /// Sections that are skipped as a whole, in which quotes have no meaning.
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

    /// The first error in one line, without libxml2's line end.
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
    /// Passes the content of the element that has just started to a closure, up to its end: direct child elements,
    /// which the closure must read to their ends, and texts.
    func readContent(_ body: (Event) throws(IngestError) -> Void) throws(IngestError) {
        while let event = try next(), event != .end { try body(event) }
    }

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

    /// The text directly inside the element that has just started, without surrounding white space.
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
    /// The text without surrounding white space.
    var trimmingWhitespace: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
