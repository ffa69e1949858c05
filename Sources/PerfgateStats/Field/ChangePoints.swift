import LibC

/// Finds lasting changes of level in a series of days or runs, and temporary ones of a few days.
///
/// The values are logarithms, usually of a quantile. Weekday effects are removed, single days are limited to three robust
/// deviations, and E. S. Page's cumulative sums are split recursively ("Continuous inspection schemes", Biometrika 41
/// (1954) 100–115; A. J. Scott and M. Knott, Biometrics 30 (1974) 507–512). Splits are kept if both sides differ by a
/// relevant amount, beyond chance for autocorrelated days, with the choice among all days counted.
package struct ChangePoints: Sendable, Hashable {
    package struct Value: Sendable, Hashable {
        /// In UTC since 1970-01-01.
        package let day: Int
        /// Of the measured value; finite.
        package let logarithm: Double

        package init(day: Int, logarithm: Double) { (self.day, self.logarithm) = (day, logarithm) }
    }

    /// A lasting change of level.
    package struct Point: Sendable, Hashable {
        /// The first day of the new level.
        package let day: Int
        /// The centre of the up to 28 days before it, in logarithms.
        package let before: Double
        /// The change of the centre in logarithms, to the up to 28 days from it on.
        package let change: Double
        /// The two-sided p-value of the difference, times the number of days from which this one was chosen; 0…1.
        package let p: Double
    }

    /// A level that changed and returned within five days.
    package struct PassingEvent: Sendable, Hashable {
        package let first, last: Int
        /// The mean difference from the level before and after, in logarithms.
        package let change: Double
    }

    package struct Terms: Sendable, Hashable {
        /// Whether weekdays may have effects; run numbers instead of days have none.
        package var hasWeekdays = true
        /// The significance level of a change; above 0.
        package var level = ChangePoints.level
        /// The smallest change that matters beside `leastChange`, of the values themselves; 0 or more.
        package var smallest = 0.0
        package var centre = Centre.median

        package init() {}
    }

    /// The lasting and the temporary changes, by day.
    package let points: [Point]
    package let passing: [PassingEvent]
    /// The fewest and the most days of a level; and the fewest of a series with a point: with fewer, ranks agree with none.
    package static let fewestDays = 5, mostDays = 28, fewestValues = 14
    /// The smallest change that matters, in logarithms; and the level of significance.
    package static let leastChange = log(1.03), level = 0.001

    /// Searches values of different days, in any order; days may be absent.
    package init(_ values: [Value], _ terms: Terms = Terms()) {
        let series = DailySeries(values.sorted { $0.day < $1.day }, terms)
        let (lasting, returned) = series.withoutReturns(series.kept(series.split(values.indices)))
        let cuts = series.kept(lasting)
        points = cuts.indices.map { series.test($0, of: cuts).point }
        passing = (returned + series.excursions(between: cuts, beside: returned)).sorted { $0.first < $1.first }
    }
}

/// A series sorted by day, without weekday effects. Indices count from 0; a cut is the first index of a new level.
private struct DailySeries {
    let days: [Int]
    private let values: [Double]
    /// The values, limited to three robust deviations from the median of their week.
    private let held: [Double]
    /// The day-to-day standard deviation, from the median of neighbours' differences; if most are 0, from all.
    private let deviation: Double
    private let terms: ChangePoints.Terms

    init(_ series: [ChangePoints.Value], _ terms: ChangePoints.Terms) {
        self.terms = terms
        days = series.map(\.day)
        let raw = series.map(\.logarithm)
        let values = terms.hasWeekdays && !raw[...].isGrainy ? WeekdayEffects.without(series) : raw
        let middles = values.indices.map { values[max(0, $0 - 3)..<min(values.count, $0 + 4)].median ?? 0 }
        let width = 3 * zip(values, middles).map { $0 - $1 }.robustDeviation
        self.values = values
        held = width > 0 ? zip(values, middles).map { min(max($0, $1 - width), $1 + width) } : values
        let steps = zip(held.dropFirst(), held).map { $0 - $1 }
        let robust = steps.robustDeviation
        let plain = (steps.reduce(0) { $0 + $1 * $1 } / Double(max(1, steps.count))).squareRoot()
        deviation = max((robust > 0 ? robust : plain) / 2.0.squareRoot(), 1e-9)
    }

    private static let splitting = 3.0

    /// The candidates from recursive splitting, ascending.
    func split(_ range: Range<Int>) -> [Int] {
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

    /// The cuts that pass together; of those that fail the weakest goes first, which lengthens the others' sides.
    func kept(_ candidates: [Int]) -> [Int] {
        var cuts = candidates
        while true {
            let tests = cuts.indices.map { (place: $0, test: test($0, of: cuts)) }
            let failing = tests.filter { !$0.test.isRelevant || $0.test.point.p > terms.level }
            let strength = { (point: ChangePoints.Point) in (point.p, -abs(point.change)) }
            guard let weakest = failing.max(by: { strength($0.test.point) < strength($1.test.point) })
            else { return cuts }
            cuts.remove(at: weakest.place)
        }
    }

    /// Student's t test on the days of both sides, or Mann's and Whitney's, exact with ties, where many days are equal.
    ///
    /// The variance of the t test is moderated towards that of an ordinary series, as if four more days had shown it
    /// (G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 3 (2004) 3): a few equal days don't make it 0. Its p counts only if
    /// ranks agree at .001, so a few far days don't make a level. Both p are corrected for autocorrelation by (1 + ρ) /
    /// (1 − ρ), and multiplied by the number of cuts among which this one is the best.
    func test(_ index: Int, of cuts: [Int]) -> (point: ChangePoints.Point, isRelevant: Bool) {
        let cut = cuts[index]
        let start = max(index > 0 ? cuts[index - 1] : 0, cut - ChangePoints.mostDays)
        let end = min(index + 1 < cuts.count ? cuts[index + 1] : held.count, cut + ChangePoints.mostDays)
        let inflation = inflation(between: cuts)
        let (before, after) = (centre(values[start..<cut]), centre(values[cut..<end]))
        let change = after - before
        let ranks = rankChance(values[start..<cut], values[cut..<end], inflation)
        let isGrainy = values[start..<end].isGrainy
        let own = isGrainy ? ranks : momentChance(held[start..<cut], held[cut..<end], inflation)
        let choices = Double(max(1, held.count - 2 * ChangePoints.fewestDays + 1))
        let p = min(1, (ranks > Self.agreement ? max(own, ranks) : own) * choices)
        return (
            ChangePoints.Point(day: days[cut], before: before, change: change, p: p),
            abs(change) >= ChangePoints.leastChange && abs(exp(after) - exp(before)) >= terms.smallest
        )
    }

    /// The p of ranks up to which the t test counts.
    private static let agreement = 0.001
    /// The standard deviation of an ordinary series, in logarithms, and the number of days that it counts as.
    private static let ordinary = (deviation: 0.015, days: 4.0)

    private func centre(_ logarithms: ArraySlice<Double>) -> Double {
        switch terms.centre {
        case .median: logarithms.median ?? 0
        case .mean: log(logarithms.reduce(0) { $0 + exp($1) } / Double(logarithms.count))
        }
    }

    private func rankChance(_ before: ArraySlice<Double>, _ after: ArraySlice<Double>, _ inflation: Double) -> Double {
        guard let before = try? SortedSamples(before), let after = try? SortedSamples(after),
            let test = try? MannWhitney(baseline: before, candidate: after)
        else { return 1 }
        let tail = min(test.probabilityOfGreater, test.probabilityOfLess)
        guard inflation > 1, tail < 0.5 else { return min(1, 2 * tail) }
        return 2 * Normal.upperTail(-Normal.quantile(tail) / inflation.squareRoot())
    }

    private func momentChance(_ before: ArraySlice<Double>, _ after: ArraySlice<Double>, _ inflation: Double) -> Double
    {
        let prior = Self.ordinary
        let freedom = Double(before.count + after.count - 2) + prior.days
        let squares = before.squares + after.squares + prior.days * prior.deviation * prior.deviation
        let error = (squares / freedom * inflation * (1 / Double(before.count) + 1 / Double(after.count))).squareRoot()
        return StudentT.twoSided(abs(after.mean - before.mean) / error, freedom: freedom)
    }

    /// (1 + ρ) / (1 − ρ), with ρ the autocorrelation of adjacent days around the level of their segment: 0 to 0.9.
    private func inflation(between cuts: [Int]) -> Double {
        var (products, squares) = (0.0, 0.0)
        for stretch in stretches(between: cuts) {
            let mean = held[stretch].mean
            let rests = held[stretch].map { $0 - mean }
            squares += rests.reduce(0) { $0 + $1 * $1 }
            products += zip(rests, rests.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 }
        }
        // Equal days differ only by rounding.
        let resemblance = squares > 1e-18 * Double(held.count) ? min(max(products / squares, 0), 0.9) : 0
        return (1 + resemblance) / (1 - resemblance)
    }

    private func stretches(between cuts: [Int]) -> [Range<Int>] { zip([0] + cuts, cuts + [held.count]).map { $0..<$1 } }

    /// Removes pairs of cuts between which a level lasted at most five days before the old level returned.
    func withoutReturns(_ cuts: [Int]) -> (cuts: [Int], events: [ChangePoints.PassingEvent]) {
        var (lasting, events, index) = ([Int](), [ChangePoints.PassingEvent](), 0)
        while index < cuts.count {
            if index + 1 < cuts.count, days[cuts[index + 1] - 1] - days[cuts[index]] < ChangePoints.fewestDays {
                let (up, down) = (test(index, of: cuts).point.change, test(index + 1, of: cuts).point.change)
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

    /// The distance of an excursion in standard errors, which none of a hundred days reaches by chance.
    private static let far = 5.0

    /// The segments of up to five days on one side of the surrounding level, entirely beyond the smallest change that
    /// matters, after which the series returned. Days next to a cut may belong to its other side.
    func excursions(between cuts: [Int], beside others: [ChangePoints.PassingEvent]) -> [ChangePoints.PassingEvent] {
        // If most days are equal, each other day would be far off.
        guard !values[...].isGrainy else { return [] }
        let error = deviation * inflation(between: cuts).squareRoot()
        var events: [ChangePoints.PassingEvent] = []
        for stretch in stretches(between: cuts) {
            let reach = ChangePoints.mostDays / 2
            let rests = stretch.map { place -> Double in
                let near = max(stretch.lowerBound, place - reach)..<min(stretch.upperBound, place + reach + 1)
                return values[place] - (values[near].median ?? 0)
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
                let event = event(place, change: rests[first..<end].mean)
                guard abs(event.change) * Double(place.count).squareRoot() >= Self.far * error,
                    !others.contains(where: { $0.first <= event.last && $0.last >= event.first })
                else { continue }
                events.append(event)
            }
        }
        return events
    }

    private func event(_ place: Range<Int>, change: Double) -> ChangePoints.PassingEvent {
        ChangePoints.PassingEvent(first: days[place.lowerBound], last: days[place.upperBound - 1], change: change)
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
        let effects = rests.mapValues { $0.median ?? 0 }
        let mean = effects.values.reduce(0, +) / 7
        return series.map { $0.logarithm - (effects[weekday($0.day)] ?? 0) + mean }
    }

    private static func weekday(_ day: Int) -> Int { (day % 7 + 7) % 7 }
}

extension ArraySlice<Double> {
    /// Whether more than a fifth of the values are equal, and the others differ from them by more than 2 %.
    fileprivate var isGrainy: Bool {
        let counts = Dictionary(grouping: self) { $0 }.mapValues(\.count)
        guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), 5 * most.value > count else {
            return false
        }
        return filter { $0 != most.key }.map { abs($0 - most.key) }.median ?? 0 > 0.02
    }
}
