import Foundation
import SeededRandom
import Testing

@testable import PerfgateStats

struct DetectableChangeTests {
    static let design = Design(baselineSamples: 50, baselineRuns: 10, candidateSamples: 15, candidateRuns: 3)

    static func change(
        _ within: Double?, _ between: Double?, margin: Double = 50, median: Double = 500, comparisons: Int = 500
    ) -> DetectableChange? {
        DetectableChange(
            noise: Noise(withinRun: within, betweenRuns: between), margin: margin, median: median,
            significance: Significance(comparisons: comparisons))
    }

    /// The same formula in Python with `scipy.stats.norm.ppf`.
    @Test func followsTheFormula() throws {
        let settled = try #require(Self.change(0.07, 0.03))
        expectClose(settled.logarithmic(Self.design), 0.19907461597540071, relative: 1e-12)
        expectClose(settled.relative(Self.design), 0.2202730143642173, relative: 1e-12)
        let young = try #require(Self.change(0.07, nil, comparisons: 100))
        let once = Design(baselineSamples: 10, baselineRuns: 1, candidateSamples: 10, candidateRuns: 1)
        expectClose(young.logarithmic(once), 0.331547523332949, relative: 1e-12)
        let noisy = try #require(Self.change(0.3, 0.02, margin: 16, median: 100, comparisons: 20))
        let few = Design(baselineSamples: 50, baselineRuns: 10, candidateSamples: 5, candidateRuns: 1)
        expectClose(noisy.relative(few), 1.2011892008741611, relative: 1e-12)
    }

    /// The noise test's formula in Python with `scipy.stats.t`.
    @Test func youngBaselinesFollowTheNoiseTest() throws {
        func young(
            _ within: Double, own: Double? = nil, _ terms: NoiseTest.Terms, comparisons: Int
        ) throws -> DetectableChange {
            try #require(
                DetectableChange(
                    noise: Noise(withinRun: within, betweenRuns: own), young: terms, margin: 50, median: 500,
                    significance: Significance(comparisons: comparisons)))
        }
        let once = Design(baselineSamples: 5, baselineRuns: 1, candidateSamples: 5, candidateRuns: 1)
        let shared = try young(0.08, NoiseTest.Terms(betweenRuns: 0.03, commonVariance: 0.0036), comparisons: 300)
        #expect(shared.canFail(once))
        expectClose(shared.logarithmic(once), 0.4218560704867191, relative: 1e-10)
        expectClose(shared.falseAlarmChance(once), 0.0003333333333333331, relative: 1e-9)
        // Runs of this time differ by more than the test assumes.
        let restless = try young(
            0.08, own: 0.06, NoiseTest.Terms(betweenRuns: 0.03, commonVariance: 0.0036), comparisons: 300)
        expectClose(restless.logarithmic(once), 0.4626572468292932, relative: 1e-10)
        expectClose(restless.falseAlarmChance(once), 0.0038928190427647193, relative: 1e-9)
        let earlier = try young(
            0.08, NoiseTest.Terms(earlier: Noise(withinRun: 0.06, betweenRuns: 0.025)), comparisons: 1)
        let longer = Design(baselineSamples: 5, baselineRuns: 1, candidateSamples: 10, candidateRuns: 1)
        expectClose(earlier.logarithmic(longer), 0.21894310535131706, relative: 1e-10)
        // The tolerance is the larger bound.
        let quiet = try young(0.01, NoiseTest.Terms(betweenRuns: 0.03, commonVariance: 0.0001), comparisons: 1)
        let four = Design(baselineSamples: 50, baselineRuns: 4, candidateSamples: 50, candidateRuns: 4)
        expectClose(quiet.logarithmic(four), 0.12265012212949894, relative: 1e-10)
        expectClose(quiet.falseAlarmChance(four), 0.0006059689779430513, relative: 1e-9)
    }

    /// Settled baselines, and runs measured in turn, are compared by ranks, whatever is known about young baselines.
    @Test(arguments: [(10, 0), (3, 3)])
    func youngTermsConcernYoungBaselinesOnly(runs: Int, pairs: Int) throws {
        let terms = NoiseTest.Terms(betweenRuns: 0.2, commonVariance: 0.04)
        let design = Design(
            baselineSamples: 50, baselineRuns: runs, candidateSamples: 15, candidateRuns: 3, pairs: pairs)
        let known = DetectableChange(
            noise: Noise(withinRun: 0.07, betweenRuns: 0.03), young: terms, margin: 50, median: 500,
            significance: Significance(comparisons: 500))
        #expect(known?.logarithmic(design) == Self.change(0.07, 0.03)?.logarithmic(design))
    }

    /// The same in SciPy, with `norm.sf`.
    @Test func falseAlarmsFollowTheirFormula() throws {
        let settled = try #require(Self.change(0.07, 0.03))
        expectClose(settled.falseAlarmChance(Self.design), 1.1514128249556202e-05, relative: 1e-9)
        let few = try #require(Self.change(0.07, 0.03, comparisons: 20))
        let once = Design(baselineSamples: 50, baselineRuns: 10, candidateSamples: 10, candidateRuns: 1)
        expectClose(few.falseAlarmChance(once), 0.002683436352574838, relative: 1e-9)
        let inTurn = Design(
            baselineSamples: 30, baselineRuns: 3, candidateSamples: 30, candidateRuns: 3, pairs: 3)
        expectClose(few.falseAlarmChance(inTurn), 1.269555113388167e-07, relative: 1e-9)
    }

    @Test func whatCannotFailRaisesNoAlarm() throws {
        let change = try #require(Self.change(0.07, 0.03))
        let small = Design(baselineSamples: 5, baselineRuns: 1, candidateSamples: 5, candidateRuns: 1)
        #expect(change.falseAlarmChance(small) == 0)
        let none = Design(baselineSamples: 5, baselineRuns: 1, candidateSamples: 0, candidateRuns: 0)
        #expect(change.falseAlarmChance(none) == nil)
        let still = try #require(Self.change(0, 0))
        #expect(still.falseAlarmChance(Self.design) == 0)
    }

    @Test func hasNoMeaningWithoutNoiseOrTimes() {
        #expect(Self.change(nil, 0.03) == nil)
        #expect(Self.change(0.07, 0.03, median: 0) == nil)
        #expect(Self.change(0.07, 0.03, median: -5) == nil)
    }

    @Test func findsNothingWhereNothingCouldFail() throws {
        let change = try #require(Self.change(0.01, 0.01))
        let small = Design(baselineSamples: 5, baselineRuns: 1, candidateSamples: 5, candidateRuns: 1)
        #expect(change.relative(small) == nil)
        #expect(change.logarithmic(small) != nil)
        #expect(
            change.logarithmic(Design(baselineSamples: 5, baselineRuns: 1, candidateSamples: 0, candidateRuns: 0))
                == nil)
    }

    @Test(arguments: [0.2, 0.22, 0.25, 0.4, 1])
    func fewestSamplesAreTheFewest(share: Double) throws {
        let change = try #require(Self.change(0.07, 0.01))
        let fewest = try #require(change.samplesNeeded(toFind: share, in: Self.design))
        var design = Self.design
        design.candidateSamples = fewest
        #expect(try #require(change.relative(design)) <= share)
        design.candidateSamples = fewest - 1
        #expect(fewest == design.candidateRuns || (change.relative(design).map { $0 > share } ?? true))
    }

    @Test func someChangesCannotBeFound() throws {
        let change = try #require(Self.change(0.07, 0.1))
        #expect(change.samplesNeeded(toFind: 0.2, in: Self.design) == nil)
        #expect(try #require(Self.change(0.07, 0.03)).samplesNeeded(toFind: 0.2, in: Self.design, upTo: 1) == nil)
    }

    /// NumPy: 1.0483 times the median of the differences within runs, and the additional variance of the runs' medians.
    @Test func noiseOfRuns() throws {
        let runs = [[500.0, 510, 520], [480, 490], [530, 540, 550], [600]]
        let noise = Noise(try MeasuredRuns(runs + [[]]))
        expectClose(noise.withinRun, 0.020759094194585246, relative: 1e-12)
        expectClose(noise.betweenRuns, 0.10115890177297086, relative: 1e-12)
        #expect(noise.isUnstable)
        #expect(noise == Noise(try MeasuredRuns(runs.reversed().map { $0.reversed() })))
    }

    private static func own(_ runs: [[Double]], beside common: Double) throws -> Double? {
        let medians = try runs.map { log(try #require($0.median)) }
        return Noise.ownBetweenRuns(of: Noise.Series(try MeasuredRuns(runs), logMedians: medians), beside: common)
    }

    /// NumPy, without the fastest run: its .175 is more than .03 or .08 explain, but not more than .09 does.
    @Test(arguments: [(0.03, 0.1755), (0.08, 0.1755), (0.09, nil)] as [(Double, Double?)])
    func runsThatDifferMuchMoreHaveATauOfTheirOwn(common: Double, own: Double?) throws {
        let runs = [[500.0, 510, 520], [430, 440, 450], [600, 610, 620], [500, 505, 515], [400, 410, 405]]
        let found = try Self.own(runs, beside: common)
        #expect((found == nil) == (own == nil))
        if let own { expectClose(found, own, relative: 1e-4) }
        #expect(try Self.own(Array(runs.prefix(4)), beside: common) == nil)
    }

    /// One run at half the time, such as with an empty backend, makes no page look noisy; nor do first nights that were
    /// slow, an improvement, two of them, or one that was taken back.
    @Test(arguments: [
        [1, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97, 1, 1.02, 0.5], [1, 1.02, 0.98, 0.8, 1.01, 0.99, 1.03, 0.97, 1, 1.02],
        [1.43, 1, 1.02, 0.98, 1.01], [1.4, 1.42, 1, 1.01, 0.99, 1, 1.02],
        [2, 1.97, 2.01, 1, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97],
        [1, 1.02, 0.98, 1.01, 0.6, 0.61, 0.59, 0.99, 1.03, 0.97], [1, 0.6, 0.61, 1.02, 0.98, 1.01],
        [2.3, 1.5, 1, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97],
    ])
    func aFastStretchIsNoNoise(factors: [Double]) throws {
        let runs = factors.map { factor in [490, 495, 500, 505, 510].map { $0 * factor } }
        #expect(try Self.own(runs, beside: 0.025) == nil)
    }

    /// Where two of three pages fell to a lower level, the third still shows how much runs differ; NumPy, within levels.
    @Test func aFallOfMostPagesIsNoCommonNoise() throws {
        let usual = [1, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97, 1]
        let fallen = zip(usual, [2, 2, 2, 1, 1, 1, 1, 1]).map(*)
        func series(_ factors: [Double]) throws -> Noise.Series {
            let runs = factors.map { factor in [490, 495, 500, 505, 510].map { $0 * factor } }
            return Noise.Series(try MeasuredRuns(runs), logMedians: factors.map { log(500 * $0) })
        }
        let common = Noise.betweenRuns(of: try [fallen, usual, fallen].map(series))
        expectClose(common, 0.018581657300292084, relative: 1e-6)
        // High and low runs in turn are noise.
        let turning = zip(usual, [2, 1, 2, 1, 2, 1, 2, 1]).map(*)
        #expect(try #require(Noise.betweenRuns(of: try [turning, turning, usual].map(series))) > 0.3)
    }

    /// Runs that differ only by their samples: five samples are few, but no reason to call a page unstable.
    @Test func fewSamplesDontMakeAPageUnstable() throws {
        var unstable = 0
        for seed in 1...200 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let runs = (0..<10).map { _ in (0..<5).map { _ in 500 * exp(0.07 * generator.nearlyNormal()) } }
            if Noise(try MeasuredRuns(runs)).isUnstable { unstable += 1 }
        }
        #expect(unstable < 30)
    }

    @Test(
        arguments: [
            ([], false, false), ([[5]], false, false), ([[5], [6]], false, false), ([[5, 6]], true, false),
            ([[5], [5], [5]], false, true), ([[0, 5], [5, 6], [5, 6]], false, false),
            ([[0], [5, 6], [5, 6]], false, false),
        ] as [([[Double]], Bool, Bool)])
    func noiseNeedsEnoughToGoBy(runs: [[Double]], within: Bool, between: Bool) throws {
        let noise = Noise(try MeasuredRuns(runs))
        #expect((noise.withinRun != nil) == within)
        #expect((noise.betweenRuns != nil) == between)
        #expect(!noise.isUnstable || between)
    }
}
