import CLibXML2

/// Writes an XML document into memory through libxml2, whose writer escapes what it is given.
final class XMLWriter {
    /// The name and value of an attribute.
    typealias Attribute = (String, String)

    private let buffer: xmlBufferPtr
    private let writer: xmlTextWriterPtr

    /// Starts a document in UTF-8, indented by two spaces.
    init() throws(ReportError) {
        guard let buffer = xmlBufferCreate() else { throw .outOfMemory }
        guard let writer = xmlNewTextWriterMemory(buffer, 0) else {
            xmlBufferFree(buffer)
            throw .outOfMemory
        }
        self.buffer = buffer
        self.writer = writer
        xmlTextWriterSetIndent(writer, 1)
        xmlTextWriterSetIndentString(writer, "  ")
        try check(xmlTextWriterStartDocument(writer, nil, "UTF-8", nil))
    }

    deinit {
        xmlFreeTextWriter(writer)
        xmlBufferFree(buffer)
    }

    /// Writes an element with clean attributes, and either text or what a closure writes.
    func element(
        _ name: String, _ attributes: [Attribute] = [], text: String? = nil,
        _ content: (() throws(ReportError) -> Void)? = nil
    ) throws(ReportError) {
        try check(xmlTextWriterStartElement(writer, name))
        for (name, value) in attributes {
            try check(xmlTextWriterWriteAttribute(writer, name, CleanText.clean(value)))
        }
        if let text { try check(xmlTextWriterWriteString(writer, CleanText.clean(text))) }
        try content?()
        try check(xmlTextWriterEndElement(writer))
    }

    /// Ends the document and gives its bytes.
    func finish() throws(ReportError) -> [UInt8] {
        try check(xmlTextWriterEndDocument(writer))
        try check(xmlTextWriterFlush(writer))
        let content = UnsafeBufferPointer(start: xmlBufferContent(buffer), count: Int(xmlBufferLength(buffer)))
        return Array(content)
    }

    private func check(_ status: Int32) throws(ReportError) {
        if status < 0 { throw .xml }
    }
}
