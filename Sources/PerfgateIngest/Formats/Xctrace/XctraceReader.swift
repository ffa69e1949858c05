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

/// Combines the files of one trace.
struct XctraceTrace {
    /// Its files in path order; never empty.
    let parts: [XctracePart]

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

    /// Files without hitches and hangs are valid, but useless alone.
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

struct XctracePart: Sendable {
    let path: String
    let identity: String
    /// Its tables, in file order.
    let tables: [XctraceTable]
    /// The recordings that it lists; empty if it isn't a table of contents.
    let contents: [XctraceContents]
    var tally: RecordTally

    /// Its folder; empty if the path has none.
    var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }
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
        let digits = path[start.upperBound...].prefix { $0 != "]" }.filter(\.isNumber)
        return Int(digits) ?? 1
    }
}

extension XctraceContents {
    /// The recordings in the element `trace-toc` after its start tag.
    package static func all(_ stream: XMLStream) throws(IngestError) -> [XctraceContents] {
        var contents: [XctraceContents] = []
        try stream.readContent { event throws(IngestError) in
            guard case .start(let name, let attributes) = event else { return }
            if name == "run" {
                contents.append(try XctraceContents(stream, attributes: attributes))
            } else {
                try stream.skipElement()
            }
        }
        return contents
    }

    /// The mnemonics of a table's columns, because display names aren't unique; after the start tag of `schema`.
    package static func columns(_ stream: XMLStream) throws(IngestError) -> [String] {
        var columns: [String] = []
        try stream.readContent { event throws(IngestError) in
            guard case .start = event else { return }
            var mnemonic = ""
            try stream.readContent { event throws(IngestError) in
                guard case .start(let name, _) = event else { return }
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
        try stream.readContent { event throws(IngestError) in
            guard case .start(let name, _) = event else { return }
            switch name {
            case "info": target = try readInfo(stream)
            case "processes": names = try Self.readProcesses(stream)
            case "data": try readTables(stream)
            default: try stream.skipElement()
            }
        }
        let pid = target["pid"]
        process = XctraceProcess(name: target["name"] ?? pid.flatMap { names[$0] }, number: pid)
    }

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

    private mutating func readTables(_ stream: XMLStream) throws(IngestError) {
        try stream.readContent { event throws(IngestError) in
            guard case .start(_, let attributes) = event else { return }
            if attributes["pmi-event"]?.uppercased().contains("CYCLE") ?? false { countsCycles = true }
            try stream.skipElement()
        }
    }

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
        /// Whether it is too short to count; it then only shows that its process was observed.
        let isShort: Bool
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
