/// Reads what `xcrun xctrace export` writes: tables of a trace, and its table of contents.
///
/// No table says which trace it is from, so the files of one folder are taken as one trace.
enum XctraceReader: ForeignReader {
    static let name = "xctrace"
    static let title = "tables of a trace of Instruments"

    static func recognises(_ head: ForeignHead) -> Bool {
        head.rootElement == "trace-query-result" || head.rootElement == "trace-toc"
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> XctracePart {
        let parser = try XctraceParser(file)
        return XctracePart(
            path: file.path, identity: file.identity, tables: parser.tables, contents: parser.contents,
            tally: parser.tally)
    }

    static func join(_ parts: [XctracePart]) -> ForeignResult {
        let folders = Dictionary(grouping: parts, by: \.folder).sorted { $0.key.precedesInUTF8($1.key) }
        return folders.reduce(into: ForeignResult()) { $0.add(XctraceTrace(parts: $1.value).result) }
    }
}
