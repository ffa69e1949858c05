import PerfgateJSON
import PerfgateModel

/// One timeline summary: each value is one sample of one iteration.
struct FlutterSummary {
    /// What was measured.
    private(set) var cells: [ForeignCell] = []
    private let page: String

    /// Reads a summary; what can't be read or used goes into the tally.
    init(_ node: JSONNode, page: String, _ tally: inout RecordTally) {
        self.page = page
        do throws(JSONDocumentError) {
            let frames = try node.optional("frame_count")?.double()
            for (key, member) in try node.members() where !Self.lists.contains(key) {
                read(key, member, hasFrames: frames != 0, &tally)
            }
            for phase in FlutterPhase.allCases { try derive(phase, node, &tally) }
        } catch {
            tally.fail(error)
        }
    }

    private mutating func read(_ key: String, _ node: JSONNode, hasFrames: Bool, _ tally: inout RecordTally) {
        guard let metric = FlutterMetric(key) else {
            return tally.skip(line: node.line, because: "perfgate doesn't know what is good of them")
        }
        guard hasFrames || !metric.needsFrames else {
            return tally.skip(line: node.line, because: "no frame was drawn")
        }
        do throws(JSONDocumentError) {
            guard !node.isNull else { return tally.skip(line: node.line, because: "they are null") }
            let value = try node.double()
            guard value >= 0 else { throw node.error(.rule("measured less than nothing; run the test again")) }
            tally.countRead()
            add(metric.metric, value)
        } catch {
            tally.fail(error)
        }
    }

    /// Computes from a list what an older file doesn't say itself.
    private mutating func derive(
        _ phase: FlutterPhase, _ node: JSONNode, _ tally: inout RecordTally
    ) throws(JSONDocumentError) {
        guard let list = try node.optional(phase.list) else { return }
        do throws(JSONDocumentError) {
            let times = try list.doubles().map { $0 / 1_000 }
            if times.contains(where: { $0 < 0 }) {
                throw list.error(.rule("measured less than nothing; run the test again"))
            }
            tally.countRead()
            for (key, value) in phase.statistics(of: times) where try node.find(key) == nil {
                if let metric = FlutterMetric(key) { add(metric.metric, value) }
            }
        } catch {
            tally.fail(error)
        }
    }

    private mutating func add(_ metric: ForeignMetric, _ value: Double) {
        cells.append(ForeignCell(subject: page, metric: metric.metric, values: metric.convert([value])))
    }

    /// Lists of points in time, and of times that are read as lists.
    private static let lists =
        Set(FlutterPhase.allCases.map(\.list)).union(["frame_begin_times", "frame_rasterizer_begin_times"])
}
