import LibC
import PerfgateCompare
import PerfgateModel
import SeededRandom

/// The world that simulated runs are measured in: what differs between pages, between runs, and within a run.
///
/// A page has five cells: dropped frames, drop events and three times. A *device run* moves all of its times together
/// (`deviceEffect`: temperature, a system update, the unit itself) and each cell on its own (`pageEffect`, `countEffect`:
/// a server's mood, a cache). Both are normal in logarithms, and independent between runs. For times they add up to
/// τ = √(.02² + .025²) = .032, which is what measured fleets show (2–5 %). Nothing drifts: runs of different days differ
/// by no more than runs of one day.
package struct World: Sendable {
    /// What a device run does to all of its times together: a standard deviation in logarithms.
    package var deviceEffect = 0.02
    /// What it does to one time on its own, likewise.
    package var pageEffect = 0.025
    /// How much `pageEffect` differs between times, a standard deviation in logarithms: .5 has one time of forty at 2.7 times
    /// of it. 0: all times are alike.
    package var pageEffectSpread = 0.0
    /// What it does to one count's mean, likewise.
    package var countEffect = 0.1
    /// The chance of an outlier among times.
    package var outlierShare = 0.02
    /// By what an outlier is multiplied.
    package var outlierFactor = 1.2...2.0
    /// The times' levels in ms, log-uniform.
    package var level = 250.0...1_500
    /// The times' spread within a run, in logarithms: uniform.
    package var spread = 0.04...0.1
    /// The chance of an iteration without a dropped frame: uniform.
    package var noFrames = 0.4...0.95
    /// How many more than one frame the others drop on average: uniform.
    package var moreFrames = 0.2...1.2
    /// The chance of a freak among dropped frames: something else held the main thread for once.
    package var freakShare = 0.01
    /// How many frames a freak drops: uniform, rounded down.
    package var freakFrames = 3.0...15
    /// In what share of iterations a new hitch shows.
    package var hitchShare = 0.85
    /// The mean number of drop events: log-uniform.
    package var events = 0.2...4.0
    /// The shape of the number of drop events: at 4 a mean of 2 has a variance of 3.
    package var eventShape = 4.0

    /// The world as it is documented.
    package init() {}

    /// How many cells a page has.
    package static let cellsPerPage = 5

    /// How many of them are times.
    package static let timesPerPage = 3

    /// The times of so many pages, page by page.
    package func times(of pages: Int, _ generator: inout SeededGenerator) -> [CellModel] {
        (0..<(pages * Self.timesPerPage)).map { _ in time(&generator) }
    }

    /// The cells of so many pages, page by page.
    package func cells(pages: Int, _ generator: inout SeededGenerator) -> [CellModel] {
        (0..<pages).flatMap { _ in
            [droppedFrames(&generator), dropEvents(&generator)] + (0..<Self.timesPerPage).map { _ in time(&generator) }
        }
    }

    /// A time of some page.
    package func time(_ generator: inout SeededGenerator) -> CellModel {
        let time = (level: generator.logUniform(level), spread: generator.uniform(spread))
        let share = pageEffectSpread > 0 ? exp(pageEffectSpread * generator.normal()) : 1
        return .time(level: time.level, spread: time.spread, ownShare: share)
    }

    /// Dropped frames of some page.
    package func droppedFrames(_ generator: inout SeededGenerator) -> CellModel {
        .droppedFrames(none: generator.uniform(noFrames), more: generator.uniform(moreFrames))
    }

    /// Drop events of some page.
    package func dropEvents(_ generator: inout SeededGenerator) -> CellModel {
        .dropEvents(mean: generator.logUniform(events), shape: eventShape)
    }
}

/// How one metric of one page comes out, again and again.
package enum CellModel: Sendable, Hashable {
    /// A time: log-normal around `level` ms, with `spread` its standard deviation in logarithms, and now and then an
    /// outlier; a run moves it by `ownShare` times the world's `pageEffect`.
    case time(level: Double, spread: Double, ownShare: Double = 1)
    /// The most frames dropped at one instant: none with the chance `none`, else 1 and a Poisson number around `more`,
    /// or those of a freak or a new hitch where they are more.
    case droppedFrames(none: Double, more: Double)
    /// The most drop events in a scroll: negative binomial with that mean and shape.
    case dropEvents(mean: Double, shape: Double)

    /// The metric.
    package var metric: Metric {
        switch self {
        case .time: Metric(.ttil)
        case .droppedFrames: Metric(.droppedFrames)
        case .dropEvents: Metric(.dropEvents)
        }
    }

    /// One sample, at least 0.
    ///
    /// - Parameter effect: What the run does to this cell, in logarithms: 0.03 makes times 3 % longer.
    func sample(effect: Double, change: Change, in world: World, _ generator: inout SeededGenerator) -> Double {
        switch self {
        case .time(let level, let spread, _):
            let usual = level * exp(effect + spread * generator.normal())
            let isOutlier = generator.uniform() < world.outlierShare
            let factor = isOutlier ? generator.uniform(world.outlierFactor) : 1
            if case .slower(let share) = change { return usual * factor * (1 + share) }
            return usual * factor
        case .droppedFrames(let none, let more):
            let isClean = generator.uniform() < none
            let own = isClean ? 0 : 1 + generator.poisson(more * exp(effect))
            let freak = generator.uniform() < world.freakShare ? Int(generator.uniform(world.freakFrames)) : 0
            let hitch = change.newHitch(in: world, &generator)
            return Double(max(own, freak, hitch))
        case .dropEvents(let mean, let shape):
            var mean = mean
            if case .moreEvents(let count) = change { mean += count }
            return Double(generator.negativeBinomial(mean: mean * exp(effect), shape: shape))
        }
    }

    /// How much a run moves this cell beside what it does to all times: a standard deviation in logarithms.
    func ownEffect(in world: World) -> Double {
        if case .time(_, _, let share) = self { return share * world.pageEffect }
        return world.countEffect
    }
}

/// What happens to a cell between baseline and candidate.
package enum Change: Sendable, Hashable {
    /// Nothing.
    case none
    /// A time takes longer by this share: 0.2 is +20 %.
    case slower(Double)
    /// A new hitch drops this many frames at one instant, in nearly every iteration.
    case newHitch(Int)
    /// It drops this many frames at one instant in that share of iterations, 0…1.
    case hitch(Int, in: Double)
    /// This many more drop events, on average.
    case moreEvents(Double)

    /// The frames that a new hitch drops in one iteration; 0 without one.
    func newHitch(in world: World, _ generator: inout SeededGenerator) -> Int {
        let (frames, share): (Int, Double)
        switch self {
        case .newHitch(let most): (frames, share) = (most, world.hitchShare)
        case .hitch(let most, let own): (frames, share) = (most, own)
        case .none, .slower, .moreEvents: return 0
        }
        return generator.uniform() < share ? frames : 0
    }
}

/// One uninterrupted stretch of measuring on one device.
struct DeviceRun: Sendable {
    /// What it does to all times, in logarithms.
    let effect: Double
    /// How many samples each cell gets.
    let iterations: Int

    /// A run somewhere, some day.
    init(iterations: Int, in world: World, _ generator: inout SeededGenerator) {
        self.iterations = iterations
        effect = world.deviceEffect * generator.normal()
    }

    /// What it does to one cell, in logarithms.
    func effect(on cell: CellModel, in world: World, _ generator: inout SeededGenerator) -> Double {
        let own = cell.ownEffect(in: world) * generator.normal()
        if case .time = cell { return effect + own }
        return own
    }

    /// A cell's samples, for an effect that is known.
    func samples(
        of cell: CellModel, effect: Double, change: Change, in world: World, _ generator: inout SeededGenerator
    ) -> [Double] {
        (0..<iterations).map { _ in cell.sample(effect: effect, change: change, in: world, &generator) }
    }

    /// A cell's samples.
    func samples(
        of cell: CellModel, change: Change = .none, in world: World, _ generator: inout SeededGenerator
    ) -> [Double] {
        let effect = effect(on: cell, in: world, &generator)
        return samples(of: cell, effect: effect, change: change, in: world, &generator)
    }
}

extension SeededGenerator {
    /// A standard normal number, by G. E. P. Box and M. E. Muller, Ann. Math. Statist. 29 (1958) 610–611.
    package mutating func normal() -> Double {
        let radius = (-2 * log(1 - uniform())).squareRoot()
        return radius * cos(2 * Double.pi * uniform())
    }

    /// A number that is Poisson distributed around `mean`, at least 0: by multiplying uniform numbers (D. E. Knuth),
    /// in time proportional to the mean.
    package mutating func poisson(_ mean: Double) -> Int {
        guard mean > 0 else { return 0 }
        let limit = exp(-mean)
        var (count, product) = (0, uniform())
        while product > limit {
            count += 1
            product *= uniform()
        }
        return count
    }

    /// A number that is gamma distributed with that shape, above 0, and mean 1.
    ///
    /// G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000) 363–372.
    package mutating func gamma(shape: Double) -> Double {
        guard shape >= 1 else { return gamma(shape: shape + 1) * (shape + 1) / shape * pow(1 - uniform(), 1 / shape) }
        let d = shape - 1.0 / 3
        while true {
            let x = normal()
            let root = 1 + x / (9 * d).squareRoot()
            let v = root * root * root
            guard v > 0 else { continue }
            if log(1 - uniform()) < x * x / 2 + d - d * v + d * log(v) { return d * v / shape }
        }
    }

    /// A negative binomial count with that mean and shape: its variance is mean + mean² / shape, at least 0.
    package mutating func negativeBinomial(mean: Double, shape: Double) -> Int {
        poisson(mean * gamma(shape: shape))
    }

    /// A number of that range above 0, its logarithm uniform.
    package mutating func logUniform(_ range: ClosedRange<Double>) -> Double {
        exp(uniform(log(range.lowerBound)...log(range.upperBound)))
    }
}

/// What is measured before a verdict: the baseline's runs, the candidate's first look, and what confirms it.
package struct Plan: Sendable, Hashable {
    /// The baseline's runs; 1 or more.
    package var baselineRuns: Int
    /// The samples of each cell in each of them; 1 or more.
    package var baselineIterations: Int
    /// The samples of each cell in the candidate's first look; 1 or more.
    package var firstLook: Int
    /// The samples of each cell in each run that confirms.
    package var confirming: [Int] = [10, 10]

    /// The plan in a few words, such as `10×5, 5`.
    package var title: String { "\(baselineRuns)×\(baselineIterations), \(firstLook)" }
}

/// Main and candidate measured in turn within the same device runs.
package struct PairedPlan: Sendable, Hashable {
    /// The device runs; 1 or more.
    package var pairs: Int
    /// The samples of each cell in each of them, on either side; 1 or more.
    package var iterations: Int

    /// The plan in a few words, such as `3 pairs of 5 + 5`.
    package var title: String { "\(Figure.count(pairs, "pair")) of \(iterations) + \(iterations)" }
}
