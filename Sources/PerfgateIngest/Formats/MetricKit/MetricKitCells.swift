import PagePerformance
import PerfgateJSON
import PerfgateModel

extension MetricKitPayload {
    /// The cells of the payload; counts unusable records in the tally.
    func cells(_ tally: inout RecordTally) -> [ForeignCell] {
        var cells: [ForeignCell] = []
        for (section, node) in (try? node.members()) ?? [] {
            if MetricKitSection.other.contains(section) {
                tally.skip(line: node.line, because: "they hold nothing that perfgate gates on")
            }
            guard MetricKitSection.read.contains(section) else { continue }
            tally.attempt { tally throws(JSONDocumentError) in
                for (key, record) in try Self.records(of: section, node) {
                    tally.attempt { tally throws(JSONDocumentError) in
                        let measured = try self.cells(of: section, key, record)
                        cells += measured
                        if !measured.isEmpty { return tally.countRead() }
                        tally.skip(line: record.line, because: "it has no data")
                    }
                }
            }
        }
        return cells
    }

    /// The records of a section: its elements or members, or the one hang itself.
    static func records(of section: String, _ node: JSONNode) throws(JSONDocumentError) -> [(String, JSONNode)] {
        if case .array = node.value.content { return try node.elements().map { ("", $0) } }
        if MetricKitSection.hangs.contains(section) { return [("", node)] }
        return try node.members().map { ($0.key, $0.node) }
    }

    /// The cells of a record; none if it holds no data.
    private func cells(of section: String, _ key: String, _ node: JSONNode) throws(JSONDocumentError) -> [ForeignCell] {
        switch section {
        case "animationMetrics": try animation(key, node)
        case "applicationResponsivenessMetrics": try responsiveness(key, node)
        case "applicationLaunchMetrics": try launch(key, node)
        case "signpostMetrics": try signpost(node)
        default:
            // Under the key's own name: a device reports only some of its hangs this way.
            try hangDuration(of: node).map { Self.cell(Self.time("hangDuration"), [$0]) } ?? []
        }
    }

    private func animation(_ key: String, _ node: JSONNode) throws(JSONDocumentError) -> [ForeignCell] {
        let ids = ["scrollHitchTimeRatio": FrameMetric.hitchRatio, "hitchTimeRatio": .hitchRatioScreen]
        guard let id = ids[key] else { return [] }
        return Self.cell(Metric(id), [try quantities.ratio(node)])
    }

    /// The hang rate if the time of use is known; else only the hangs' duration, which grows with the time of use.
    private func responsiveness(_ key: String, _ node: JSONNode) throws(JSONDocumentError) -> [ForeignCell] {
        guard key == "histogrammedAppHangTime" || key == "histogrammedApplicationHangTime" else { return [] }
        let hangs = try MetricKitHistogram(node, quantities).times.filter { $0 > 250 }.reduce(0, +)
        guard let time = self.node(at: ["applicationTimeMetrics", "cumulativeForegroundTime"]) else {
            return Self.cell(.hangDuration, [hangs])
        }
        let use = try quantities.time(time)
        return use > 0 ? Self.cell(Metric(.hangRate), [3_600 * hangs / use]) : []
    }

    private func launch(_ key: String, _ node: JSONNode) throws(JSONDocumentError) -> [ForeignCell] {
        let isFirst = key == "histogrammedTimeToFirstDrawKey" || key == "histogrammedTimeToFirstDraw"
        return Self.cell(isFirst ? .launch : Self.time(key), try MetricKitHistogram(node, quantities).times)
    }

    /// The name and category of a signpost identify the page.
    private func signpost(_ node: JSONNode) throws(JSONDocumentError) -> [ForeignCell] {
        let name = try node["signpostName"].string()
        let category = try node.optional("signpostCategory")?.string()
        let page = category.map { "\($0)/\(name)" } ?? name
        guard let data = try node.optional("signpostIntervalData") else { return [] }
        var cells: [ForeignCell] = []
        if let ratio = try data.optional("signpostCumulativeHitchTimeRatio") {
            cells += Self.cell(Metric(.hitchRatio), [try quantities.ratio(ratio)], of: page)
        }
        if let histogram = try data.optional("histogrammedSignpostDurations") {
            cells += Self.cell(.duration, try MetricKitHistogram(histogram, quantities).times, of: page)
        }
        return cells
    }

    /// A cell with values; none without a value or with a negative value, which means no data.
    private static func cell(
        _ metric: Metric, _ values: [Double], of page: String = ForeignCell.wholeApp
    ) -> [ForeignCell] {
        guard !values.isEmpty, !values.contains(where: { $0 < 0 }) else { return [] }
        return [ForeignCell(subject: page, metric: metric, values: values)]
    }

    private static func time(_ key: String) -> Metric { Metric(id: key, unit: .milliseconds, better: .lower) }
}

struct MetricKitHistogram: Hashable {
    /// One bucket; buckets can have gaps between them, and empty buckets are absent.
    struct Bucket: Hashable {
        /// Its bounds in milliseconds, from 0, in ascending order.
        let start, end: Double
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
