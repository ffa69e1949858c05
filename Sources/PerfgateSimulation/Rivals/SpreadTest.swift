/// A z-test of the candidate's mean on the baseline's spread, and a mean at least 5 % higher, as Reassure compares.
///
/// z = (mean_c − mean_b) / (s_b / √n_c), and more than 2.326, where Reassure's table of chances falls below .02.
public struct SpreadTest: Rival {
    /// Makes the rule.
    public init() {}

    /// The rule in a few words.
    public var title: String { "z-test on the baseline's spread, at least 5 % (Reassure)" }

    /// Whether the test rejects, and the mean has risen by 5 % or more.
    public func flags(_ sight: Sight) -> Bool {
        let (before, after) = (sight.pooled.values.mean, sight.candidate.mean)
        guard after > before, after >= 1.05 * before else { return false }
        let error = sight.pooled.values.deviation / Double(sight.candidate.count).squareRoot()
        return error == 0 || (after - before) / error > 2.326
    }
}
