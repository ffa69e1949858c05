import PerfgateModel

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
