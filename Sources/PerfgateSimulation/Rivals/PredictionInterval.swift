/// Beyond the t prediction interval of the baseline's run means, as Bencher's t-test with an upper boundary of .99.
///
/// mean + t(.99, R − 1)·s·√(1 + 1/R), over R run means. It needs two runs at least.
public struct PredictionInterval: Rival {
    /// Makes the rule.
    public init() {}

    /// The rule in a few words.
    public var title: String { "t prediction interval .99 (Bencher)" }

    /// Whether the mean is beyond what the baseline's run means predict.
    public func flags(_ sight: Sight) -> Bool {
        let means = sight.baseline.map(\.mean)
        guard means.count > 1 else { return false }
        let width = means.deviation * (1 + 1 / Double(means.count)).squareRoot()
        return sight.candidate.mean > means.mean + Self.quantile(freedom: means.count - 1) * width
    }

    /// t(.99) for 1 … 9 degrees of freedom (SciPy's `t.ppf`), and beyond them for 9, which errs towards silence.
    private static func quantile(freedom: Int) -> Double {
        let known = [
            31.82051595, 6.96455673, 4.54070286, 3.74694739, 3.36493000, 3.14266840, 2.99795157, 2.89645945, 2.82143793,
        ]
        return known[min(freedom, known.count) - 1]
    }
}
