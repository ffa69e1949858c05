import LibC

/// Finds lasting changes of level in a daily series, and temporary ones of a few days.
///
/// The values are logarithms, usually of a quantile, so differences are relative changes. Weekday effects are removed,
/// single days are limited to three robust deviations, and then E. S. Page's cumulative sums are split recursively
/// ("Continuous inspection schemes", Biometrika 41 (1954) 100–115; A. J. Scott and M. Knott, Biometrics 30 (1974)
/// 507–512). Splits are only candidates. They are kept if both sides differ by a relevant amount, beyond chance for
/// autocorrelated days.
package struct ChangePoints: Sendable, Hashable {
    package struct Value: Sendable, Hashable {
        /// The day in UTC since 1970-01-01.
        package let day: Int
        /// The logarithm of the measured value; finite.
        package let logarithm: Double

        package init(day: Int, logarithm: Double) {
            self.day = day
            self.logarithm = logarithm
        }
    }

    /// A lasting change of level.
    package struct Point: Sendable, Hashable {
        /// The first day of the new level.
        package let day: Int
        /// The change of level in logarithms, the difference of the medians of up to 28 days on each side.
        package let change: Double
        /// The two-sided p-value of the difference; 0…1.
        package let p: Double
    }

    /// A level that changed and returned within five days.
    package struct PassingEvent: Sendable, Hashable {
        package let first: Int
        package let last: Int
        /// The mean difference from the level before and after, in logarithms.
        package let change: Double
    }

    /// The lasting changes, by day.
    package let points: [Point]
    /// The temporary changes, by day.
    package let passing: [PassingEvent]

    /// The fewest days on each side of a point.
    package static let fewestDays = 5
    /// The most days compared on each side.
    package static let mostDays = 28
    /// The smallest change that matters, in logarithms.
    package static let leastChange = log(1.03)
    /// The significance level of a change in one series.
    package static let level = 0.001

    /// Searches values of different days, in any order; days may be absent.
    ///
    /// - Parameters:
    ///   - hasWeekdays: Whether weekdays may have effects; run numbers instead of days have none.
    ///   - level: The significance level of a change; above 0.
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

/// A series sorted by day, without weekday effects. Indices count from 0; a cut is the first index of a new level.
private struct DailySeries {
    let days: [Int]
    private let values: [Double]
    /// The values, limited to three robust deviations from the median of their week.
    private let held: [Double]
    /// The day-to-day standard deviation, from the median of differences between neighbours.
    private let deviation: Double

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

    /// The candidates from recursive splitting, ascending.
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

    struct Test {
        /// The difference of the medians in logarithms.
        let change: Double
        /// Welch's p, two-sided.
        let p: Double

        func holds(at level: Double) -> Bool { abs(change) >= ChangePoints.leastChange && p <= level }

        func isStronger(than other: Test) -> Bool { (p, -abs(change)) < (other.p, -abs(other.change)) }
    }

    /// The cuts that pass the test together; of those that fail, the weakest is removed first, which lengthens the
    /// sides of the others.
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

    /// B. L. Welch's test ("The generalization of 'Student's' problem", Biometrika 34 (1947) 28–35) on the days of
    /// both sides, with variances multiplied by (1 + ρ) / (1 − ρ) for autocorrelation.
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

    /// ρ, the autocorrelation of adjacent days around the level of their segment: 0 to 0.9.
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

    /// Removes pairs of cuts between which a level lasted at most five days before the old level returned.
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

    /// The required distance of an excursion in standard errors: among a hundred days, none is so far off by chance.
    private static let far = 5.0

    /// The segments of up to five days on one side of the surrounding level, entirely beyond the smallest change that
    /// matters, after which the series returned. Days next to a cut may belong to its other side.
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

private enum WeekdayEffects {
    /// The fewest complete weeks around a weekday for estimating its effect.
    private static let fewestWeeks = 3

    /// The logarithms without weekday effects: per weekday, the median difference of its days from the mean of the
    /// seven days around them is subtracted. Weekdays with too few complete weeks around them are unchanged.
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
    /// The median; with an even count the mean of both middle values; 0 without values.
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

    /// The standard deviation estimated as 1.4826 times the median absolute deviation.
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

    /// The t with P(T ≥ t) = p, for p above 0 and up to ½, by bisection; 0 or more.
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
