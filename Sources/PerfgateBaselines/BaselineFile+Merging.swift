import PerfgateModel

extension BaselineFile {
    /// What comes of two versions of a file: the union of their runs, the newest that the window holds.
    ///
    /// The result is the same whichever side is called ours. What either side accepted holds for both, so that no
    /// sample from before an epoch comes back.
    ///
    /// - Parameter base: The version that both started from; `nil` where both made the file.
    public static func merge(
        base: BaselineFile?, ours: BaselineFile, theirs: BaselineFile, window: WindowPolicy = .standard
    ) throws(BaselineError) -> BaselineFile {
        guard ours.page == theirs.page, ours.environment == theirs.environment else {
            throw BaselineError(.otherPlace(page: ours.placeText, other: theirs.placeText))
        }
        let runs = ours.runs + theirs.runs
        let known = Dictionary(runs.map { ($0.id, $0) }) { min($0, $1) }
        var metrics: [String: BaselineMetric] = [:]
        let ids = Set(ours.metrics.keys).union(theirs.metrics.keys)
        for id in ids.sorted(by: { $0.precedesInUTF8($1) }) {
            metrics[id] = try MetricJoin(id: id, runs: known).merging(
                ours.metrics[id], theirs.metrics[id], base: base?.metrics[id])
        }
        return BaselineFile(
            page: ours.page, environment: ours.environment, runs: runs, metrics: metrics,
            accepted: ours.accepted + theirs.accepted
        ).trimmed(to: window)
    }

    /// The page and the environment's fields, for an error.
    var placeText: String {
        let fields = environment.sorted { $0.key.precedesInUTF8($1.key) }.map { "\($0.key) \($0.value)" }
        return "page \(page) (\(fields.joined(separator: ", ")))"
    }
}
