import PagePerformance
import PerfgateJSON
import PerfgateModel

/// Makes cells from one payload and counts unusable records in the tally.
struct MetricKitCells {
    static let app = "App"

    private(set) var cells: [ForeignCell] = []
    private(set) var tally: RecordTally

    private let payload: MetricKitPayload
    private var quantities: MetricKitQuantities { payload.quantities }

    struct Record {
        let section: String
        let key: String
        let node: JSONNode
    }

    init(_ payload: MetricKitPayload, tally: RecordTally) {
        (self.payload, self.tally) = (payload, tally)
        for (key, node) in (try? payload.node.members()) ?? [] {
            if MetricKitSection.read.contains(key) {
                read(key, node)
            } else if MetricKitSection.other.contains(key) {
                self.tally.skip(line: node.line, because: "they hold nothing that perfgate gates on")
            }
        }
    }

    private mutating func read(_ section: String, _ node: JSONNode) {
        do throws(JSONDocumentError) {
            for record in try Self.records(of: section, node) { read(record) }
        } catch {
            tally.fail(error)
        }
    }

    private mutating func read(_ record: Record) {
        do throws(JSONDocumentError) {
            let new = try cells(of: record)
            if new.isEmpty { tally.skip(line: record.node.line, because: "it has no data") } else { tally.countRead() }
            cells += new
        } catch {
            tally.fail(error)
        }
    }

    /// The records of a section: its elements or members, or the one hang itself.
    static func records(of section: String, _ node: JSONNode) throws(JSONDocumentError) -> [Record] {
        if case .array = node.value.content {
            return try node.elements().map { Record(section: section, key: "", node: $0) }
        }
        if MetricKitSection.hangs.contains(section) { return [Record(section: section, key: "", node: node)] }
        return try node.members().map { Record(section: section, key: $0.key, node: $0.node) }
    }

    /// The cells of a record; none if it holds no data.
    private func cells(of record: Record) throws(JSONDocumentError) -> [ForeignCell] {
        switch record.section {
        case "animationMetrics": try animation(record.key, record.node)
        case "applicationResponsivenessMetrics": try responsiveness(record.key, record.node)
        case "applicationLaunchMetrics": try launch(record.key, record.node)
        case "signpostMetrics": try signpost(record.node)
        default: try hang(record.node)
        }
    }
}

extension MetricKitCells {
    private func animation(_ key: String, _ node: JSONNode) throws(JSONDocumentError) -> [ForeignCell] {
        let ids = ["scrollHitchTimeRatio": FrameMetric.hitchRatio, "hitchTimeRatio": .hitchRatioScreen]
        guard let id = ids[key] else { return [] }
        return cell(Metric(id), [try quantities.ratio(node)])
    }

    /// The hang rate if the time of use is known; else only the hangs' duration, which grows with the time of use.
    private func responsiveness(_ key: String, _ node: JSONNode) throws(JSONDocumentError) -> [ForeignCell] {
        guard key == "histogrammedAppHangTime" || key == "histogrammedApplicationHangTime" else { return [] }
        let hangs = try MetricKitHistogram(node, quantities).times.filter { $0 > 250 }.reduce(0, +)
        if let time = payload.foregroundTime {
            let use = try quantities.time(time)
            return use > 0 ? cell(Metric(.hangRate), [3_600 * hangs / use]) : []
        }
        return cell(.hangDuration, [hangs])
    }

    private func launch(_ key: String, _ node: JSONNode) throws(JSONDocumentError) -> [ForeignCell] {
        let isFirst = key == "histogrammedTimeToFirstDrawKey" || key == "histogrammedTimeToFirstDraw"
        return cell(isFirst ? .launch : Self.time(key), try MetricKitHistogram(node, quantities).times)
    }

    /// The name and category of a signpost identify the page.
    private func signpost(_ node: JSONNode) throws(JSONDocumentError) -> [ForeignCell] {
        let name = try node["signpostName"].string()
        let page = try node.optional("signpostCategory").map { node throws(JSONDocumentError) in
            "\(try node.string())/\(name)"
        }
        var cells: [ForeignCell] = []
        guard let data = try node.optional("signpostIntervalData") else { return [] }
        if let ratio = try data.optional("signpostCumulativeHitchTimeRatio") {
            cells += cell(Metric(.hitchRatio), [try quantities.ratio(ratio)], of: page ?? name)
        }
        if let histogram = try data.optional("histogrammedSignpostDurations") {
            let times = try MetricKitHistogram(histogram, quantities).times
            cells += cell(.duration, times, of: page ?? name)
        }
        return cells
    }

    /// Under the key's own name: a device reports only some of its hangs this way.
    private func hang(_ node: JSONNode) throws(JSONDocumentError) -> [ForeignCell] {
        guard let duration = try payload.hangDuration(of: node) else { return [] }
        return cell(Self.time("hangDuration"), [duration])
    }

    /// A cell with values; none without a value or with a negative value, which means no data.
    private func cell(_ metric: Metric, _ values: [Double], of page: String = app) -> [ForeignCell] {
        guard !values.isEmpty, !values.contains(where: { $0 < 0 }) else { return [] }
        return [ForeignCell(subject: page, metric: metric, values: values)]
    }

    private static func time(_ key: String) -> Metric { Metric(id: key, unit: .milliseconds, better: .lower) }
}

struct MetricKitHistogram: Hashable {
    /// One bucket; buckets can have gaps between them, and empty buckets are absent.
    struct Bucket: Hashable {
        /// Its start, in milliseconds, at least 0.
        let start: Double
        /// Its end, in milliseconds, at least its start.
        let end: Double
        let count: Int

        /// The representative time of the bucket, in milliseconds.
        var middle: Double { (start + end) / 2 }
    }

    /// The maximum count of a histogram: a day of one device has hundreds.
    static let limit = 100_000

    /// The buckets, shortest time first.
    let buckets: [Bucket]

    /// Reads a histogram. Its buckets are the values of an object, in any order. The stored number of buckets can
    /// differ from the actual number.
    init(_ node: JSONNode, _ quantities: MetricKitQuantities) throws(JSONDocumentError) {
        var buckets: [Bucket] = []
        var total = 0
        for (_, entry) in try node["histogramValue"].members() {
            let count = try entry["bucketCount"].int()
            let start = try quantities.time(try entry["bucketStart"])
            let end = try quantities.time(try entry["bucketEnd"])
            guard count >= 0, start >= 0, end >= start else {
                throw entry.error(.rule("isn't a bucket; check its writer"))
            }
            total += min(count, Self.limit + 1)
            guard total <= Self.limit else {
                throw entry.error(.rule("counts more than \(Self.limit) times; check its writer"))
            }
            buckets.append(Bucket(start: start, end: end, count: count))
        }
        if let count = try node.optional("histogramNumBuckets")?.int(), buckets.count < count {
            throw node.error(.rule("has \(buckets.count) of \(count) buckets; check what stored the file"))
        }
        self.buckets = buckets.filter { $0.count > 0 }.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    }

    /// One time per count, in milliseconds.
    var times: [Double] { buckets.flatMap { Array(repeating: $0.middle, count: $0.count) } }
}
