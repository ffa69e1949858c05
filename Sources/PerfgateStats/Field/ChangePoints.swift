import LibC

/// Where the level of a daily series changed for good, and where it went up or down for a few days only.
///
/// The values are logarithms, of a quantile mostly, so that differences are relative changes. The weekday's effect is taken
/// out, single days are held to three robust deviations, and then E. S. Page's cumulative sums are split in two again and
/// again ("Continuous inspection schemes", Biometrika 41 (1954) 100–115; A. J. Scott and M. Knott, Biometrics 30 (1974)
/// 507–512). Splitting only suggests points. Those stay whose two sides differ by enough to matter and by more than days that
/// resemble each other explain.
package struct ChangePoints: Sendable, Hashable {
    /// A value of a day.
    package struct Value: Sendable, Hashable {
        /// The day in UTC, counted from 1970-01-01.
        package let day: Int
        /// The logarithm of what was measured; finite.
        package let logarithm: Double

        /// Makes a value of its parts.
        package init(day: Int, logarithm: Double) {
            self.day = day
            self.logarithm = logarithm
        }
    }

    /// A change of level that stayed.
    package struct Point: Sendable, Hashable {
        /// The first day of the new level.
        package let day: Int
        /// The change of level in logarithms, the difference of the medians of up to 28 days on each side.
        package let change: Double
        /// The chance of such a difference without a change, two-sided; 0…1.
        package let p: Double
    }

    /// A level that was left and came back within five days.
    package struct PassingEvent: Sendable, Hashable {
        /// Its first day.
        package let first: Int
        /// Its last day.
        package let last: Int
        /// The mean difference from the level before and after, in logarithms.
        package let change: Double
    }

    /// The changes that stayed, by day.
    package let points: [Point]
    /// The events that passed, by day.
    package let passing: [PassingEvent]

    /// The fewest days a side of a point.
    package static let fewestDays = 5
    /// How many days a side are compared at most.
    package static let mostDays = 28
    /// The least change that matters, in logarithms.
    package static let leastChange = log(1.03)
    /// The chance at or below which a change counts in one series.
    package static let level = 0.001

    /// Looks for changes in values of different days; the order doesn't matter, and days may be absent.
    ///
    /// - Parameters:
    ///   - hasWeekdays: Whether a weekday may have an effect of its own; test runs, counted one after the other instead of
    ///     days, have none.
    ///   - level: The chance at or below which a change counts; above 0.
    package init(_ values: [Value], hasWeekdays: Bool = true, level: Double = Self.level) {
        let series = DailySeries(values.sorted { $0.day < $1.day }, hasWeekdays, level: level)
        let (lasting, returned) = series.withoutReturns(series.kept(series.candidates))
        let cuts = series.kept(lasting)
        points = cuts.indices.map { index in
            let test = series.test(index, of: cuts)
            return Point(day: series.days[cuts[index]], change: test.change, p: test.p)
        }
        passing = (returned + series.excursions(between: cuts, beside: returned)).sorted { $0.first < $1.first }
    }
}

/// A series in the order of its days, without what the weekday does to it. Places in it are counted from 0; a cut is the
/// first place of a new level.
private struct DailySeries {
    let days: [Int]
    private let values: [Double]
    /// The values with single days held to three robust deviations from the median of their week.
    private let held: [Double]
    /// The standard deviation from day to day, by the median of the differences of neighbours.
    private let deviation: Double

    /// The chance at or below which a change counts.
    private let level: Double

    init(_ series: [ChangePoints.Value], _ hasWeekdays: Bool, level: Double) {
        self.level = level
        days = series.map(\.day)
        let values = hasWeekdays ? WeekdayEffects.without(series) : series.map(\.logarithm)
        let middles = values.indices.map { values[max(0, $0 - 3)..<min(values.count, $0 + 4)].median }
        let width = 3 * zip(values, middles).map { $0 - $1 }.robustDeviation
        self.values = values
        held = width > 0 ? zip(values, middles).map { min(max($0, $1 - width), $1 + width) } : values
        deviation = max(zip(held.dropFirst(), held).map { $0 - $1 }.robustDeviation / 2.0.squareRoot(), 1e-9)
    }

    // MARK: Splitting

    /// Where splitting in two again and again suggests a change, ascending.
    var candidates: [Int] { split(0..<held.count) }

    private static let splitting = 3.0

    private func split(_ range: Range<Int>) -> [Int] {
        let fewest = ChangePoints.fewestDays
        guard range.count >= 2 * fewest else { return [] }
        let total = held[range].reduce(0, +)
        var (left, best, cut) = (0.0, 0.0, range.lowerBound)
        for place in range.dropLast(fewest) {
            left += held[place]
            let count = Double(place + 1 - range.lowerBound)
            let rest = Double(range.count) - count
            guard count >= Double(fewest) else { continue }
            let z = abs((total - left) / rest - left / count) * (count * rest / (count + rest)).squareRoot() / deviation
            if z > best { (best, cut) = (z, place + 1) }
        }
        guard best >= Self.splitting else { return [] }
        return split(range.lowerBound..<cut) + [cut] + split(cut..<range.upperBound)
    }

    // MARK: Testing

    /// What says of a cut whether it stays.
    struct Test {
        /// The difference of the medians in logarithms.
        let change: Double
        /// Welch's p, two-sided.
        let p: Double

        func holds(at level: Double) -> Bool { abs(change) >= ChangePoints.leastChange && p <= level }

        func isStronger(than other: Test) -> Bool { (p, -abs(change)) < (other.p, -abs(other.change)) }
    }

    /// The cuts that hold beside each other; of those that don't the weakest goes first, which gives the others longer
    /// sides.
    func kept(_ candidates: [Int]) -> [Int] {
        var cuts = candidates
        while true {
            let tests = cuts.indices.map { (place: $0, test: test($0, of: cuts)) }
            guard
                let weakest = tests.filter({ !$0.test.holds(at: level) }).max(by: { $0.test.isStronger(than: $1.test) })
            else {
                return cuts
            }
            cuts.remove(at: weakest.place)
        }
    }

    /// B. L. Welch's test ("The generalization of 'Student's' problem", Biometrika 34 (1947) 28–35) of the days on both
    /// sides, whose variances are multiplied by (1 + ρ) / (1 − ρ) for days that resemble the day before.
    func test(_ index: Int, of cuts: [Int]) -> Test {
        let cut = cuts[index]
        let start = max(index > 0 ? cuts[index - 1] : 0, cut - ChangePoints.mostDays)
        let end = min(index + 1 < cuts.count ? cuts[index + 1] : held.count, cut + ChangePoints.mostDays)
        let (before, after) = (Array(held[start..<cut]), Array(held[cut..<end]))
        let resemblance = resemblance(between: cuts)
        let inflation = (1 + resemblance) / (1 - resemblance)
        let (left, right) = (before.meanVariance * inflation, after.meanVariance * inflation)
        let error = (left + right).squareRoot()
        let freedom =
            (left + right) * (left + right)
            / (left * left / Double(before.count - 1) + right * right / Double(after.count - 1))
        let t = error > 0 ? abs(after.mean - before.mean) / error : .infinity
        return Test(
            change: values[cut..<end].median - values[start..<cut].median, p: StudentT.twoSided(t, freedom: freedom))
    }

    /// ρ, how much a day resembles the one before it beside the level of its stretch: 0 to 0.9.
    private func resemblance(between cuts: [Int]) -> Double {
        var (products, squares) = (0.0, 0.0)
        for stretch in stretches(between: cuts) {
            let mean = Array(held[stretch]).mean
            let rests = held[stretch].map { $0 - mean }
            squares += rests.reduce(0) { $0 + $1 * $1 }
            products += zip(rests, rests.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 }
        }
        return squares > 0 ? min(max(products / squares, 0), 0.9) : 0
    }

    private func stretches(between cuts: [Int]) -> [Range<Int>] {
        zip([0] + cuts, cuts + [held.count]).map { $0..<$1 }
    }

    // MARK: Passing events

    /// The cuts without those two by two between which a level lasted five days at most and then was the old one again.
    func withoutReturns(_ cuts: [Int]) -> (cuts: [Int], events: [ChangePoints.PassingEvent]) {
        var (lasting, events, index) = ([Int](), [ChangePoints.PassingEvent](), 0)
        while index < cuts.count {
            if index + 1 < cuts.count, days[cuts[index + 1] - 1] - days[cuts[index]] < ChangePoints.fewestDays {
                let (up, down) = (test(index, of: cuts).change, test(index + 1, of: cuts).change)
                if abs(up + down) < ChangePoints.leastChange {
                    events.append(event(cuts[index]..<cuts[index + 1], change: (up - down) / 2))
                    index += 2
                    continue
                }
            }
            lasting.append(cuts[index])
            index += 1
        }
        return (lasting, events)
    }

    /// How many standard errors an excursion must be away: of a hundred days, none is so far by chance.
    private static let far = 5.0

    /// The stretches of up to five days on one side of the level around them, all of them beyond the least change that
    /// matters, which the series came back from. Days beside a cut may belong to its other side.
    func excursions(
        between cuts: [Int], beside others: [ChangePoints.PassingEvent]
    ) -> [ChangePoints.PassingEvent] {
        let resemblance = resemblance(between: cuts)
        let error = deviation * ((1 + resemblance) / (1 - resemblance)).squareRoot()
        var events: [ChangePoints.PassingEvent] = []
        for stretch in stretches(between: cuts) {
            let reach = ChangePoints.mostDays / 2
            let rests = stretch.map { place in
                values[place]
                    - values[max(stretch.lowerBound, place - reach)..<min(stretch.upperBound, place + reach + 1)].median
            }
            var first = 0
            while first < rests.count {
                var end = first
                while end < rests.count, rests[end] * rests[first] > 0, abs(rests[end]) >= ChangePoints.leastChange {
                    end += 1
                }
                defer { first = max(end, first + 1) }
                let place = stretch.lowerBound + first..<stretch.lowerBound + end
                guard stretch.lowerBound < place.lowerBound, place.upperBound < stretch.upperBound, !place.isEmpty,
                    days[place.upperBound - 1] - days[place.lowerBound] < ChangePoints.fewestDays
                else { continue }
                let mean = Array(rests[first..<end]).mean
                guard abs(mean) * Double(place.count).squareRoot() >= Self.far * error,
                    !others.contains(where: {
                        $0.first <= days[place.upperBound - 1] && $0.last >= days[place.lowerBound]
                    })
                else { continue }
                events.append(event(place, change: mean))
            }
        }
        return events
    }

    private func event(_ place: Range<Int>, change: Double) -> ChangePoints.PassingEvent {
        ChangePoints.PassingEvent(
            first: days[place.lowerBound], last: days[place.upperBound - 1], change: change)
    }
}

/// What the day of the week does to a series.
private enum WeekdayEffects {
    /// The fewest whole weeks around a weekday that tell its effect.
    private static let fewestWeeks = 3

    /// The logarithms without it: of each weekday, the median of what its days differ by from the mean of the seven days
    /// around them. Nothing is taken out where a weekday has too few whole weeks around it.
    static func without(_ series: [ChangePoints.Value]) -> [Double] {
        let byDay = Dictionary(series.map { ($0.day, $0.logarithm) }) { first, _ in first }
        var rests: [Int: [Double]] = [:]
        for value in series {
            let week = (value.day - 3...value.day + 3).compactMap { byDay[$0] }
            if week.count == 7 { rests[weekday(value.day), default: []].append(value.logarithm - week.mean) }
        }
        guard rests.count == 7, !rests.values.contains(where: { $0.count < fewestWeeks }) else {
            return series.map(\.logarithm)
        }
        let effects = rests.mapValues { $0[...].median }
        let mean = effects.values.reduce(0, +) / 7
        return series.map { $0.logarithm - (effects[weekday($0.day)] ?? 0) + mean }
    }

    private static func weekday(_ day: Int) -> Int { (day % 7 + 7) % 7 }
}

extension ArraySlice<Double> {
    /// The middle value, of an even number half way between the two; 0 without values.
    fileprivate var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}

extension [Double] {
    fileprivate var mean: Double { isEmpty ? 0 : reduce(0, +) / Double(count) }

    /// The variance of the mean, with n − 1; 0 below two values.
    fileprivate var meanVariance: Double {
        guard count > 1 else { return 0 }
        let mean = mean
        return reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count - 1) / Double(count)
    }

    /// The standard deviation by the median of the distances from the median, 1.4826 times which it is of normal values.
    fileprivate var robustDeviation: Double {
        let median = self[...].median
        return 1.4826 * map { abs($0 - median) }[...].median
    }
}

/// Student's t distribution.
enum StudentT {
    /// P(|T| ≥ t) for t of 0 or more, and degrees of freedom above 0; 0…1.
    static func twoSided(_ t: Double, freedom: Double) -> Double {
        guard t.isFinite else { return 0 }
        return IncompleteBeta.regularized(freedom / (freedom + t * t), freedom / 2, 0.5)
    }

    /// P(T ≥ t); 0…1, accurate in the far tail.
    static func upperTail(_ t: Double, freedom: Double) -> Double {
        let tail = twoSided(abs(t), freedom: freedom) / 2
        return t > 0 ? tail : 1 - tail
    }

    /// The t with P(T ≥ t) = p, for p above 0 and up to ½, by halving; 0 or more.
    static func upperQuantile(_ p: Double, freedom: Double) -> Double {
        var (low, high) = (0.0, 1.0)
        while upperTail(high, freedom: freedom) > p, high < 1e9 { (low, high) = (high, 2 * high) }
        while high - low > 1e-12 * high {
            let middle = low + (high - low) / 2
            if upperTail(middle, freedom: freedom) > p { low = middle } else { high = middle }
        }
        return high
    }
}

/// The regularized incomplete beta function I_x(a, b).
private enum IncompleteBeta {
    /// I_x(a, b) for 0 ≤ x ≤ 1 and a, b > 0, to about twelve digits.
    ///
    /// By the continued fraction 26.5.8 of M. Abramowitz and I. A. Stegun, "Handbook of mathematical functions" (1964),
    /// evaluated by W. J. Lentz's method (Applied Optics 15 (1976) 668–671).
    static func regularized(_ x: Double, _ a: Double, _ b: Double) -> Double {
        guard x > 0 else { return 0 }
        guard x < 1 else { return 1 }
        let front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
        return x < (a + 1) / (a + b + 2) ? front * fraction(x, a, b) / a : 1 - front * fraction(1 - x, b, a) / b
    }

    private static func fraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
        var (c, d) = (1.0, bounded(1 - (a + b) * x / (a + 1)))
        d = 1 / d
        var value = d
        for step in 1...500 {
            let m = Double(step)
            let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
            let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            for term in [even, odd] {
                d = 1 / bounded(1 + term * d)
                c = bounded(1 + term / c)
                value *= d * c
            }
            if abs(d * c - 1) < 1e-14 { break }
        }
        return value
    }

    private static func bounded(_ value: Double) -> Double { abs(value) < 1e-300 ? 1e-300 : value }
}
