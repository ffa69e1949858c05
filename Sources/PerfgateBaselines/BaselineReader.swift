import PerfgateJSON
import PerfgateModel

extension BaselineFile {
    /// The largest size in bytes.
    package static let mostBytes = 64 << 20

    /// The bytes of the file. Defaults aren't written: a direction of `lower`, a counting of `exact`.
    package func bytes() -> [UInt8] {
        var document = BaselineDocument()
        (document.page, document.environment, document.runs) = (page, environment, runs)
        (document.measured, document.metrics) = (measured, metrics)
        (document.accepted, document.released) = (accepted, released)
        return BaselineRecords.document.bytes(of: document, keys: .sorted)
    }

    package static var jsonSchema: [UInt8] {
        BaselineRecords.document.schema(title: "A perfgate baseline, version \(BaselineDocument.schema)")
    }

    /// Parses the bytes of a baseline file.
    /// - Parameter path: The file's path for errors; `nil` without one.
    /// - Parameter known: The units and directions that it must not contradict.
    package init(
        reading bytes: [UInt8], path: String? = nil, known: KnownMetrics = KnownMetrics()
    ) throws(BaselineError) {
        guard bytes.count <= Self.mostBytes else { throw BaselineError(.tooLarge, path: path) }
        let repeated: JSONDocument.Duplicate?
        do throws(JSONDocumentError) {
            let document = try JSONDocument(bytes)
            try self.init(document.root, known)
            repeated = document.duplicates.first
        } catch {
            if let line = ConflictMarker.firstLine(in: bytes) {
                throw BaselineError(.conflictMarker, path: path, line: line)
            }
            throw BaselineError(error, path: path)
        }
        if let repeated { throw BaselineError(repeated, path: path) }
    }

    /// Reads a document, and checks that its parts belong together.
    init(_ root: JSONNode, _ known: KnownMetrics) throws(JSONDocumentError) {
        let document = try BaselineRecords.document.read(root)
        try document.check(root, known)
        self.init(
            page: document.page, environment: document.environment.compactMapValues(\.self), runs: document.runs,
            measured: document.measured, metrics: document.metrics, accepted: document.accepted,
            released: document.released)
        isForgetful = document.schema == BaselineDocument.earlierSchema
    }
}

extension BaselineDocument {
    fileprivate func check(_ root: JSONNode, _ known: KnownMetrics) throws(JSONDocumentError) {
        var ids: Set<String> = []
        for (index, run) in runs.enumerated() where !ids.insert(run.id).inserted {
            throw try root["runs"][index].breaks(.repeatedRun)
        }
        func checkListed(_ runs: [String: some Any], _ node: JSONNode) throws(JSONDocumentError) {
            for (run, item) in try node.members() where runs[run] != nil && !ids.contains(run) {
                throw item.breaks(.unlistedRun)
            }
        }
        if let node = try root.optional("measured") { try checkListed(measured, node) }
        for (id, node) in try root["metrics"].members() {
            guard let metric = metrics[id] else { continue }
            let problem = known.contradiction(
                Metric(id: id, unit: metric.definition.unit, better: metric.definition.better))
            if let problem { throw node.breaks(.contradiction(problem)) }
            try checkListed(metric.samples, try node["samples"])
            for (run, item) in try node.optional("held")?.members() ?? [] {
                guard ids.contains(run) else { throw item.breaks(.unlistedRun) }
                guard metric.samples[run] == nil else { throw item.breaks(.settledRun) }
            }
            for element in try node.optional("provisional")?.elements() ?? [] {
                guard ids.contains(try element.string()) else { throw element.breaks(.unlistedRun) }
            }
            if let earlier = try node.optional("earlier") {
                try checkListed(metric.earlier?.samples ?? [:], try earlier["samples"])
            }
        }
        for (index, change) in accepted.enumerated() {
            // An epoch begins with a stored run, so a later one is a slip that would drop every sample.
            let samples = metrics[change.metric]?.runs ?? []
            let stored = runs.filter { samples.contains($0.id) }
            if !stored.isEmpty, stored.allSatisfy({ $0.startedAt.isEarlier(than: change.at) }) {
                throw try root["accepted"][index]["at"].breaks(.epochWithoutRuns)
            }
        }
    }
}

/// The marker lines that git writes around the sides of a conflict. None of them can be a line of JSON, whose strings
/// don't span lines, or start a line of a YAML mapping.
package enum ConflictMarker {
    private static let markers = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"].map { Array($0.utf8) }

    /// The first marker line, from 1; `nil` without markers.
    package static func firstLine(in bytes: [UInt8]) -> Int? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.firstIndex { line in markers.contains { line.starts(with: $0) } }.map { $0 + 1 }
    }
}

extension BaselineRecords {
    /// A time that reading replaces.
    static let start = Timestamp(secondsSince1970: 0)

    static let text = JSONShape<String>(["type": "string"]) {
        .string($0)
    } read: {
        node throws(JSONDocumentError) in
        try node.string()
    }
    static let flag = JSONShape<Bool>(["type": "boolean"]) {
        .bool($0)
    } read: {
        node throws(JSONDocumentError) in
        try node.bool()
    }
    static let number = JSONShape<Double>(["type": "number"]) {
        .number($0)
    } read: {
        node throws(JSONDocumentError) in
        try node.double()
    }
    static let count = JSONShape<Int>(["type": "integer", "minimum": 0]) {
        .integer(Int64($0))
    } read: {
        node throws(JSONDocumentError) in
        try node.int()
    }.checked { count throws(BaselineRule) in if count < 0 { throw .negativeCount } }

    static let time = JSONShape<Timestamp>(["type": "string"]) {
        .string($0.text)
    } read: {
        node throws(JSONDocumentError) in
        guard let time = Timestamp(try node.string()) else { throw node.breaks(.notATime) }
        return time
    }

    static func notNegative(_ rule: BaselineRule) -> JSONShape<Double> {
        JSONShape<Double>(["type": "number", "minimum": 0]) {
            .number($0)
        } read: { node throws(JSONDocumentError) in
            try node.double()
        }.checked { value throws(BaselineRule) in if value < 0 { throw rule } }
    }

    static func word<Word: RawRepresentable<String> & CaseIterable & SendableMetatype>() -> JSONShape<Word> {
        let words = Word.allCases.map(\.rawValue)
        return JSONShape<Word>(["type": "string", "enum": .list(words.map { .scalar(.string($0)) })]) {
            .string($0.rawValue)
        } read: { node throws(JSONDocumentError) in
            guard let word = Word(rawValue: try node.string()) else { throw node.breaks(.unknownWord(words)) }
            return word
        }
    }
}

extension JSONShape {
    /// The shape with a rule that a value must meet when it is read.
    func checked(_ check: @escaping @Sendable (Value) throws(BaselineRule) -> Void) -> JSONShape {
        checked { node, value throws(JSONDocumentError) in
            do throws(BaselineRule) { try check(value) } catch { throw node.breaks(error) }
        }
    }

    func list(_ layout: JSONWriter.ContainerLayout = .lines) -> JSONShape<[Value]> {
        list(layout) { _, _ throws(JSONDocumentError) in }
    }
}

extension JSONNode {
    func breaks(_ rule: BaselineRule) -> JSONDocumentError { error(.rule(rule.description)) }
}
