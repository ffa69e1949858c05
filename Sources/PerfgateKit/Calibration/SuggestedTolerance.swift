import PerfgateStats

/// The tolerance at which a time keeps to its part of the gate's false alarms.
///
/// The gate allows 0.1 false alarms a run, which is α_f = 0.1 / M of each comparison. The test alone keeps to that only
/// within a run; what runs differ by has to find room in the tolerance.
struct SuggestedTolerance {
    /// The noise of the time.
    let noise: Noise
    /// The median, in its unit.
    let median: Double
    /// The level of one comparison.
    let significance: Significance

    /// The tolerances that are suggested, in percent: below the least a change matters to nobody, and beyond the most
    /// a gate sees next to nothing.
    static let percents = 3...100

    /// The least of these, as a share, with which a run of the design fails without any change no more often than its
    /// part; `nil` where none does, or where no samples of these sizes could fail.
    func relative(for design: Design) -> Double? {
        guard design.smallestProbability <= significance.failing else { return nil }
        return Self.percents.first { percent in
            let change = DetectableChange(
                noise: noise, margin: Double(percent) / 100 * median, median: median, significance: significance)
            return change?.falseAlarmChance(design).map { $0 <= significance.failing } ?? false
        }.map { Double($0) / 100 }
    }
}
