import PerfgateJSON
import PerfgateModel

extension BaselineFile {
    package static let mostBytes = 64 << 20

    /// The bytes of the file. Defaults aren't written: a direction of `lower`, a counting of `exact`.
    package func bytes() -> [UInt8] {
        var document = BaselineDocument()
        (document.page, document.environment, document.runs) = (page, environment, runs)
        (document.measured, document.metrics) = (measured, metrics)
        (document.accepted, document.released) = (accepted, released)
        return BaselineRecords.document.bytes(of: document, JSONWriter(layout: .indented, keys: .sorted))
    }

    package static var jsonSchema: [UInt8] {
        BaselineRecords.document.schema(title: "A perfgate baseline, version \(BaselineDocument.schema)")
    }

    /// Parses the bytes of a baseline file. The path is for errors; `known` are metrics that it must not contradict.
    package init(
        reading bytes: [UInt8], path: String? = nil, known: KnownMetrics = KnownMetrics()
    ) throws(BaselineError) {
        guard bytes.count <= Self.mostBytes else { throw BaselineError(.tooLarge, path: path) }
        do throws(JSONDocumentError) {
            let document = try JSONDocument(bytes)
            try self.init(document.root, known)
            try document.refuseDuplicates(BaselineRule.repeatedKey.description)
        } catch {
            let line = ConflictMarker.firstLine(in: bytes)
            throw line.map { BaselineError(.conflictMarker, path: path, line: $0) } ?? BaselineError(error, path: path)
        }
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

    static let (text, flag) = (JSONScalarShape.string, JSONScalarShape.bool)
    static let (number, whole) = (JSONScalarShape.number, JSONScalarShape.integer)
    static let count = whole.described(by: ["type": "integer", "minimum": 0]).checked {
        node, count throws(JSONDocumentError) in if count < 0 { throw node.breaks(.negativeCount) }
    }

    static let time = JSONShape<Timestamp>(["type": "string"]) {
        .string($0.text)
    } read: { node throws(JSONDocumentError) in
        guard let time = Timestamp(try node.string()) else { throw node.breaks(.notATime) }
        return time
    }

    static let notNegative: JSONTree = ["type": "number", "minimum": 0]

    /// A number from 0 on; a smaller one breaks a rule.
    static func number(orElse rule: BaselineRule) -> JSONShape<Double> {
        number.described(by: notNegative).checked { node, value throws(JSONDocumentError) in
            if value < 0 { throw node.breaks(rule) }
        }
    }
}

extension JSONNode { func breaks(_ rule: BaselineRule) -> JSONDocumentError { error(.rule(rule.description)) } }

/// Why a baseline can't be used or changed.
package struct BaselineError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file or folder; `nil` if the baseline has none.
    package let path: String?
    /// The line and the column in Unicode scalars, from 1; `nil` for the whole file, and for the whole line.
    package let line, column: Int?
    package let cause: Cause

    package enum Cause: Hashable, Sendable {
        /// It isn't JSON, or a value breaks a rule of the format.
        case content(key: String, problem: String)
        case tooLarge, conflictMarker, exists
        case otherSamples(run: String, metric: String)
        case otherPlace(page: String, other: String)
        /// A second file has the same page in the same environment.
        case duplicatePage(page: String, first: String)
        /// The file's page or environment doesn't match its name.
        case misplaced(page: String)
    }

    package init(_ cause: Cause, path: String? = nil, line: Int? = nil, column: Int? = nil) {
        (self.cause, self.path, self.line, self.column) = (cause, path, line, column)
    }

    init(_ error: JSONDocumentError, path: String?) {
        self.init(
            .content(key: error.path.description, problem: error.problem.description), path: path,
            line: error.location.line, column: error.location.column)
    }

    /// The error with the file's path, unless it has one.
    func located(in path: String) -> BaselineError {
        BaselineError(cause, path: self.path ?? path, line: line, column: column)
    }

    /// The error as `path:line:column: problem; advice`.
    package var description: String {
        let place = [path, line.map { String($0) }, column.map { String($0) }].compactMap(\.self)
        return place.isEmpty ? cause.description : "\(place.joined(separator: ":")): \(cause)"
    }
}

extension BaselineError.Cause: CustomStringConvertible {
    package var description: String {
        switch self {
        case .content(let key, let problem): "\(key): \(problem)"
        case .tooLarge:
            "a baseline of more than \(BaselineFile.mostBytes >> 20) MiB isn't read or written; check the path, or give "
                + "`window.runs` a smaller number"
        case .conflictMarker:
            "a merge left its conflict marker here; undo it with `git merge --abort`, set up the merge driver as `perfgate "
                + "doctor` says, and merge again, or take one side with `git checkout --ours` or `--theirs`"
        case .otherSamples(let run, let metric):
            "run \(run) is stored with other samples of \(metric); give all parts of a run in one call, or give the "
                + "new run its own id"
        case .otherPlace(let page, let other):
            "\(page) and \(other) are not the same page in the same environment; only merge versions of one file. If both "
                + "sides renamed it, take one with `git checkout --ours` or `--theirs`, and store the other's runs again"
        case .duplicatePage(let page, let first):
            "\(page) is in \(first) too, in the same environment; remove one of the two files"
        case .misplaced(let page):
            "the file contains \(page), which doesn't match its name; restore its old name, or remove it"
        case .exists: "a baseline with that name already exists; remove it first, or choose another name"
        }
    }
}

/// The rules of the format beyond JSON's grammar; their words end with advice.
enum BaselineRule: CustomStringConvertible {
    case repeatedKey, emptyName, notAField, notATime, negativeCount
    case repeatedRun, unlistedRun, runWithoutSamples, settledRun
    case negativeNoise, impossibleJumps, epochWithoutRuns
    case unknownSchema(Int)
    /// A unit or direction differs from the metric's; with a clause that explains it.
    case contradiction(String)

    var description: String {
        switch self {
        case .unknownSchema(let schema): "schema \(schema) is unknown, only 1 and 2 are supported; update perfgate"
        case .repeatedKey: "the key is repeated in its object; remove one of the two"
        case .emptyName: "the name is empty; write the page's name"
        case .notAField: "expected a string, a number, true or false; write one of these"
        case .notATime: "not a time; write it like 2026-11-20T10:00:00Z"
        case .repeatedRun: "the run is repeated; remove one of the two"
        case .unlistedRun: "the run is not among `runs`; list it there, or remove it here"
        case .runWithoutSamples: "the run has no list under `samples`; remove it here"
        case .settledRun: "the run has a list under `samples`, too; remove one of the two"
        case .negativeCount: "the number is below 0; write the number"
        case .negativeNoise: "a variation is below 0; remove the noise or jumps; they will be measured again"
        case .epochWithoutRuns:
            "later than every run of the metric, so all its samples would be dropped; write the start of the first run "
                + "that was accepted"
        case .impossibleJumps: "more or larger jumps than runs can show; remove them, they will be measured again"
        case .contradiction(let clause): "\(clause); correct it, or remove the metric from the file"
        }
    }
}
