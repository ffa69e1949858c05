import PerfgateCompare
import PerfgateModel
import PerfgateStats
import SeededRandom

/// The error rates and the power of experiments, in Markdown.
package struct ExperimentStudy: Sendable {
    private let seed: UInt64
    private let runs: Int

    /// A study with this many experiments per line.
    package init(seed: UInt64, runs: Int) { (self.seed, self.runs) = (seed, runs) }

    /// The lines: a world, and on which days the experiment is checked; `looks` as said to the program.
    package static let lines: [(title: String, world: ReleaseWorld, checks: [Int], looks: Int)] = {
        func world(_ change: (inout ReleaseWorld) -> Void = { _ in }) -> ReleaseWorld {
            var world = ReleaseWorld()
            // Chance decides who is in an arm, so no day moves one arm only.
            (world.treated, world.releaseEffect, world.pages, world.events) = (0.5, 0, 40, 300...6_000)
            change(&world)
            return world
        }
        return [
            ("as documented", world(), [7], 1), ("10 % of the users treated", world { $0.treated = 0.1 }, [7], 1),
            ("3,000 users", world { $0.users = 3_000 }, [7], 1), ("300 users", world { $0.users = 300 }, [7], 1),
            ("14 days", world { $0.days = 14 }, [14], 1), ("5 pages", world { $0.pages = 5 }, [7], 1),
            ("events without users", world { $0.namesUsers = false }, [7], 1),
            (
                "a day moves one arm by 1 %", world { ($0.releaseEffect, $0.isReleaseEffectShared) = (0.01, true) },
                [7], 1
            ),
            ("checked on each of 7 days", world(), Array(2...7), 1),
            ("the same with --looks 6", world(), Array(2...7), 6),
        ]
    }()

    /// Prints the lines with equal arms, and with a treatment that slows all pages.
    package func write(_ chosen: [Int] = Array(lines.indices), slower: Double = 0.05, _ line: (String) -> Void) {
        let percent = Int((100 * slower).rounded())
        line(
            "| experiment | equal arms: anything worse | a ratio of users refused | interval of the effect holds 0 | all pages "
                + "+\(percent) %: found | one page of 40 +20 %: found |")
        line("|---|---|---|---|---|---|")
        for index in chosen {
            let (title, world, checks, looks) = Self.lines[index]
            var (worse, refused, covered) = (Tally(), Tally(), Tally())
            var (found, foundPage) = (Tally(), Tally())
            for run in 0..<runs {
                var generator = SeededGenerator(seed: seed, stream: UInt64(run) << 6 | UInt64(index))
                func checked(_ slower: Double, _ share: Double) -> (trial: ReleaseTrial, results: [[CellResult]]) {
                    let trial = ReleaseTrial(world, slower: slower, share: share, &generator)
                    return (trial, checks.map { trial.results(after: $0, looks: looks) })
                }
                let equal = checked(0, 0)
                worse.count(equal.results.joined().contains { $0.verdict == .regressed })
                refused.count(equal.trial.ratio(treated: world.treated ?? 0.5).map { $0 < SampleRatio.least } ?? false)
                for shift in (equal.results.last ?? []) where shift.subject == .allPages {
                    guard let interval = shift.numbers?.interval, interval.count == 2 else { continue }
                    covered.count(interval[0] <= 0 && interval[1] >= 0)
                }
                found.count(
                    checked(slower, 1).results.joined().contains { $0.subject == .allPages && $0.verdict == .regressed }
                )
                let one = checked(0.2, 1 / Double(world.pages))
                foundPage.count(
                    one.results.joined().contains {
                        $0.verdict == .regressed && one.trial.changed.contains($0.page)
                    })
            }
            let cells = [worse, refused, covered, found, foundPage].map { Tally.text([$0]) }
            line("| \(title) | \(cells.joined(separator: " | ")) |")
        }
    }
}
