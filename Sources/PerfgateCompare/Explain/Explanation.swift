import LibC
import PerfgateModel
import PerfgateStats

/// Why a comparison got its verdict, step by step, and what would change it; made of the finished result alone.
package struct Explanation: Sendable, Hashable {
    package let result: CellResult
    /// The rule steps that were run, in order, the deciding one last; empty if the result has none.
    package let steps: [ExplainedStep]
    /// The sentences that say what would change the verdict, the nearest first.
    package private(set) var outlook: [String] = []
    private var words: Words { Words(result) }

    package init(_ result: CellResult) {
        (self.result, steps) = (result, ExplainedStep.all(of: result))
        outlook = sentences
    }

    private var sentences: [String] {
        let verdict: [String?] =
            switch result.verdict {
            case .regressed, .waived: [toPass, toKeepLimit]
            case .overLimit: [toKeepLimit]
            case .missing where result.releases != nil:
                ["Send its events again; if it was removed on purpose, the next pair of releases won't expect it."]
            case .missing where result.detail == .noMetric:
                [
                    "Measure it. If the metric was removed on purpose, remove its baseline: `baseline prune` has `--metric`."
                ]
            case .missing: ["Measure it, or prune its baseline if the page was removed on purpose."]
            case .noBaseline where result.metric.isQuantile && result.releases == nil:
                ["Set a limit, which judges it.", toBreakLimit]
            case .noBaseline: ["Store a baseline to compare it with.", toBreakLimit]
            case .inconclusive: [toDecide, toPass, toBreakLimit]
            case .improved, .passed: [toFail, toBreakLimit]
            }
        return (verdict + [gate, detectable ?? power]).compactMap(\.self)
    }

    private var gate: String? {
        guard !result.isGated else { return nil }
        let what = result.releases == nil ? "run" : "check"
        return "It is informational and can't fail the \(what): \(result.gateOrigin ?? "it isn't gated")."
    }

    private var toPass: String? {
        if result.facts.isInRuns {
            return "It passes if fewer than half of its runs, or only one, get worse by themselves."
        }
        guard let tolerance = result.tolerance, let worsening = result.worsening, worsening > tolerance,
            let center = result.baseline?.center
        else { return nil }
        let isLower = result.metric.better == .lower
        let least = words.figure(isLower ? center + tolerance : center - tolerance)
        return "It passes with a \(words.centre) of at \(isLower ? "most" : "least") \(least): "
            + "\(words.figure(worsening - tolerance)) \(isLower ? "less" : "more") than now."
    }

    private var toKeepLimit: String? {
        guard result.isOverLimit, let limit = result.limit, let candidate = result.candidate, candidate.samples != nil
        else { return nil }
        let samples = candidate.judgedSamples(of: result.limitStep?.run)
        let over = samples.count { result.metric.better.isWorse($0, than: limit.value) }
        let allowed = limit.subject == .any ? 0 : samples.count / 2
        return "\(over) of \(Figure.count(samples.count, "sample")) break\(over == 1 ? "s" : "") the limit of "
            + "\(words.figure(limit.value)); it is kept if \(allowed == 0 ? "none does" : "at most \(allowed) do")."
    }

    private var toBreakLimit: String? {
        guard let step = result.limitStep, step.found == .withinLimit, let value = step.value, let bound = step.bound
        else { return nil }
        return "It breaks its limit with a \(step.subject?.words ?? "value") \(result.metric.better.worseSide) "
            + "\(words.figure(bound)), \(words.figure(abs(bound - value))) from now."
    }

    private var toFail: String? {
        guard let numbers = result.numbers, numbers.sequence == nil else { return nil }
        guard numbers.pMin <= numbers.alpha else { return powerless }
        guard let distance = distanceByNoise ?? WhatIf(result)?.distanceToFailure, let center = result.candidate?.center
        else { return nil }
        guard distance > 1e-12 else { return "It fails if every sample is worse at all." }
        let value = words.figure(result.metric.better == .lower ? center + distance : center - distance)
        return "It fails if every sample is worse by \(words.figure(distance)), a \(words.centre) of \(value)."
    }

    private var toDecide: String? {
        if result.releases != nil, result.detail != .noTolerance { return words.needed }
        let isByShare = result.metric.isTime && result.numbers?.decidedBy == .share
        if result.detail == .confirm || isByShare { return "A second run decides: give its logs together with these." }
        if result.detail == .noTolerance { return "Set a min_change above 0 to give it a tolerance, and so a verdict." }
        guard let numbers = result.numbers else { return nil }
        if let sequence = numbers.sequence {
            return sequence.pairsNeeded.map { "About \($0) more pairs of runs decide it." }
        }
        guard numbers.pMin <= numbers.alpha else { return powerless }
        guard let more = WhatIf(result) else { return nil }
        return more.samplesToFail.map {
            "\($0) samples, if all are like these \(result.candidate?.count ?? 0), would show that it is worse."
        } ?? "More samples like these, up to ten times as many, would not show that it is worse."
    }

    /// For comparisons in which no sample could fail: how many would be enough.
    private var powerless: String {
        let needed = result.design?.candidateSamplesNeeded(toReach: result.numbers?.alpha ?? 0)
        let remedy =
            needed.map { "\($0) samples against this baseline would be enough" } ?? "more baseline runs are needed"
        return "With so few samples only limits and gross changes can fail; \(remedy)."
    }
}

extension Explanation {
    /// The smallest change that the pairs of a call would find; `nil` if they weren't judged one by one.
    private var detectable: String? {
        guard let sequence = result.numbers?.sequence, let change = Words(result).detectable else { return nil }
        return "\(Figure.count(sequence.mostPairs, "pair")) of runs would find \(change) with a probability of .9."
    }

    /// The smallest detectable rise of a time at these sizes, and sizes for 20 %; `nil` for counts, or without noise.
    private var power: String? {
        guard result.metric.unit == .milliseconds, let design = result.design, let numbers = result.numbers,
            let noise = baselineNoise, let withinRun = noise.withinRun, let tolerance = result.tolerance,
            let median = result.baseline?.center,
            let change = DetectableChange(
                noise: noise, allowed: design.betweenRuns(ofAllowance: numbers.marginShare * tolerance, median),
                young: numbers.noise, margin: tolerance, median: median,
                significance: Significance(comparisons: numbers.comparisons, comparesShares: numbers.shareAlpha != nil))
        else { return nil }
        let runs = noise.betweenRuns.map { ", runs by ±\(Figure.text($0 * 100)) %" } ?? ""
        let least = change.relative(design).map(Figure.percentage)
        let found = least.map { "; at these sample sizes the smallest detectable rise is \($0)" } ?? ""
        let samples = change.samplesNeeded(toFind: Self.wantedRise, in: design).map { Figure.count($0, "sample") }
        let needed = samples.map { "; for \(Figure.percentage(Self.wantedRise)), \($0) suffice" } ?? ""
        return "Samples within a run vary by ±\(Figure.text(withinRun * 100)) %\(runs)\(found)\(needed)."
    }

    /// How much worse every sample would have to be to fail the noise test; 0: they fail already; `nil`: ranks decide.
    private var distanceByNoise: Double? {
        guard let numbers = result.numbers, let terms = numbers.noise, let design = result.design,
            let margin = result.tolerance, let before = result.baseline?.center, before > 0,
            let baseline = result.baseline?.measuredRuns, let candidate = result.candidate?.measuredRuns,
            let within = WithinRun(baseline.runs + candidate.runs, least: margin)
        else { return nil }
        let samples = candidate.pooled.values
        let (worsening, own) = (numbers.delta, numbers.ownDelta ?? numbers.delta)
        let quarter = samples[(samples.count + 3) / 4 - 1] - (worsening - own)
        let bound = before * exp(terms.threshold(of: numbers.alpha, withinRun: within.deviation, design))
        return max(0, margin - min(worsening, own), bound - (before + own), before + margin / 2 - quarter)
    }

    private static let wantedRise = 0.2

    private var baselineNoise: Noise? { result.baseline?.measuredRuns.map(Noise.init) }
}

extension CellResult.Side {
    fileprivate var measuredRuns: MeasuredRuns? {
        guard let samples else { return nil }
        var rest = samples[...]
        let runs = shares.map { share in
            let run = Array(rest.prefix(share.count))
            rest = rest.dropFirst(share.count)
            return run
        }
        guard rest.isEmpty, !samples.isEmpty else { return nil }
        return try? MeasuredRuns(runs)
    }
}

/// The rule's fifth step applied to hypothetical samples: the candidate's, all worse by an amount, or more of the same.
struct WhatIf {
    private let baseline, candidate: SortedSamples, baselineCentre: Double, centre: Centre
    /// The excess of the change without the shift of the runs over the measured change, which must fail too.
    private let excess: Double
    private let tolerance: Double, numbers: CellResult.Numbers
    /// The limit that shares are compared over, with the sign of the samples.
    private let shareLimit: Double?
    /// Times compare other shares, which hypothetical samples don't.
    private let isTime: Bool

    /// `nil` if samples were left out, nothing was compared, or in pairs, for which moving all samples means nothing.
    init?(_ result: CellResult) {
        guard let old = result.baseline?.samples, let new = result.candidate?.samples, !old.isEmpty, !new.isEmpty,
            let numbers = result.numbers, numbers.pairs == 0, numbers.decidedBy != .noise, !result.isOfAllPages,
            let tolerance = result.tolerance, let center = result.baseline?.center,
            let baseline = try? SortedSamples(old),
            let candidate = try? SortedSamples(Self.unshifted(new, result.candidate?.shares ?? []))
        else { return nil }
        let isTurned = result.metric.better == .higher
        self.baseline = isTurned ? baseline.negated : baseline
        self.candidate = isTurned ? candidate.negated : candidate
        baselineCentre = isTurned ? 0 - center : center
        centre = result.metric.centre
        excess = max(0, ((self.candidate.centre(centre) ?? 0) - baselineCentre) - (result.worsening ?? 0))
        (self.tolerance, self.numbers) = (tolerance, numbers)
        isTime = result.metric.isTime
        shareLimit = numbers.shares.first { $0.cut == .limit }.map { isTurned ? 0 - $0.bound : $0.bound }
    }

    private static func unshifted(_ samples: [Double], _ shares: [CellResult.Side.RunShare]) -> [Double] {
        let factors = shares.flatMap { Array(repeating: exp($0.shift ?? 0), count: $0.count) }
        return factors.count == samples.count ? zip(samples, factors).map { $0 / $1 } : samples
    }

    /// By how much every sample would have to be worse to fail, rounded up to a thousandth of it; 0 if they already do.
    var distanceToFailure: Double? {
        guard numbers.alpha > 0, !fails(worseBy: 0) else { return 0 }
        let spread = (baseline.values.last ?? 0) - (candidate.values.first ?? 0)
        var high =
            max(spread, 0) + 2 * tolerance + excess + max(0, tolerance - worsening(candidate)) + abs(spread) * 1e-6
            + 1e-9
        guard high.isFinite, fails(worseBy: high) else { return nil }
        var low = 0.0
        // The probability falls as the samples get worse, so bisection finds the crossing, which is 0 if nothing varies.
        let least = high * 1e-20
        while high - low > max(high / 1_000, least) {
            let middle = low + (high - low) / 2
            if fails(worseBy: middle) { high = middle } else { low = middle }
        }
        return high
    }

    /// How many samples like the measured ones would be enough to fail; `nil` if ten times as many aren't.
    var samplesToFail: Int? {
        guard worsening(candidate) > tolerance else { return nil }
        return (2...10).first { times in
            fails((0..<times).flatMap { _ in candidate.values })
        }.map { $0 * candidate.count }
    }

    private func fails(worseBy distance: Double) -> Bool { fails(candidate.values.map { $0 + distance }) }

    private func fails(_ values: [Double]) -> Bool {
        guard let samples = try? SortedSamples(values), worsening(samples) > tolerance else { return false }
        let test = try? MannWhitney(baseline: baseline, candidate: samples, shift: numbers.marginShare * tolerance)
        if let test, test.probabilityOfGreater <= numbers.alpha { return true }
        guard let alpha = numbers.shareAlpha, !isTime else { return false }
        let stratum = PairedRuns.Stratum(baseline: baseline, candidate: samples)
        return ShareTest.all([stratum], baseline: baseline, limit: shareLimit, better: .lower)
            .contains { $0.isBeyondChance(alpha) }
    }

    private func worsening(_ samples: SortedSamples) -> Double {
        (samples.centre(centre) ?? baselineCentre) - baselineCentre - excess
    }
}

package struct ExplainedStep: Sendable, Hashable {
    package let number: Int, isDeciding: Bool
    /// What it checked and found, with numbers; sentences.
    package let text: String

    package static func all(of result: CellResult) -> [ExplainedStep] {
        let words = Words(result)
        return result.rule.enumerated().map { index, step in
            ExplainedStep(
                number: step.found.step.number, isDeciding: index == result.rule.count - 1, text: words.text(of: step))
        }
    }

    /// The title of the step: `2 goes on`, `5 decides`.
    package var title: String { "\(number) \(isDeciding ? "decides" : "goes on")" }
}
