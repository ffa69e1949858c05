import CLibXML2
import PerfgateCompare
import PerfgateModel

/// The report as JUnit XML, which every CI server reads.
package struct JUnitReport: Sendable {
    package enum Dialect: String, Sendable, CaseIterable {
        /// With source files, lines and properties of cases, which most readers show.
        case rich
        /// Valid under the schemas of Jenkins (junit-10.xsd) and of Ant (windyroad's JUnit.xsd).
        case strict
    }

    package struct Options: Sendable {
        package var dialect = Dialect.rich
        /// The path of the HTML report that failing cases link; `nil`: none.
        package var attachment: String?
        /// The address of the HTML report that failing cases link with anchors; `nil`: unknown.
        package var link: String?

        package init() {}
    }

    private let report: GateReport
    private let options: Options

    package init(_ report: GateReport, options: Options = Options()) { (self.report, self.options) = (report, options) }

    package func bytes() throws(ReportError) -> [UInt8] {
        let split = JUnitSuites(report: report)
        let (suites, timestamp) = (split.suites, split.timestamp)
        let writer = try XMLWriter(room: 1_000 * report.comparisons.count)
        let totals = options.dialect == .rich ? [("name", "perfgate")] + counts(suites) : []
        try writer.element("testsuites", totals) { () throws(ReportError) in
            for (index, suite) in suites.enumerated() { try write(suite, index, timestamp, to: writer) }
        }
        return try writer.finish()
    }

    private func counts(_ suites: [JUnitSuite]) -> [XMLWriter.Attribute] {
        func count(_ kind: JUnitCase.Result.Kind) -> String {
            String(suites.reduce(0) { $0 + $1.cases.count { $0.result?.kind == kind } })
        }
        return [
            ("tests", String(suites.reduce(0) { $0 + $1.cases.count })), ("failures", count(.failure)),
            ("errors", count(.error)),
            ("skipped", count(.skipped)), ("time", Seconds.text(suites.reduce(0) { $0 + $1.seconds })),
        ]
    }

    private func write(_ suite: JUnitSuite, _ index: Int, _ timestamp: String, to writer: XMLWriter) throws(ReportError)
    {
        var attributes: [XMLWriter.Attribute] = [
            ("id", String(index)), ("package", "perfgate"), ("name", suite.name), ("hostname", "localhost"),
            ("timestamp", timestamp),
        ]
        attributes += counts([suite])
        if options.dialect == .rich, let file = suite.file { attributes.append(("file", file)) }
        try writer.element("testsuite", attributes) { () throws(ReportError) in
            try write(suite.properties, to: writer)
            for item in suite.cases { try write(item, suite, to: writer) }
            if options.dialect == .strict {
                try writer.element("system-out")
                try writer.element("system-err")
            }
        }
    }

    private func write(_ properties: [XMLWriter.Attribute], to writer: XMLWriter) throws(ReportError) {
        guard !properties.isEmpty || options.dialect == .strict else { return }
        try writer.element("properties") { () throws(ReportError) in
            for (name, value) in properties { try writer.element("property", [("name", name), ("value", value)]) }
        }
    }

    private func write(_ item: JUnitCase, _ suite: JUnitSuite, to writer: XMLWriter) throws(ReportError) {
        var attributes: [XMLWriter.Attribute] = [
            ("classname", item.className), ("name", item.name), ("time", Seconds.text(0)),
        ]
        let isRich = options.dialect == .rich
        if isRich, let file = suite.file {
            attributes.append(("file", file))
            if let line = suite.line { attributes.append(("line", String(line))) }
        }
        try writer.element("testcase", attributes) { () throws(ReportError) in
            if isRich, !item.properties.isEmpty { try write(item.properties, to: writer) }
            if let result = item.result { try write(result, to: writer) }
            if isRich, let pointer = pointer(of: item) { try writer.element("system-out", text: pointer) }
        }
    }

    /// The links of a failing case: an address for people, then the file alone on a line in the format that GitLab and
    /// Jenkins attach; they don't support anchors in a file.
    private func pointer(of item: JUnitCase) -> String? {
        guard let kind = item.result?.kind, kind != .skipped, let place = options.link ?? options.attachment
        else { return nil }
        let anchor = item.anchor.flatMap { place.contains("#") ? nil : "#\($0)" } ?? ""
        let attachment = options.attachment.map { "[[ATTACHMENT|\(CleanText.line($0))]]\n" } ?? ""
        return "\nSee \(CleanText.line(place))\(anchor)\n\(attachment)"
    }

    /// The message is written to the attribute and the body, because some readers only show one of them.
    private func write(_ result: JUnitCase.Result, to writer: XMLWriter) throws(ReportError) {
        var attributes: [XMLWriter.Attribute] = [("message", result.message)]
        if let type = result.type { attributes.insert(("type", type), at: 0) }
        let body = options.dialect == .strict && result.kind == .skipped ? nil : result.message
        try writer.element(result.kind.rawValue, attributes, text: body)
    }
}

/// Seconds in XML Schema format: at most three decimals, no exponent.
enum Seconds {
    static func text(_ seconds: Double) -> String {
        let milliseconds = seconds.isNaN ? 0 : Int(min(max(seconds, 0), 1e12) * 1_000 + 0.5)
        let fraction = String(milliseconds % 1_000 + 1_000).dropFirst()
        return "\(milliseconds / 1_000).\(fraction)"
    }
}

/// Writes an XML document into memory with libxml2, which escapes its arguments.
final class XMLWriter {
    typealias Attribute = (String, String)

    /// The written bytes. libxml2's own memory buffer grows by small steps, so its cost isn't linear.
    private final class Sink { var bytes: [UInt8] = [] }

    private let sink = Sink()
    private let writer: xmlTextWriterPtr

    /// Starts a document in UTF-8, indented by two spaces, with memory for so many bytes.
    init(room: Int) throws(ReportError) {
        sink.bytes.reserveCapacity(room)
        let output = xmlOutputBufferCreateIO(
            { sink, bytes, count in
                guard let sink, let bytes else { return -1 }
                Unmanaged<Sink>.fromOpaque(sink).takeUnretainedValue().bytes.append(
                    contentsOf: UnsafeRawBufferPointer(start: bytes, count: Int(count)))
                return count
            }, nil, Unmanaged.passUnretained(sink).toOpaque(), nil)
        guard let output else { throw .outOfMemory }
        guard let writer = xmlNewTextWriter(output) else {
            xmlOutputBufferClose(output)
            throw .outOfMemory
        }
        self.writer = writer
        xmlTextWriterSetIndent(writer, 1)
        xmlTextWriterSetIndentString(writer, "  ")
        try check(xmlTextWriterStartDocument(writer, nil, "UTF-8", nil))
    }

    deinit { xmlFreeTextWriter(writer) }

    /// Writes an element with cleaned attributes, and either text or the output of a closure.
    func element(
        _ name: String, _ attributes: [Attribute] = [], text: String? = nil,
        _ content: (() throws(ReportError) -> Void)? = nil
    ) throws(ReportError) {
        try check(xmlTextWriterStartElement(writer, name))
        for (name, value) in attributes { try check(xmlTextWriterWriteAttribute(writer, name, CleanText.clean(value))) }
        if let text { try check(xmlTextWriterWriteString(writer, CleanText.clean(text))) }
        try content?()
        try check(xmlTextWriterEndElement(writer))
    }

    /// Ends the document and returns its bytes.
    func finish() throws(ReportError) -> [UInt8] {
        try check(xmlTextWriterEndDocument(writer))
        try check(xmlTextWriterFlush(writer))
        // What closing appends would copy bytes that are still shared.
        defer { sink.bytes = [] }
        return sink.bytes
    }

    private func check(_ status: Int32) throws(ReportError) { if status < 0 { throw .xml } }
}
