/// What Flutter does for a frame.
enum FlutterPhase: String, CaseIterable {
    /// Building it on the UI thread.
    case build
    /// Drawing it on the raster thread.
    case rasterizer

    /// The key of the times of all frames, in microseconds.
    var list: String { "frame_\(rawValue)_times" }

    /// The statistics of times in milliseconds, by the keys under which a summary has them; none without a time.
    ///
    /// The percentiles are those of Flutter's `findPercentile`: the value at the rounded position, without
    /// interpolation.
    func statistics(of times: [Double]) -> [(key: String, value: Double)] {
        let sorted = times.sorted()
        guard let last = sorted.indices.last else { return [] }
        let percentile = { (share: Double) in sorted[Int((Double(last) * share + 0.5))] }
        let name = "frame_\(rawValue)_time_millis"
        return [
            ("average_\(name)", times.reduce(0, +) / Double(times.count)), ("90th_percentile_\(name)", percentile(0.9)),
            ("99th_percentile_\(name)", percentile(0.99)), ("worst_\(name)", sorted[last]),
        ]
    }
}
