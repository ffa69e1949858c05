import PerfgateModel

/// Reads the output of `xcrun xctrace export`: tables of a trace, and its table of contents.
///
/// No table names its trace, so the files of one folder are treated as one trace.
enum XctraceReader: ForeignReader {
    static let name = "xctrace"
    static let title = "tables of a trace of Instruments"
    static let recipe = "xcrun xctrace export --input T.trace --xpath '…table[@schema=\"hitches\"]' > hitches.xml"

    static func recognises(_ head: ForeignHead) -> Bool {
        head.rootElement == "trace-query-result" || head.rootElement == "trace-toc"
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> XctracePart { try XctraceParser(file).part }

    static func join(_ parts: [XctracePart]) -> ForeignResult {
        let folders = Dictionary(grouping: parts) { ForeignFile.folder(of: $0.path) }
        return folders.sorted { $0.key.precedesInUTF8($1.key) }.reduce(into: ForeignResult()) {
            $0.add(result(ofTrace: $1.value))
        }
    }

    /// Combines the files of one trace, in path order and never empty.
    private static func result(ofTrace parts: [XctracePart]) -> ForeignResult {
        let tables = parts.flatMap(\.tables)
        var result = ForeignResult(tallies: parts.map(\.tally))
        for number in Set(tables.map(\.run)).sorted() {
            let recording = XctraceRecording(parts: parts, number: number)
            for index in parts.indices { recording.count(parts[index].tables, in: &result.tallies[index]) }
            guard tables.contains(where: { $0.run == number && $0.schema.measures }) else { continue }
            result.runs.append(recording.run)
            result.diagnostics += recording.diagnostics
        }
        guard result.runs.isEmpty else { return result }
        // Files without hitches and hangs are valid, but useless alone.
        let names = XctraceSchema.allCases.filter(\.measures).map(\.rawValue).joined(separator: ", ")
        let message = "It holds no table that measures something. Give the exports of \(names) too."
        let faulty = Set(result.tallies.filter { !$0.notUnderstood.isEmpty }.map(\.path))
        result.tallies.removeAll { $0.total == 0 }
        result.faultyInputs = parts.filter { !faulty.contains($0.path) }.map { part in
            FaultyInput(path: part.path, fault: .notFound, message: message)
        }
        return result
    }
}

/// The content of one file of xctrace.
struct XctracePart {
    let path: String
    let identity: String
    /// Its tables, in file order.
    var tables: [XctraceTable] = []
    /// The recordings that it lists; empty if it isn't a table of contents.
    var contents: [XctraceContents] = []
    /// The tally of the rows that are in no table.
    var tally: RecordTally
}

/// The description of one recording in a trace's table of contents.
package struct XctraceContents: Sendable, Hashable {
    /// The number of the recording in its trace, from 1.
    package let run: Int
    /// The recorded process; `nil` if all were recorded.
    package private(set) var process: XctraceProcess?
    /// The duration of the recording in seconds, above 0; `nil` if unknown.
    package private(set) var seconds: Double?
    /// The known conditions: `device`, `device_id`, `os`, `simulator` and `started_at`.
    package fileprivate(set) var context = Context()
    /// Whether a sample is taken after a number of processor cycles.
    package private(set) var countsCycles = false

    private init(run: Int) { self.run = run }

    /// The number in `/trace-toc[1]/run[2]/…` or `run[@number="2"]`; 1 without a number.
    package static func run(in path: String) -> Int {
        guard let start = path.firstRange(of: "run[") else { return 1 }
        return Int(path[start.upperBound...].prefix { $0 != "]" }.filter(\.isNumber)) ?? 1
    }
}

extension XctraceContents {
    /// The recordings in the element `trace-toc` after its start tag.
    package static func all(_ stream: XMLStream) throws(IngestError) -> [XctraceContents] {
        var contents: [XctraceContents] = []
        try stream.readElements { name, attributes throws(IngestError) in
            guard name == "run" else { return try stream.skipElement() }
            contents.append(try XctraceContents(stream, attributes: attributes))
        }
        return contents
    }

    /// The mnemonics of a table's columns, because display names aren't unique; after the start tag of `schema`.
    package static func columns(_ stream: XMLStream) throws(IngestError) -> [String] {
        var columns: [String] = []
        try stream.readElements { _, _ throws(IngestError) in
            var mnemonic = ""
            try stream.readElements { name, _ throws(IngestError) in
                if name == "mnemonic" { mnemonic = try stream.readText() } else { try stream.skipElement() }
            }
            columns.append(mnemonic)
        }
        return columns
    }

    /// Reads the element `run` after its start tag.
    init(_ stream: XMLStream, attributes: [String: String]) throws(IngestError) {
        self.init(run: attributes["number"].flatMap(Int.init) ?? 1)
        var target: [String: String] = [:]
        var names: [String: String] = [:]
        try stream.readElements { name, _ throws(IngestError) in
            switch name {
            case "info":
                try stream.readElements { name, _ throws(IngestError) in
                    switch name {
                    case "target": target = try readTarget(stream)
                    case "summary": try readSummary(stream)
                    default: try stream.skipElement()
                    }
                }
            case "processes":
                try stream.readElements { _, attributes throws(IngestError) in
                    if let pid = attributes["pid"], let name = attributes["name"] { names[pid] = name }
                    try stream.skipElement()
                }
            case "data":
                try stream.readElements { _, attributes throws(IngestError) in
                    if attributes["pmi-event"]?.uppercased().contains("CYCLE") ?? false { countsCycles = true }
                    try stream.skipElement()
                }
            default: try stream.skipElement()
            }
        }
        let pid = target["pid"]
        process = XctraceProcess(name: target["name"] ?? pid.flatMap { names[$0] }, number: pid)
    }

    private mutating func readTarget(_ stream: XMLStream) throws(IngestError) -> [String: String] {
        var target: [String: String] = [:]
        try stream.readElements { name, attributes throws(IngestError) in
            switch name {
            case "process": target = attributes
            case "device":
                context["device"] = attributes["model"].map { .text($0) }
                context["device_id"] = attributes["uuid"].map { .text($0) }
                context.setSystem(platform: attributes["platform"], version: attributes["os-version"])
            case "summary": return try readSummary(stream)
            default: break
            }
            try stream.skipElement()
        }
        return target
    }

    private mutating func readSummary(_ stream: XMLStream) throws(IngestError) {
        try stream.readElements { name, _ throws(IngestError) in
            let text = try stream.readText()
            switch name {
            case "duration": seconds = Double(text).flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
            case "start-date": context["started_at"] = UTCTime.text(of: text).map { .text($0) }
            default: break
            }
        }
    }
}

/// A table of one recording, reduced to the data that perfgate needs.
struct XctraceTable: Sendable, Hashable {
    struct Row: Sendable, Hashable {
        let line: Int
        /// The process; `nil` for rows of displays.
        let process: XctraceProcess?
        /// The display; `nil` for rows of processes.
        let display: String?
        /// Its duration, or its time if the table has no durations; in nanoseconds.
        let nanoseconds: Double
    }

    let schema: XctraceSchema
    /// The number of the recording in its trace, from 1.
    let run: Int
    /// The rows that count, in file order.
    var rows: [Row] = []

    /// Whether both have equal content, independent of position.
    func says(sameAs other: XctraceTable) -> Bool {
        rows.elementsEqual(other.rows) { lhs, rhs in
            lhs.process == rhs.process && lhs.display == rhs.display && lhs.nanoseconds == rhs.nanoseconds
        }
    }
}
