import Testing

@testable import PerfgateStats

struct VectorTests {
    @Test func areAllThere() {
        #expect(Vectors.all.cases.count == 71)
        #expect(Vectors.all.verdict_cases.count == 23)
    }

    @Test(arguments: Vectors.all.cases)
    func mannWhitney(_ vector: Vectors.Case) throws {
        let (b, c, expected) = (
            try SortedSamples(vector.baseline), try SortedSamples(vector.candidate), vector.expected
        )
        let test = try MannWhitney(baseline: b, candidate: c)
        #expect(test.u == expected.mwu_u)
        expectClose(test.probabilityOfGreater, expected.p_greater_exact, "P(U ≥ u)")
        expectClose(test.probabilityOfLess, expected.p_less_exact, "P(U ≤ u)")
        let half = 0.5 * expected.tolerance_m
        let worse = try MannWhitney(baseline: b, candidate: c, shift: half)
        expectClose(worse.probabilityOfGreater, expected.p_half_exact, "p_m")
        let improved = try MannWhitney(baseline: b, candidate: c, shift: -half)
        expectClose(improved.probabilityOfLess, expected.p_half_improve_exact, "mirrored p_m")
        expectClose(
            MannWhitney.smallestProbability(baseline: expected.n_baseline, candidate: expected.n_candidate),
            expected.min_attainable_p_greater, relative: 1e-13, "p_min")
    }

    @Test(arguments: Vectors.all.cases)
    func shiftAndIntervals(_ vector: Vectors.Case) throws {
        let (b, c, expected) = (
            try SortedSamples(vector.baseline), try SortedSamples(vector.candidate), vector.expected
        )
        let estimate = try ShiftEstimate(baseline: b, candidate: c)
        expectClose(estimate.shift, expected.hl_shift, absolute: 1e-9, "shift")
        let ranks = [0.025, 0.01].map { OrderQuantile.rank(b.count, c.count, alpha: $0) }
        #expect(ranks == [expected.ci95_k, expected.lower99_k])
        #expect((estimate.interval == nil) == (expected.ci95 == nil))
        if let interval = expected.ci95 {
            expectClose(estimate.interval?.lowerBound, interval[0], absolute: 1e-9, "interval's start")
            expectClose(estimate.interval?.upperBound, interval[1], absolute: 1e-9, "interval's end")
        }
    }

    @Test(arguments: Vectors.all.cases)
    func centres(_ vector: Vectors.Case) throws {
        let (b, c, expected) = (
            try SortedSamples(vector.baseline), try SortedSamples(vector.candidate), vector.expected
        )
        expectClose(b.median, expected.median_baseline, "median")
        expectClose(c.median, expected.median_candidate, "median")
        expectClose(b.mean, expected.mean_baseline, "mean")
        expectClose(c.mean, expected.mean_candidate, "mean")
        let terms = try Vectors.all.terms(vector.kind, comparisons: 200)
        let comparison = try Comparison(
            baseline: MeasuredRuns([vector.baseline]), candidate: MeasuredRuns([vector.candidate]), terms: terms)
        expectClose(comparison.margin, expected.tolerance_m, "m")
        expectClose(comparison.delta, expected.delta, absolute: 1e-9, "Δ")
        #expect(comparison.worsening == comparison.delta)
    }

    @Test(arguments: Vectors.all.verdict_cases.filter { $0.expected.m != nil })
    func comparisons(_ vector: Vectors.VerdictCase) throws {
        let comparison = try Comparison(
            baseline: MeasuredRuns(vector.baseline_runs), candidate: MeasuredRuns(vector.candidate_runs),
            terms: Vectors.all.terms(vector.kind, comparisons: vector.M))
        let expected = vector.expected
        expectClose(comparison.margin, try #require(expected.m), "m")
        #expect(comparison.design.marginShare == expected.margin_share)
        #expect(comparison.significance.failing == expected.alpha_fail)
        expectClose(comparison.delta, try #require(expected.delta), absolute: 1e-9, "Δ")
        expectClose(comparison.pZero, try #require(expected.p0), "p₀")
        expectClose(comparison.pMargin, try #require(expected.p_margin), "p_m")
        expectClose(comparison.pImproved, try #require(expected.p_margin_improve), "mirrored p_m")
        expectClose(comparison.pMin, try #require(expected.min_attainable_p), relative: 1e-13, "p_min")
        #expect(comparison.design.baselineRuns == vector.baseline_runs.count)
        #expect(comparison.design.candidateRuns == vector.candidate_runs.count)
    }
}
