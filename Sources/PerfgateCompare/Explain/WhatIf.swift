import PerfgateModel
import PerfgateStats

/// The rule's fifth step asked again of samples that were not measured: the candidate's, all worse by something, or more
/// of the same.
struct WhatIf {
    private let baseline: SortedSamples
    private let candidate: SortedSamples
    private let baselineCentre: Double
    private let centre: Centre
    private let tolerance: Double
    private let numbers: ComparisonResult.Numbers

    /// Takes a result with its samples; `nil` where they were left out, nothing was compared,
    /// or runs were compared in pairs, which samples moved together don't tell of.
    init?(_ result: ComparisonResult) {
        guard let old = result.baseline?.samples, let new = result.candidate?.samples, !old.isEmpty, !new.isEmpty,
            let numbers = result.numbers, numbers.pairs == 0, let tolerance = result.tolerance,
            let center = result.baseline?.center,
            let baseline = try? SortedSamples(old), let candidate = try? SortedSamples(new)
        else { return nil }
        let isTurned = result.metric.better == .higher
        self.baseline = isTurned ? baseline.negated : baseline
        self.candidate = isTurned ? candidate.negated : candidate
        baselineCentre = isTurned ? 0 - center : center
        centre = result.metric.centre
        self.tolerance = tolerance
        self.numbers = numbers
    }

    /// By how much every sample would have to be worse to fail, in the metric's unit and rounded up to a thousandth of
    /// it; 0 where they do already, `nil` where no change would be enough.
    var distanceToFailure: Double? {
        guard numbers.alpha > 0, !fails(worseBy: 0) else { return 0 }
        let spread = (baseline.values.last ?? 0) - (candidate.values.first ?? 0)
        var high = max(spread, 0) + 2 * tolerance + max(0, tolerance - worsening(candidate)) + abs(spread) * 1e-6 + 1e-9
        guard high.isFinite, fails(worseBy: high) else { return nil }
        var low = 0.0
        // The chance falls as the samples get worse, so that halving finds where it crosses.
        while high - low > high / 1_000 {
            let middle = low + (high - low) / 2
            if fails(worseBy: middle) { high = middle } else { low = middle }
        }
        return high
    }

    /// How many samples like the measured ones would be enough to call it worse; `nil` where ten times as many are not.
    var samplesToFail: Int? {
        guard worsening(candidate) > tolerance else { return nil }
        return (2...10).first { times in
            fails((0..<times).flatMap { _ in candidate.values })
        }.map { $0 * candidate.count }
    }

    private func fails(worseBy distance: Double) -> Bool {
        fails(candidate.values.map { $0 + distance })
    }

    private func fails(_ values: [Double]) -> Bool {
        guard let samples = try? SortedSamples(values), worsening(samples) > tolerance else { return false }
        let test = try? MannWhitney(baseline: baseline, candidate: samples, shift: numbers.marginShare * tolerance)
        return test.map { $0.probabilityOfGreater <= numbers.alpha } ?? false
    }

    private func worsening(_ samples: SortedSamples) -> Double {
        (samples.centre(centre) ?? baselineCentre) - baselineCentre
    }
}
