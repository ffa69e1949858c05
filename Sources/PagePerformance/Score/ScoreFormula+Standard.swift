extension ScoreFormula {
    /// Version "1": perfgate's own defaults, for the five metrics of a native page with equal weights.
    ///
    /// The weights and curves of the published score aren't known. These are starting points to replace by one's own:
    /// good and poor in milliseconds, and a cap of ten times poor.
    public static let standard = ScoreFormula(
        knownVersion: "1",
        components: [
            component(.ttfl, good: 300, poor: 1_000),
            component(.ttil, good: 1_200, poor: 3_000),
            component(.scrollThreadHang, good: 100, poor: 500),
            component(.alt, good: 300, poor: 1_500),
            component(.rclt, good: 500, poor: 2_000),
        ])

    private static func component(_ metric: PageMetric, good: Double, poor: Double) -> ScoreComponent {
        ScoreComponent(metric, weight: 0.2, curve: ScoreCurve(knownGood: good, poor: poor), cap: 10 * poor)
    }
}
