import PerfgateModel

/// Reads what `xcrun xctrace export` writes: tables of a trace, and its table of contents.
///
/// No table says which trace it is from, so the files of one folder are taken as one trace.
enum XctraceReader: ForeignReader {
    static let name = "xctrace"
    static let title = "tables of a trace of Instruments"
    static let recipe = "xcrun xctrace export --input T.trace --xpath '…table[@schema=\"hitches\"]' > hitches.xml"

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

/// Puts the files of one trace together.
struct XctraceTrace {
    private let parts: [XctracePart]

    /// A trace of its files, in the order of their paths; never empty.
    init(parts: [XctracePart]) {
        self.parts = parts
    }

    /// The recordings as runs.
    var result: ForeignResult {
        let tables = parts.flatMap(\.tables)
        var result = ForeignResult(tallies: parts.map(\.tally))
        for number in Set(tables.map(\.run)).sorted() {
            let recording = XctraceRecording(parts: parts, number: number)
            for index in parts.indices { recording.count(parts[index].tables, in: &result.tallies[index]) }
            guard tables.contains(where: { $0.run == number && $0.schema.measures }) else { continue }
            result.runs.append(recording.run)
            result.diagnostics += recording.diagnostics
        }
        if result.runs.isEmpty { tellNothing(&result) }
        return result
    }

    /// Files that say nothing of hitches and hangs are sound, but nothing can be made of them alone.
    private func tellNothing(_ result: inout ForeignResult) {
        let names = XctraceSchema.allCases.filter(\.measures).map(\.rawValue).joined(separator: ", ")
        let message = "It holds no table that measures something. Give the exports of \(names) too."
        let faulty = Set(result.tallies.filter { !$0.notUnderstood.isEmpty }.map(\.path))
        result.tallies.removeAll { $0.total == 0 }
        result.faultyInputs = parts.filter { !faulty.contains($0.path) }.map { part in
            FaultyInput(path: part.path, fault: .notFound, message: message)
        }
    }
}

/// What one file of xctrace says.
struct XctracePart: Sendable {
    /// The file, as it was named.
    let path: String
    /// The name of its content.
    let identity: String
    /// Its tables, in the order of the file.
    let tables: [XctraceTable]
    /// The recordings that it lists; empty where it is no table of contents.
    let contents: [XctraceContents]
    /// What became of its rows that are in no table.
    var tally: RecordTally

    /// The folder that it is in; empty where the path names none.
    var folder: String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}

/// What the table of contents of a trace says of one recording.
struct XctraceContents: Sendable, Hashable {
    /// The number of the recording in its trace, from 1.
    let run: Int
    /// The process that was recorded; `nil` where all were.
    var process: XctraceProcess?
    /// How long it was recorded, in seconds, above 0; `nil` where it isn't said.
    var seconds: Double?
    /// What is known of the device: `device`, `device_id`, `os`, `simulator` and `started_at`.
    var context = Context()
}

extension XctraceContents {
    /// Reads the element `run`, which has just begun.
    init(_ stream: XMLStream, attributes: [String: String]) throws(IngestError) {
        self.init(run: attributes["number"].flatMap(Int.init) ?? 1)
        var target: [String: String] = [:]
        var names: [String: String] = [:]
        try stream.readContent { event throws(IngestError) in
            guard case .start(let name, _) = event else { return }
            switch name {
            case "info": target = try readInfo(stream)
            case "processes": names = try Self.readProcesses(stream)
            default: try stream.skipElement()
            }
        }
        let pid = target["pid"]
        process = XctraceProcess(name: target["name"] ?? pid.flatMap { names[$0] }, number: pid)
    }

    /// Reads `info`, and gives the attributes of the recorded process.
    private mutating func readInfo(_ stream: XMLStream) throws(IngestError) -> [String: String] {
        var target: [String: String] = [:]
        try stream.readContent { event throws(IngestError) in
            guard case .start(let name, _) = event else { return }
            switch name {
            case "target": target = try readTarget(stream)
            case "summary": try readSummary(stream)
            default: try stream.skipElement()
            }
        }
        return target
    }

    private mutating func readTarget(_ stream: XMLStream) throws(IngestError) -> [String: String] {
        var target: [String: String] = [:]
        try stream.readContent { event throws(IngestError) in
            guard case .start(let name, let attributes) = event else { return }
            if name == "process" { target = attributes }
            if name == "device" { describe(attributes) }
            if name == "summary" { try readSummary(stream) } else { try stream.skipElement() }
        }
        return target
    }

    private mutating func readSummary(_ stream: XMLStream) throws(IngestError) {
        try stream.readContent { event throws(IngestError) in
            guard case .start(let name, _) = event else { return }
            let text = try stream.readText()
            switch name {
            case "duration": seconds = Double(text).flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
            case "start-date": context["started_at"] = UTCTime.text(of: text).map { .text($0) }
            default: break
            }
        }
    }

    private mutating func describe(_ device: [String: String]) {
        context["device"] = device["model"].map { .text($0) }
        context["device_id"] = device["uuid"].map { .text($0) }
        context.setSystem(platform: device["platform"], version: device["os-version"])
    }

    /// The names of the processes by their numbers.
    private static func readProcesses(_ stream: XMLStream) throws(IngestError) -> [String: String] {
        var names: [String: String] = [:]
        try stream.readContent { event throws(IngestError) in
            guard case .start(_, let attributes) = event else { return }
            if let pid = attributes["pid"], let name = attributes["name"] { names[pid] = name }
            try stream.skipElement()
        }
        return names
    }
}

/// A table of one recording, as far as perfgate needs it.
struct XctraceTable: Sendable, Hashable {
    /// What one row says.
    struct Row: Sendable, Hashable {
        /// The line on which it begins, from 1.
        let line: Int
        /// The process; `nil` for rows of displays.
        let process: XctraceProcess?
        /// The display; `nil` for rows of processes.
        let display: String?
        /// How long it took, or when it was where the table has no durations; in nanoseconds.
        let nanoseconds: Double
        /// Whether it is too short to count, so that it only says that its process was watched.
        let isShort: Bool
    }

    /// Which table it is.
    let schema: XctraceSchema
    /// The number of the recording in its trace, from 1.
    let run: Int
    /// The rows that count, in the order of the file.
    var rows: [Row] = []

    /// Whether both say the same, wherever it stands.
    func says(sameAs other: XctraceTable) -> Bool {
        rows.elementsEqual(other.rows) { lhs, rhs in
            lhs.process == rhs.process && lhs.display == rhs.display && lhs.nanoseconds == rhs.nanoseconds
        }
    }
}
