import LibC
import PerfgateStats
import SeededRandom

/// The world of `perfgate bisect`: a page's time, or a count, at each commit of a range.
package struct BisectWorld: Sendable {
    /// The standard deviation of a run's effect on all times, and of one on a time, in logarithms.
    package var deviceEffect = 0.02, pageEffect = 0.025
    /// σ of a time within a run, in logarithms.
    package var spread = 0.07
    package var iterations = 5
    /// The times of other pages that each run measures.
    package var otherTimes = 24
    /// The stored runs of the good commit; the newest five count as measured.
    package var storedRuns = 10
    /// How much slower the range's good commit is than the stored runs, in logarithms.
    package var slowerBefore = 0.0
    package var commits = 64
    package var changes = Changes.none

    package init() {}

    /// What the commits of a range change.
    package enum Changes: Sendable {
        case none
        /// One commit slows the page by this fraction.
        case step(Double)
        /// Another commit adds three fifths of it.
        case two(Double)
        /// Slower, as fast as before, and slower again.
        case revert(Double)
        /// Slower, and as fast as before.
        case blip(Double)
        /// One commit changes a count.
        case count(CountChange)
        case cleanCount(CountChange)

        var size: Double {
            switch self {
            case .none: 0.1
            case .step(let size), .two(let size), .revert(let size), .blip(let size): size
            case .count, .cleanCount: 0
            }
        }
    }

    package enum CountChange: String, Sendable, CaseIterable {
        case freeze = "10 frames in half of the iterations"
        case two = "2 frames in 85 %"
        case one = "1 frame in 85 %"
        case failures = "60 % of visits fail, of 3 %"
    }

    /// A range with its steps, and the value of each run, which always draws the same.
    struct Range {
        let world: BisectWorld
        let steps: [(commit: Int, change: Double)]
        private let seed: UInt64, draw: UInt64

        init(_ world: BisectWorld, seed: UInt64, draw: UInt64) {
            (self.world, self.seed, self.draw) = (world, seed, draw)
            var random = SeededGenerator(seed: seed, stream: draw << 24)
            var commits = Set<Int>()
            while commits.count < min(3, world.commits) {
                commits.insert(1 + Int(random.next() % UInt64(world.commits)))
            }
            let any = Array(commits).sorted { first, second in
                (UInt64(first) &* 0x9E37_79B9_7F4A_7C15) < (UInt64(second) &* 0x9E37_79B9_7F4A_7C15)
            }
            let (size, ordered) = (log(1 + world.changes.size), any.sorted())
            steps =
                switch world.changes {
                case .none, .cleanCount: []
                case .step, .count: [(any[0], size)]
                case .two: [(any[0], size), (any[1], 0.6 * size)]
                case .revert: [(ordered[0], size), (ordered[1], -size), (ordered[2], size)]
                case .blip: [(ordered[0], size), (ordered[1], -size)]
                }
        }

        /// Whether a commit made it worse.
        func isCulprit(_ commit: Int) -> Bool { steps.contains { $0.commit == commit && $0.change >= 0 } }

        /// The run with a number at a position; −1: a stored run.
        func run(_ position: Int, _ number: Int) -> CommitSearch.Run {
            var random = SeededGenerator(
                seed: seed ^ 0x5BD1_E995, stream: draw << 24 | UInt64(position + 1) << 10 | UInt64(number))
            if case .count(let change) = world.changes {
                return .init(samples: counts(change, isBad: position >= steps[0].commit, &random))
            }
            if case .cleanCount(let change) = world.changes {
                return .init(samples: counts(change, isBad: false, &random))
            }
            let level =
                position < 0 ? -world.slowerBefore : steps.reduce(0) { $1.commit <= position ? $0 + $1.change : $0 }
            let shift = world.deviceEffect * random.normal()
            let page = world.pageEffect * random.normal()
            let samples = (0..<world.iterations).map { _ in
                let slow = random.uniform() < 0.02 ? log(random.uniform(1.2...2)) : 0
                return 600 * exp(level + shift + page + slow + world.spread * random.normal())
            }
            let sampling = (Double.pi / 2 / (Double(world.iterations) + 0.5)).squareRoot() * world.spread
            let times = (0..<world.otherTimes).map { _ in
                shift + world.pageEffect * random.normal() + sampling * random.normal()
            }
            return .init(
                samples: samples, times: Dictionary(uniqueKeysWithValues: times.enumerated().map { ("\($0)", $1) }))
        }

        private func counts(_ change: CountChange, isBad: Bool, _ random: inout SeededGenerator) -> [Double] {
            let scale = exp(0.1 * random.normal())
            return (0..<world.iterations).map { _ in
                guard change != .failures else { return random.uniform() < (isBad ? 0.6 : 0.03) ? 1 : 0 }
                var value = 0.0
                if random.uniform() >= 0.75 {
                    value = 1 + (random.uniform() < 0.3 * scale ? 1 : 0) + (random.uniform() < 0.1 ? 1 : 0)
                }
                if random.uniform() < 0.01 { value = 3 + Double(random.next() % 12) }
                let least: (share: Double, value: Double) =
                    switch change {
                    case .freeze: (0.5, 10)
                    case .two: (0.85, 2)
                    case .one, .failures: (0.85, 1)
                    }
                return isBad && random.uniform() < least.share ? max(value, least.value) : value
            }
        }

        /// The search as the program makes it.
        func search(knowsChange: Bool = true, lead: (weight: Double, isHit: Bool)? = nil) -> CommitSearch {
            var random = SeededGenerator(seed: seed ^ 0x2545_F491, stream: draw)
            var prior = StepPrior(weights: Array(repeating: 1, count: world.commits))
            if let lead {
                let others = (0..<3).map { _ in 1 + Int(random.next() % UInt64(world.commits)) }
                for commit in others where !isCulprit(commit) { prior.weights[commit - 1] = lead.weight }
                if lead.isHit, let culprit = steps.first?.commit { prior.weights[culprit - 1] = lead.weight }
            }
            prior.least = max(0.9 * log(1.05), 0.01)
            let seen = max(log(1 + world.changes.size) + 0.03 * random.normal(), 0.096)
            prior.change = knowsChange ? seen : nil
            let stored = (0..<world.storedRuns).map { (position: 0, run: run(-1, $0)) }
            if stored.count >= 5, world.otherTimes >= 12 { prior.learn(from: stored.map(\.run)) }
            if case .count = world.changes { return CommitSearch(prior, .counts, tolerance: 0.1) }
            if case .cleanCount = world.changes { return CommitSearch(prior, .counts, tolerance: 0.1) }
            return CommitSearch(
                prior, .times(least: 16, withinRun: 0.07), tolerance: 0.1, stored: Array(stored.prefix(5)))
        }

        /// Measures until the end.
        func searched(_ search: CommitSearch) -> CommitSearch {
            var search = search
            while case .measure(let position, _) = search.step {
                search.add(.measured(position, run(position, search.runs(at: position))))
            }
            return search
        }
    }
}
