import LibC
import PerfgateStats
import SeededRandom

/// The false alarm rate of unchanged series, and the power for changed ones, in Markdown.
package struct DriftStudy: Sendable {
    /// A daily series of the logarithm of a quantile.
    package struct Series: Sendable {
        package var days = 84
        /// The day-to-day noise: a standard deviation in logarithms.
        package var noise = 0.015
        /// The autocorrelation of adjacent days, 0 to below 1.
        package var resemblance = 0.0
        /// The weekday effect: a standard deviation in logarithms.
        package var weekday = 0.03

        /// The documented series.
        package init() {}

        /// Draws a series whose level changes on a day, counted from the first.
        func draw(change: Double, on day: Int, _ generator: inout SeededGenerator) -> [ChangePoints.Value] {
            let weekdays = (0..<7).map { _ in weekday * generator.normal() }
            var rest = noise * generator.normal()
            return (0..<days).map { place in
                if place > 0 {
                    rest =
                        resemblance * rest + (1 - resemblance * resemblance).squareRoot() * noise * generator.normal()
                }
                let level = place >= day ? log1p(change) : 0
                return ChangePoints.Value(
                    day: 20_000 + place, logarithm: 7 + level + weekdays[place % 7] + rest)
            }
        }
    }

    private let seed: UInt64
    private let runs: Int

    /// A study with this many series per number.
    package init(seed: UInt64, runs: Int) {
        self.seed = seed
        self.runs = runs
    }

    /// The series, by their difference from the documented one.
    package static let series: [(title: String, series: Series)] = {
        func series(_ change: (inout Series) -> Void) -> Series {
            var series = Series()
            change(&series)
            return series
        }
        return [
            ("as documented", Series()),
            ("AR .5", series { $0.resemblance = 0.5 }),
            ("noise of 1 %", series { $0.noise = 0.01 }),
            ("noise of 2 %", series { $0.noise = 0.02 }),
            ("noise of 2 %, AR .5", series { ($0.noise, $0.resemblance) = (0.02, 0.5) }),
            ("noise of 3 %", series { $0.noise = 0.03 }),
            ("28 days", series { $0.days = 28 }),
        ]
    }()

    /// Prints the table line by line.
    package func write(_ line: (String) -> Void) {
        line(
            "| series | alarm without a change | temporary change without one | +3 % found within 3 days | +5 % | +10 % | another point beside +5 % |"
        )
        line("|---|---|---|---|---|---|---|")
        for (index, (title, series)) in Self.series.enumerated() {
            var (alarms, passing, others) = (Tally(), Tally(), Tally())
            for run in 0..<runs {
                var generator = SeededGenerator(seed: seed, stream: UInt64(run) << 6 | UInt64(index))
                let found = ChangePoints(series.draw(change: 0, on: 0, &generator))
                alarms.count(!found.points.isEmpty)
                passing.count(!found.passing.isEmpty)
            }
            let columns = [0.03, 0.05, 0.1].enumerated().map { place, change in
                var tally = Tally()
                for run in 0..<runs {
                    let stream = UInt64(run) << 6 | UInt64(16 + 4 * index + place)
                    var generator = SeededGenerator(seed: seed, stream: stream)
                    let day = Int(generator.uniform(0.25...0.85) * Double(series.days))
                    let found = ChangePoints(series.draw(change: change, on: day, &generator)).points
                    let isNear = found.map { abs($0.day - 20_000 - day) <= 3 && $0.change > 0 }
                    tally.count(isNear.contains(true))
                    if change == 0.05 { others.count(isNear.contains(false)) }
                }
                return tally
            }
            let cells = ([alarms, passing] + columns + [others]).map { Tally.text([$0]) }
            line("| \(title) | \(cells.joined(separator: " | ")) |")
        }
    }
}
