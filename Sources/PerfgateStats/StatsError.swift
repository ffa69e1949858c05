/// Why a statistic cannot be computed at all.
public enum StatsError: Error, Equatable, Sendable {
    /// A number is NaN or infinite; `position` is its index, from 0, in the list that was given.
    case notFinite(position: Int)
    /// A side has no sample, so there is nothing to compare.
    case noSamples(side: Side)
    /// A setting lies outside what it may be; `allowed` says it in words.
    case outOfRange(setting: String, allowed: String)
    /// Both sides of a paired comparison must have the same number of entries.
    case unpaired(baseline: Int, candidate: Int)
    /// An exact count of this size would take too long; `limit` is the greatest size that is counted.
    case tooLarge(size: Int, limit: Int)

    /// One of the two sides of a comparison.
    public enum Side: String, Sendable {
        /// What was measured before.
        case baseline
        /// What is being judged.
        case candidate
    }
}

extension StatsError: CustomStringConvertible {
    /// What is wrong, ending with what to do about it.
    public var description: String {
        switch self {
        case .notFinite(let position):
            "the value at position \(position) is not a finite number; leave it out or record it as not measured"
        case .noSamples(let side):
            "the \(side.rawValue) has no samples; measure it before comparing"
        case .outOfRange(let setting, let allowed):
            "\(setting) is out of range; give \(allowed)"
        case .unpaired(let baseline, let candidate):
            "\(baseline) baseline entries cannot be paired with \(candidate) candidate entries; give one for one"
        case .tooLarge(let size, let limit):
            "an exact paired comparison of size \(size) exceeds \(limit); pool fewer runs or compare them unpaired"
        }
    }
}
