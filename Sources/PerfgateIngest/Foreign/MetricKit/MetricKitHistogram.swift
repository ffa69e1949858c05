import PerfgateJSON

/// A histogram of times.
struct MetricKitHistogram: Hashable {
    /// One of its buckets; there are gaps between them, and those that are empty are left out.
    struct Bucket: Hashable {
        /// Where it begins, in milliseconds, at least 0.
        let start: Double
        /// Where it ends, in milliseconds, at least its beginning.
        let end: Double
        /// How often a time fell into it.
        let count: Int

        /// The time that stands for those in the bucket, in milliseconds.
        var middle: Double { (start + end) / 2 }
    }

    /// How many times a histogram may count: a day of one device has hundreds.
    static let limit = 100_000

    /// The buckets from the shortest time.
    let buckets: [Bucket]

    /// Reads a histogram; its buckets are the values of an object, in any order, with the number of entries beside them
    /// that can be another.
    init(_ node: JSONNode, _ quantities: MetricKitQuantities) throws(JSONDocumentError) {
        var buckets: [Bucket] = []
        var total = 0
        for (_, entry) in try node["histogramValue"].members() {
            let count = try entry["bucketCount"].int()
            let start = try quantities.time(try entry["bucketStart"])
            let end = try quantities.time(try entry["bucketEnd"])
            guard count >= 0, start >= 0, end >= start else {
                throw entry.error(.rule("is no bucket; check what wrote the file"))
            }
            total += min(count, Self.limit + 1)
            guard total <= Self.limit else {
                throw entry.error(.rule("counts more than \(Self.limit) times; check what wrote the file"))
            }
            buckets.append(Bucket(start: start, end: end, count: count))
        }
        self.buckets = buckets.filter { $0.count > 0 }.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    }

    /// A time for each that was counted, in milliseconds.
    var times: [Double] { buckets.flatMap { Array(repeating: $0.middle, count: $0.count) } }
}
