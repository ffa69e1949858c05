import PerfgateStats

extension DrawnComparisons {
    /// Whether the gate calls a comparison regressed whose candidate is worse by a rise in every sample.
    ///
    /// The rule's fourth and fifth step with confirmation off, of which the fourth only speaks where no samples of these
    /// sizes could fail by chance alone; those are not asked about here.
    func isRegressed(_ draw: Draw, rise: Double = 0, tolerance: Tolerance) throws(StatsError) -> Bool {
        guard let median = draw.baseline.median, let before = draw.baseline.centre(centre),
            let unraised = draw.candidate.centre(centre)
        else { return false }
        let margin = tolerance.margin(median: median)
        // Most draws end here, before anything is sorted; the slack is for the last digits.
        guard margin > 0, unraised + rise - before > 0.999 * margin else { return false }
        let candidate = try SortedSamples(draw.candidate.values.map { $0 + rise })
        guard let after = candidate.centre(centre), after - before > margin else { return false }
        let test = try MannWhitney(
            baseline: draw.baseline, candidate: candidate, shift: design.marginShare * margin)
        return test.probabilityOfGreater <= significance.failing
    }

    /// Whether samples of these sizes could fail at all (p_min ≤ α_f).
    var canFail: Bool { design.smallestProbability <= significance.failing }

    /// The share of comparisons without any change that fail, 0…1.
    func falseAlarms(tolerance: Tolerance) throws(StatsError) -> Double {
        Double(try failing(draws, tolerance).count) / Double(draws.count)
    }

    /// The least rise, in whole units of the metric, that nine of ten comparisons find; `nil` where none does, or where no
    /// samples of these sizes could fail.
    func detectable(tolerance: Tolerance) throws(StatsError) -> Double? {
        guard canFail else { return nil }
        var (low, high) = (0, 1)
        while try !finds(high, tolerance) {
            (low, high) = (high, 2 * high)
            guard high <= Self.greatestRise else { return nil }
        }
        while high - low > 1 {
            let middle = (low + high) / 2
            if try finds(middle, tolerance) { high = middle } else { low = middle }
        }
        return Double(high)
    }

    /// The least multiple of `step` that, as the smallest change that matters, keeps the comparisons without any change
    /// to their part of the gate's false alarms; `nil` where a hundred steps don't, or where no samples of these sizes
    /// could fail.
    func suggestedChange(relative: Double, step: Double) throws(StatsError) -> Double? {
        guard canFail, step > 0 else { return nil }
        var left = draws
        for steps in 1...100 {
            // What passed a tolerance is taken to pass a greater one.
            left = try failing(left, Tolerance(relative: relative, absolute: Double(steps) * step))
            if Double(left.count) <= significance.failing * Double(draws.count) { return Double(steps) * step }
        }
        return nil
    }

    private func failing(_ draws: [Draw], _ tolerance: Tolerance) throws(StatsError) -> [Draw] {
        var failing: [Draw] = []
        for draw in draws where try isRegressed(draw, tolerance: tolerance) { failing.append(draw) }
        return failing
    }

    private func finds(_ rise: Int, _ tolerance: Tolerance) throws(StatsError) -> Bool {
        let sought = draws.prefix(Self.soughtIn)
        var found = 0
        for draw in sought where try isRegressed(draw, rise: Double(rise), tolerance: tolerance) { found += 1 }
        return Double(found) >= Self.power * Double(sought.count)
    }
}
