import LibC
import SeededRandom
import Testing

@testable import PerfgateStats

struct ReleaseDaysTests {
    @Test func mergedDaysAreThoseOfAllEvents() {
        var generator = SeededGenerator(seed: 1)
        let days = (0..<5).map { _ in Self.events(&generator, count: 400) }
        let merged = WeightedHistogram(merging: days.map { WeightedHistogram($0) })
        let pooled = WeightedHistogram(days.flatMap { $0 }.shuffled(using: &generator))
        #expect(merged == pooled)
        #expect(merged.count == 2_000)
        #expect(zip(merged.buckets, merged.buckets.dropFirst()).allSatisfy { $0.index < $1.index })
        #expect(WeightedHistogram(merging: []).quantile(0.5) == nil)
    }

    @Test func weightsOfAnyScaleSayTheSame() throws {
        var generator = SeededGenerator(seed: 2)
        let (base, candidate) = (Self.events(&generator, count: 3_000), Self.events(&generator, count: 2_000))
        func shared(_ factor: Int) -> SharedDays {
            func scaled(_ buckets: [WeightedHistogram.Bucket]) -> ReleaseDay.Side {
                let buckets = buckets.map { bucket in
                    WeightedHistogram.Bucket(
                        index: bucket.index, count: bucket.count, weight: bucket.weight * factor,
                        squares: bucket.squares * factor * factor)
                }
                return ReleaseDay.Side(WeightedHistogram(buckets))
            }
            return SharedDays([ReleaseDay(day: 0, base: scaled(base), candidate: scaled(candidate))])
        }
        let (one, seven) = (shared(1), shared(7))
        for share in [0.5, 0.9] {
            let a = try #require(QuantileShift(one.base, one.candidate, .quantile(share)))
            let b = try #require(QuantileShift(seven.base, seven.candidate, .quantile(share)))
            expectClose(b.delta, a.delta, absolute: 1e-12, "δ")
            expectClose(b.samplingVariance, a.samplingVariance, "variance")
        }
        expectClose(seven.effectiveDays, one.effectiveDays, "days")
    }

    @Test func quantilesRiseWithTheirShareAndWithTheirValues() throws {
        var generator = SeededGenerator(seed: 3)
        let events = Self.events(&generator, count: 500)
        let histogram = WeightedHistogram(events)
        let slower = WeightedHistogram(events.map { Self.event(of: QuantumBucket(index: $0.index)!.low * 3 / 2) })
        var last = 0.0
        for step in 0...100 {
            let value = try #require(histogram.quantile(Double(step) / 100))
            #expect(value >= last)
            #expect(try #require(slower.quantile(Double(step) / 100)) >= value)
            last = value
        }
    }

    @Test func quantilesLieWithinTheirBucket() throws {
        let histogram = WeightedHistogram([.init(index: 100, count: 4)])
        #expect(histogram.quantile(0.5) == 100)
        #expect(histogram.quantile(0) == 99.5)
        #expect(histogram.quantile(1) == 100.5)
        #expect(WeightedHistogram([.init(index: 0, count: 4)]).quantile(0.1) == 0)
        let weighted = WeightedHistogram([
            .init(index: 10, count: 9, weight: 0, squares: 0), .init(index: 20, count: 1, weight: 5, squares: 25),
        ])
        #expect(weighted.quantile(0.5) == 20)
        #expect(weighted.unweighted.quantile(0.5).map { $0 < 11 } == true)
    }

    @Test func sumsThatOverflowStay() {
        let most = WeightedHistogram.Bucket(index: 5, count: .max, weight: .max, squares: .max)
        #expect(WeightedHistogram([most, most, .init(index: 9_999, count: 1)]).count == .max)
    }

    @Test func overlapIsOfTheStrataThatBothHave() {
        /// Two strata of (base, candidate) events, weighted like a roll-up.
        func overlap(_ strata: [(Int, Int)]) -> Double {
            func side(_ own: KeyPath<(Int, Int), Int>, _ other: KeyPath<(Int, Int), Int>) -> ReleaseDay.Side {
                ReleaseDay.Side(
                    WeightedHistogram(
                        strata.map { stratum in
                            let (n, others) = (stratum[keyPath: own], stratum[keyPath: other])
                            let w = Int((10_000 * Double(others) / Double(n + others) + 0.5).rounded(.down))
                            return .init(index: 50, count: n, weight: n * w, squares: n * w * w)
                        }))
            }
            return SharedDays([ReleaseDay(day: 0, base: side(\.0, \.1), candidate: side(\.1, \.0))]).overlap
        }
        expectClose(overlap([(900, 100), (450, 50)]), 1, relative: 1e-4)
        expectClose(overlap([(500, 500), (500, 0)]), 0.75, relative: 1e-9)
        #expect(overlap([(500, 0), (0, 500)]) == 0)
    }

    @Test func daysWithoutBothReleasesAreLeftOut() {
        let side = ReleaseDay.Side(WeightedHistogram([.init(index: 50, count: 10)]))
        let shared = SharedDays([
            ReleaseDay(day: 3, base: side, candidate: side), ReleaseDay(day: 1, base: side, candidate: side),
            ReleaseDay(day: 2, base: side, candidate: .init()), ReleaseDay(day: 4, base: .init(), candidate: side),
        ])
        #expect(shared.days.map(\.day) == [1, 3])
        #expect(shared.base.histogram.count == 20)
        #expect(shared.effectiveDays == 2)
    }

    @Test func whereNoUserIsNamedTheDesignEffectIsAssumed() {
        let histogram = WeightedHistogram([.init(index: 50, count: 10), .init(index: 60, count: 10)])
        let one = UserSums(users: 1, events: 20, squaredEvents: 400, squaredSums: 1, products: 1)
        #expect(DesignEffect(of: [(nil, histogram), (one, histogram)]) == .assumed)
        #expect(DesignEffect.assumed.factor == 1.5)
        // Twenty users with one event each: as good as independent.
        let independent = UserSums(
            users: 20, events: 20, squaredEvents: 20, squaredSums: 10 * 2_500 + 10 * 3_600, products: 10 * 50 + 10 * 60)
        let effect = DesignEffect(of: [(independent, histogram)])
        #expect(effect.isMeasured)
        expectClose(effect.factor, 20.0 / 19, "independent users")
        // Two users with ten events each and one value per user: ten events contain as much information as one.
        let clustered = UserSums(
            users: 2, events: 20, squaredEvents: 200, squaredSums: 500 * 500 + 600 * 600, products: 5_000 + 6_000)
        expectClose(DesignEffect(of: [(clustered, histogram)]).factor, 20, "clustered users")
    }

    @Test func zeroQuantilesNeedAnOffset() throws {
        let side = ReleaseDay.Side(WeightedHistogram([.init(index: 0, count: 900), .init(index: 90, count: 100)]))
        let shared = SharedDays([ReleaseDay(day: 0, base: side, candidate: side)])
        #expect(QuantileShift(shared.base, shared.candidate, .quantile(0.5)) == nil)
        let shift = try #require(QuantileShift(shared.base, shared.candidate, .quantile(0.5), offset: 2_000))
        #expect(shift.delta == 0)
        #expect(shift.offset == 2_000)
        #expect(QuantileShift(shared.base, shared.candidate, .quantile(0.97), offset: 2_000)?.offset == 0)
    }

    @Test func dayVarianceIsFoundBesideDifferencesOfPages() {
        var generator = SeededGenerator(seed: 5)
        let pages = (0..<400).map { _ in
            let level = generator.uniform(-0.2...0.2)
            return (0..<7).map { _ in
                QuantileShift(delta: level + (generator.uniform() < 0.5 ? 0.02 : -0.02), variance: 1e-6)
            }
        }
        expectClose(DayVariance.pooled(pages).squareRoot(), 0.02, relative: 0.03, "τ")
        #expect(DayVariance.pooled([[QuantileShift(delta: 1, variance: 1)]]) == 0)
        #expect(DayVariance.pooled([]) == 0)
        #expect(DayVariance.pooled([[.init(delta: 0.1, variance: 0), .init(delta: 0.1, variance: 0)]]) == 0)
    }

    @Test func theCommonShiftIgnoresAThirdOfThePages() throws {
        var generator = SeededGenerator(seed: 6)
        let shifts = (0..<100).map { page in (page < 33 ? 0.2 : 0) + generator.uniform(-0.02...0.02) }
        let median = shifts.sorted()[50]
        let common = try #require(CommonShift(shifts))
        #expect(abs(common.value) < 0.006)
        #expect(median > 0.005)
        #expect(CommonShift(Array(shifts.prefix(19))) == nil)
        let moved = try #require(CommonShift(shifts.map { $0 + 0.5 }))
        expectClose(moved.value, common.value + 0.5, relative: 1e-12, "moved")
        #expect(
            CommonShift(Array(repeating: 0.1, count: 20)).map { abs($0.value - 0.1) < 1e-15 && $0.standardError == 0 }
                == true)
    }

    /// Ten of 100 events against 30 of 200, and the square of the usual test statistic, here with half an event.
    @Test func aShareHasTheVarianceOfBothTogether() throws {
        func side(_ failed: Int, of count: Int) -> ReleaseDay.Side {
            ReleaseDay.Side(
                WeightedHistogram([
                    .init(index: 0, count: count - failed), .init(index: QuantumBucket(of: 1_000).index, count: failed),
                ]))
        }
        let shared = SharedDays([ReleaseDay(day: 1, base: side(10, of: 100), candidate: side(30, of: 200))])
        let shift = try #require(
            QuantileShift(shared.base, shared.candidate, .share(quanta: 1_000), offset: 20))
        expectClose(shift.base, 100, "base")
        expectClose(shift.candidate, 150, "candidate")
        expectClose(shift.delta, log(170.0 / 120), "change")
        // Without users, 1.5 events count as one.
        let (n, m) = (100 / 1.5, 200 / 1.5)
        let p = (0.1 * n + 0.15 * m + 0.5) / (n + m + 1)
        expectClose(shift.samplingVariance, p * (1 - p) * (1 / n + 1 / m) / ((p + 0.02) * (p + 0.02)), "variance")
        let none = SharedDays([ReleaseDay(day: 1, base: side(0, of: 100), candidate: side(0, of: 100))])
        let zero = try #require(QuantileShift(none.base, none.candidate, .share(quanta: 1_000), offset: 20))
        #expect(zero.delta == 0 && zero.samplingVariance > 0)
        #expect(QuantileShift(none.base, none.candidate, .share(quanta: 1_000))?.offset == 10)
    }

    private static func events(_ generator: inout SeededGenerator, count: Int) -> [WeightedHistogram.Bucket] {
        (0..<count).map { _ in
            event(of: Int(exp(generator.uniform(11...14.5))), weight: Int(generator.uniform(1...9_999)))
        }
    }

    private static func event(of quantum: Int, weight: Int = 1) -> WeightedHistogram.Bucket {
        .init(index: QuantumBucket(of: quantum).index, count: 1, weight: weight, squares: weight * weight)
    }

    /// The share of values below a quantile is the quantile's.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func sharesAreTheInverseOfQuantiles(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let histogram = WeightedHistogram(
            (0..<50).map { _ in
                let weight = Int.random(in: 0...9, using: &generator)
                return .init(
                    index: Int.random(in: 0...900, using: &generator), count: 1, weight: weight,
                    squares: weight * weight)
            })
        let shares = [0, 0.1, 0.25, 0.5, 0.9, 1]
        let values = try shares.map { try #require(histogram.quantile($0)) }
        for (found, share) in zip(histogram.shares(upTo: values), shares) { #expect(abs(found - share) < 1e-9) }
        #expect(histogram.shares(upTo: [-1, 1e12]) == [0, 1])
        #expect(WeightedHistogram().shares(upTo: [1, 2]) == [0, 0])
    }
}
