import PerfgateJSON
import PerfgateModel

/// Reads the parts of a baseline's document.
enum BaselineReader {
    /// The format version that is written. An older program refuses it, instead of dropping the held runs that it
    /// doesn't know.
    static let schema = 2
    /// The format version that is read too. It forgot refused runs.
    static let earlierSchema = 1

    static func read(_ root: JSONNode, _ known: KnownMetrics) throws(JSONDocumentError) -> BaselineFile {
        let schema = try root["schema"]
        let version = try schema.int()
        guard [Self.schema, earlierSchema].contains(version) else { throw schema.breaks(.unknownSchema(version)) }
        let runs = try runs(root["runs"])
        let ids = Set(runs.map(\.id))
        var metrics: [String: BaselineMetric] = [:]
        for (id, node) in try root["metrics"].members() { metrics[id] = try metric(node, id: id, runs: ids, known) }
        var accepted: [AcceptedChange] = []
        for node in try root.optional("accepted")?.elements() ?? [] {
            let change = try change(node)
            // An epoch begins with a stored run, so a later one is a slip that would drop every sample.
            let samples = metrics[change.metric]?.runs ?? []
            let stored = runs.filter { samples.contains($0.id) }
            if !stored.isEmpty, stored.allSatisfy({ $0.startedAt.isEarlier(than: change.at) }) {
                throw try node["at"].breaks(.epochWithoutRuns)
            }
            accepted.append(change)
        }
        var released: [ReleasedRuns] = []
        for node in try root.optional("released")?.elements() ?? [] { released.append(try release(node)) }
        var file = BaselineFile(
            page: try page(root["page"]), environment: try fields(root["environment"]), runs: runs,
            measured: try measured(root.optional("measured"), runs: ids), metrics: metrics, accepted: accepted,
            released: released)
        file.isForgetful = version == earlierSchema
        return file
    }

    private static func page(_ node: JSONNode) throws(JSONDocumentError) -> Page {
        let name = try node.string()
        guard !name.allSatisfy(\.isWhitespace) else { throw node.breaks(.emptyName) }
        return Page(name)
    }

    private static func fields(_ node: JSONNode) throws(JSONDocumentError) -> [String: FieldValue] {
        var fields: [String: FieldValue] = [:]
        for (name, value) in try node.members() where !value.isNull { fields[name] = try field(value) }
        return fields
    }

    private static func field(_ node: JSONNode) throws(JSONDocumentError) -> FieldValue {
        switch node.value.kind {
        case .string: .text(try node.string())
        case .number: .number(try node.double())
        case .bool: .flag(try node.bool())
        case .object, .array, .null: throw node.breaks(.notAField)
        }
    }

    private static func runs(_ node: JSONNode) throws(JSONDocumentError) -> [BaselineRun] {
        var runs: [BaselineRun] = []
        var ids: Set<String> = []
        for element in try node.elements() {
            let id = try element["id"].string()
            guard ids.insert(id).inserted else { throw element.breaks(.repeatedRun) }
            runs.append(
                BaselineRun(
                    id: id, startedAt: try time(element["started_at"]),
                    commit: try element.optional("commit")?.string(),
                    version: try element.optional("app_version")?.string(),
                    tool: try element.optional("tool")?.string()))
        }
        return runs
    }

    private static func measured(
        _ node: JSONNode?, runs: Set<String>
    ) throws(JSONDocumentError) -> [String: MeasuredCounts] {
        var measured: [String: MeasuredCounts] = [:]
        for (run, node) in try node?.members() ?? [] {
            guard runs.contains(run) else { throw node.breaks(.unlistedRun) }
            measured[run] = try counts(node)
        }
        return measured
    }

    private static func counts(_ node: JSONNode) throws(JSONDocumentError) -> MeasuredCounts {
        let visits = try node.optional("visits")
        var entries: [String: Int] = [:]
        for (metric, count) in try node.optional("entries")?.members() ?? [] { entries[metric] = try count.count() }
        let milliseconds = try node.optional("scroll_ms")
        guard try milliseconds?.double() ?? 0 >= 0 else { throw (milliseconds ?? node).breaks(.negativeCount) }
        return MeasuredCounts(
            iterations: try node["iterations"].count(), scrolls: try node.optional("scrolls")?.count() ?? 0,
            scrollMS: try milliseconds?.double() ?? 0,
            visits: MeasuredCounts.Visits(
                loaded: try visits?.optional("loaded")?.count() ?? 0,
                error: try visits?.optional("error")?.count() ?? 0,
                abandoned: try visits?.optional("abandoned")?.count() ?? 0),
            entries: entries)
    }

    private static func time(_ node: JSONNode) throws(JSONDocumentError) -> Timestamp {
        guard let time = Timestamp(try node.string()) else { throw node.breaks(.notATime) }
        return time
    }

    private static func metric(
        _ node: JSONNode, id: String, runs: Set<String>, _ known: KnownMetrics
    ) throws(JSONDocumentError) -> BaselineMetric {
        let definition = BaselineMetric.Definition(
            unit: Unit(try node["unit"].string()), better: try word(node.optional("better")) ?? .lower,
            formula: try node["formula"].string(), counting: try word(node.optional("counting")) ?? .exact)
        let metric = Metric(id: id, unit: definition.unit, better: definition.better)
        if let problem = known.contradiction(metric) { throw node.breaks(.contradiction(problem)) }
        var held: [String: HeldRun] = [:]
        var values = try samples(node["samples"], runs: runs)
        for (run, item) in try node.optional("held")?.members() ?? [] {
            guard runs.contains(run) else { throw item.breaks(.unlistedRun) }
            guard values[run] == nil else { throw item.breaks(.settledRun) }
            held[run] = HeldRun(try word(item["why"]) ?? .doubtful, try item["samples"].doubles())
        }
        for element in try node.optional("provisional")?.elements() ?? [] {
            let run = try element.string()
            guard let list = values.removeValue(forKey: run) else { throw element.breaks(.runWithoutSamples) }
            held[run] = HeldRun(.doubtful, list)
        }
        let earlier = try node.optional("earlier").map { node throws(JSONDocumentError) in
            EarlierEpoch(samples: try samples(node["samples"], runs: runs), anchor: try anchor(node.optional("anchor")))
        }
        return BaselineMetric(
            definition, samples: values, limit: try limit(node.optional("limit")), held: held,
            heldSince: try heldSince(node.optional("held_since")), anchor: try anchor(node.optional("anchor")),
            jumps: try jumps(node.optional("jumps")), earlier: earlier,
            isLost: try node.optional("lost")?.bool() ?? false)
    }

    private static func samples(
        _ node: JSONNode, runs: Set<String>
    ) throws(JSONDocumentError) -> [String: [Double]] {
        var samples: [String: [Double]] = [:]
        for (run, list) in try node.members() {
            guard runs.contains(run) else { throw list.breaks(.unlistedRun) }
            samples[run] = try list.doubles()
        }
        return samples
    }

    private static func heldSince(_ node: JSONNode?) throws(JSONDocumentError) -> HeldSince? {
        guard let node else { return nil }
        return HeldSince(
            at: try time(node["at"]), commit: try node.optional("commit")?.string(), runs: try node["runs"].count())
    }

    private static func anchor(_ node: JSONNode?) throws(JSONDocumentError) -> EpochAnchor? {
        guard let node else { return nil }
        return EpochAnchor(
            from: try time(node["from"]), to: try time(node["to"]), medians: try node["medians"].doubles())
    }

    /// The largest jump: a factor of e¹⁰ from run to run.
    private static let mostJump = 10.0

    private static func jumps(_ node: JSONNode?) throws(JSONDocumentError) -> [Double] {
        guard let node else { return [] }
        let jumps = try node.doubles()
        guard jumps.allSatisfy({ $0 >= 0 }) else { throw node.breaks(.negativeNoise) }
        guard jumps.count <= BaselineMetric.mostJumps, jumps.allSatisfy({ $0 <= mostJump }) else {
            throw node.breaks(.impossibleJumps)
        }
        return jumps
    }

    private static func release(_ node: JSONNode) throws(JSONDocumentError) -> ReleasedRuns {
        var runs: [String] = []
        for run in try node["runs"].elements() { runs.append(try run.string()) }
        return ReleasedRuns(
            at: try time(node["at"]), metric: try node["metric"].string(), reason: try node["reason"].string(),
            runs: runs)
    }

    private static func limit(_ node: JSONNode?) throws(JSONDocumentError) -> BaselineLimit? {
        guard let node else { return nil }
        return BaselineLimit(try node["value"].double(), average: try node.optional("average")?.double())
    }

    private static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ node: JSONNode?
    ) throws(JSONDocumentError) -> Word? {
        guard let node else { return nil }
        guard let word = Word(rawValue: try node.string()) else {
            throw node.breaks(.unknownWord(Word.allCases.map(\.rawValue)))
        }
        return word
    }

    private static func change(_ node: JSONNode) throws(JSONDocumentError) -> AcceptedChange {
        AcceptedChange(
            at: try time(node["at"]), metric: try node["metric"].string(), reason: try node["reason"].string(),
            commit: try node.optional("commit")?.string(), noise: try noise(node.optional("noise")))
    }

    private static func noise(_ node: JSONNode?) throws(JSONDocumentError) -> EpochNoise? {
        guard let node else { return nil }
        func deviation(_ key: String) throws(JSONDocumentError) -> Double? {
            guard let node = try node.optional(key) else { return nil }
            let value = try node.double()
            guard value >= 0 else { throw node.breaks(.negativeNoise) }
            return value
        }
        return EpochNoise(withinRun: try deviation("within_run"), betweenRuns: try deviation("between_runs"))
    }
}

extension JSONNode {
    /// A whole number, at least 0.
    fileprivate func count() throws(JSONDocumentError) -> Int {
        let count = try int()
        guard count >= 0 else { throw breaks(.negativeCount) }
        return count
    }

    fileprivate func breaks(_ rule: BaselineRule) -> JSONDocumentError {
        error(.rule(rule.description))
    }
}

extension BaselineFile {
    /// The largest size in bytes.
    package static let mostBytes = 64 << 20

    /// Parses the bytes of a baseline file.
    ///
    /// - Parameters:
    ///   - path: The file's path for errors; `nil` without one.
    ///   - known: The units and directions that it must not contradict.
    package init(
        reading bytes: [UInt8], path: String? = nil, known: KnownMetrics = KnownMetrics()
    ) throws(BaselineError) {
        guard bytes.count <= Self.mostBytes else { throw BaselineError(.tooLarge, path: path) }
        let repeated: JSONDocument.Duplicate?
        do throws(JSONDocumentError) {
            let document = try JSONDocument(bytes)
            self = try BaselineReader.read(document.root, known)
            repeated = document.duplicates.first
        } catch {
            if let line = ConflictMarker.firstLine(in: bytes) {
                throw BaselineError(.conflictMarker, path: path, line: line)
            }
            throw BaselineError(error, path: path)
        }
        if let repeated { throw BaselineError(repeated, path: path) }
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
