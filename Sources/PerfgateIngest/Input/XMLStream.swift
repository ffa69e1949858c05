import CLibXML2

/// The elements of an XML text, one after the other, with libxml2's streaming reader. Nothing is fetched and no entity
/// is expanded: a document type, which could declare one, is rejected. libxml2's own limits apply too: 256 levels of
/// elements, 10 MB per text.
package final class XMLStream {
    package enum Event: Equatable {
        /// An element starts, with its attributes by name. An empty element also ends immediately.
        case start(String, attributes: [String: String])
        case end
        /// Text, including white space between elements.
        case text(String)
    }

    /// What a reader's position is at.
    package enum Step { case start, end, text }

    private let source: XMLSource
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

    /// Starts reading UTF-8, ignoring the declared encoding.
    convenience init(_ text: [UInt8]) throws(IngestError) {
        try self.init(XMLSource(text.withUnsafeBytes(ByteBlock.init(copying:))))
    }

    /// Starts reading a file of at most `limit` bytes of text, gzip decompressed, in constant memory.
    package convenience init(path: String, limit: Int) throws(IngestError) {
        try self.init(XMLSource(ByteStream(path: path), limit: limit))
    }

    private init(_ source: XMLSource) throws(IngestError) {
        Self.library
        self.source = source
        let options = XML_PARSE_NONET.rawValue | XML_PARSE_NOCDATA.rawValue
        let reader = xmlReaderForIO(
            { context, buffer, count in
                guard let context, let buffer else { return -1 }
                let source = Unmanaged<XMLSource>.fromOpaque(context).takeUnretainedValue()
                return Int32(source.fill(UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))))
            }, nil, Unmanaged.passUnretained(source).toOpaque(), nil, "UTF-8", Int32(options))
        guard let reader else { throw .malformed(line: nil, problem: "it is no XML") }
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

    deinit { xmlFreeTextReader(reader) }

    /// The line of the current element's start, from 1. libxml2 stores 16 bits of it; beyond that, the line that the
    /// parser has read ahead to: up to 512 bytes further.
    package var line: Int {
        let line = xmlTextReaderCurrentNode(reader).map { Int(xmlGetLineNo($0)) } ?? 0
        return (1..<Int(UInt16.max)).contains(line) ? line : Int(xmlTextReaderGetParserLineNumber(reader))
    }

    package func next() throws(IngestError) -> Event? {
        switch try step() {
        case .start: .start(Self.string(name), attributes: attributes())
        case .end: .end
        case .text: .text(Self.string(text))
        case nil: nil
        }
    }

    /// Moves to the next start, end or text; `nil` at the end. Costs no memory, unlike an event.
    package func step() throws(IngestError) -> Step? {
        if hasPendingEnd {
            hasPendingEnd = false
            return .end
        }
        while true {
            switch xmlTextReaderRead(reader) {
            case 1: if let step = try position() { return step }
            case 0 where source.failure == nil: return nil
            default: throw source.failure ?? .malformed(line: problem.line, problem: reason)
            }
        }
    }

    /// The reader's position; `nil` for irrelevant nodes.
    private func position() throws(IngestError) -> Step? {
        switch UInt32(xmlTextReaderNodeType(reader)) {
        case XML_READER_TYPE_ELEMENT.rawValue:
            hasPendingEnd = xmlTextReaderIsEmptyElement(reader) == 1
            return .start
        case XML_READER_TYPE_END_ELEMENT.rawValue: return .end
        case XML_READER_TYPE_TEXT.rawValue, XML_READER_TYPE_CDATA.rawValue,
            XML_READER_TYPE_SIGNIFICANT_WHITESPACE.rawValue:
            return .text
        case XML_READER_TYPE_DOCUMENT_TYPE.rawValue, XML_READER_TYPE_ENTITY_REFERENCE.rawValue:
            throw .malformed(line: line, problem: "it declares a document type, which could hide anything")
        default: return nil
        }
    }

    /// The text at the reader's position, valid until the next step.
    package var text: UnsafePointer<UInt8>? { xmlTextReaderConstValue(reader) }

    /// The name of the element at the reader's position: the address of the only copy of the name.
    package var name: UnsafePointer<UInt8>? { xmlTextReaderConstLocalName(reader) }

    /// The only copy of a name, so that names are compared by address.
    package func interned(_ name: String) -> UnsafePointer<UInt8>? { xmlTextReaderConstString(reader, name) }

    /// The value of an attribute of the element that has just started, valid until the next step; `nil` without it.
    /// - Parameter name: The only copy of its name.
    package func attribute(_ name: UnsafePointer<UInt8>?) -> UnsafePointer<UInt8>? {
        var attribute = xmlTextReaderCurrentNode(reader)?.pointee.properties
        while let place = attribute, place.pointee.name != name { attribute = place.pointee.next }
        return attribute.flatMap { $0.pointee.children }.flatMap { UnsafePointer($0.pointee.content) }
    }

    private func attributes() -> [String: String] {
        var attributes: [String: String] = [:]
        while xmlTextReaderMoveToNextAttribute(reader) == 1 { attributes[Self.string(name)] = Self.string(text) }
        xmlTextReaderMoveToElement(reader)
        return attributes
    }

    /// The first error in one line, without libxml2's line end.
    private var reason: String {
        let words = (problem.message ?? "it is no XML").split(whereSeparator: \.isWhitespace)
        let text = words.joined(separator: " ")
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    private static func string(_ text: UnsafePointer<xmlChar>?) -> String { text.map { String(cString: $0) } ?? "" }

    /// Passes the content of the element that has just started to a closure, up to its end: direct child elements,
    /// which the closure must read to their ends, and texts.
    package func readContent(_ body: (Event) throws(IngestError) -> Void) throws(IngestError) {
        while let event = try next(), event != .end { try body(event) }
    }

    /// Passes the direct child elements of the element that has just started to a closure, which must read them to their
    /// ends, with their attributes.
    package func readElements(_ body: (String, [String: String]) throws(IngestError) -> Void) throws(IngestError) {
        try readContent { event throws(IngestError) in
            if case .start(let name, let attributes) = event { try body(name, attributes) }
        }
    }

    package func skipElement() throws(IngestError) {
        var depth = 1
        while depth > 0, let step = try step() {
            switch step {
            case .start: depth += 1
            case .end: depth -= 1
            case .text: break
            }
        }
    }

    /// The text directly inside the element that has just started, without surrounding white space.
    package func readText() throws(IngestError) -> String {
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
    var trimmingWhitespace: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
