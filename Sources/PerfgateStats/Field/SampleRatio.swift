/// The test whether users arrived in the arms of an experiment in the expected ratio. A mismatch means that users were
/// lost or assigned otherwise in one arm, so that the arms' users differ and no comparison of them is fair: A. Fabijan
/// et al., "Diagnosing sample ratio mismatch in online controlled experiments", Proc. KDD (2019) 2156–2164.
package struct SampleRatio: Sendable, Hashable {
    /// The probability of a day at least as far from the expected ratio by chance, of all days together; 0…1.
    package let p: Double

    /// Below this probability, the arms' users aren't comparable.
    package static let least = 0.001

    /// Tests the users by day, each in one arm. The days share most users, so the worst day counts, times their number
    /// (C. E. Bonferroni's bound).
    ///
    /// - Parameters:
    ///   - days: The users by day; at least 0.
    ///   - share: The expected share of the candidate's arm, above 0 and below 1.
    /// - Returns: `nil` without users.
    package init?(_ days: [(base: Int, candidate: Int)], candidate share: Double) {
        let days = days.filter { $0.base + $0.candidate > 0 }
        let chances = days.map { day in
            let users = Double(day.base + day.candidate)
            // Half a user: the continuity correction of F. Yates.
            let distance = max(0, abs(Double(day.candidate) - users * share) - 0.5)
            return 2 * Normal.upperTail(distance / (users * share * (1 - share)).squareRoot())
        }
        guard let least = chances.min() else { return nil }
        p = min(1, least * Double(days.count))
    }
}
