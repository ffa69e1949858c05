import LibC
import PerfgateCompare
import PerfgateModel
import SeededRandom

/// The world of simulated runs: the differences between pages, between runs, and within a run.
///
/// A page has five cells: dropped frames, drop events and three times. A *device run* shifts all its times together
/// (`deviceEffect`: temperature, a system update, the unit itself) and each cell separately (`pageEffect`,
/// `countEffect`: server load, a cache). Both are normal in logarithms, and independent between runs. For times they
/// add up to τ = √(.02² + .025²) = .032, as in measured fleets (2–5 %). There is no drift: runs of different days
/// differ no more than runs of one day.
package struct World: Sendable {
    /// The effect of a device run on all its times together: a standard deviation in logarithms.
    package var deviceEffect = 0.02
    /// The effect on a single time, in the same measure.
    package var pageEffect = 0.025
    /// The variation of `pageEffect` between times, a standard deviation in logarithms: with .5, one time in forty has
    /// 2.7 times the effect. 0: all times are equal.
    package var pageEffectSpread = 0.0
    /// The effect on one count's mean, in the same measure.
    package var countEffect = 0.1
    /// The probability of an outlier among times.
    package var outlierShare = 0.02
    package var outlierFactor = 1.2...2.0
    /// The probability that half of the samples of one time in one run take three times as long: a bad server night.
    package var badNights = 0.0
    /// The times' levels in ms, log-uniform.
    package var level = 250.0...1_500
    /// The times' spread within a run, in logarithms: uniform.
    package var spread = 0.04...0.1
    /// The probability of an iteration without dropped frames: uniform.
    package var noFrames = 0.4...0.95
    /// The mean number of dropped frames beyond one in the others: uniform.
    package var moreFrames = 0.2...1.2
    /// The probability of an outlier among dropped frames: something else blocked the main thread once.
    package var freakShare = 0.01
    /// The dropped frames of an outlier: uniform, rounded down.
    package var freakFrames = 3.0...15
    /// The fraction of iterations with a new hitch.
    package var hitchShare = 0.85
    /// The mean number of drop events: log-uniform.
    package var events = 0.2...4.0
    /// The shape of the number of drop events: at 4 a mean of 2 has a variance of 3.
    package var eventShape = 4.0

    /// The documented world.
    package init() {}

    package static let cellsPerPage = 5

    package static let timesPerPage = 3

    /// The times of this many pages, page by page.
    package func times(of pages: Int, _ generator: inout SeededGenerator) -> [CellModel] {
        (0..<(pages * Self.timesPerPage)).map { _ in time(&generator) }
    }

    /// The cells of this many pages, page by page.
    package func cells(pages: Int, _ generator: inout SeededGenerator) -> [CellModel] {
        (0..<pages).flatMap { _ in
            [droppedFrames(&generator), dropEvents(&generator)] + (0..<Self.timesPerPage).map { _ in time(&generator) }
        }
    }

    package func time(_ generator: inout SeededGenerator) -> CellModel {
        let time = (level: generator.logUniform(level), spread: generator.uniform(spread))
        let share = pageEffectSpread > 0 ? exp(pageEffectSpread * generator.normal()) : 1
        return .time(level: time.level, spread: time.spread, ownShare: share)
    }

    package func droppedFrames(_ generator: inout SeededGenerator) -> CellModel {
        .droppedFrames(none: generator.uniform(noFrames), more: generator.uniform(moreFrames))
    }

    package func dropEvents(_ generator: inout SeededGenerator) -> CellModel {
        .dropEvents(mean: generator.logUniform(events), shape: eventShape)
    }
}

/// The distribution of one metric of one page.
package enum CellModel: Sendable, Hashable {
    /// A time: log-normal around `level` ms, with `spread` its standard deviation in logarithms, and occasional
    /// outliers; a run shifts it by `ownShare` times the world's `pageEffect`.
    case time(level: Double, spread: Double, ownShare: Double = 1)
    /// The most frames dropped at one instant: none with probability `none`, else 1 plus a Poisson number with mean
    /// `more`, or the frames of an outlier or a new hitch if they are more.
    case droppedFrames(none: Double, more: Double)
    /// The most drop events in a scroll: negative binomial with that mean and shape.
    case dropEvents(mean: Double, shape: Double)

    package var metric: Metric {
        switch self {
        case .time: Metric(.ttil)
        case .droppedFrames: Metric(.droppedFrames)
        case .dropEvents: Metric(.dropEvents)
        }
    }

    /// One sample, at least 0.
    ///
    /// - Parameter effect: The run's effect on this cell, in logarithms: 0.03 makes times 3 % longer.
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

    /// The effect of a run on this cell beyond its effect on all times: a standard deviation in logarithms.
    func ownEffect(in world: World) -> Double {
        if case .time(_, _, let share) = self { return share * world.pageEffect }
        return world.countEffect
    }
}

/// The change of a cell between baseline and candidate.
package enum Change: Sendable, Hashable {
    /// Nothing.
    case none
    /// A time takes longer by this fraction: 0.2 is +20 %.
    case slower(Double)
    /// A time takes this many times as long in this fraction of each run's samples, 0…1, exactly.
    case slowLoads(Double, in: Double)
    /// A new hitch drops this many frames at one instant, in almost every iteration.
    case newHitch(Int)
    /// It drops this many frames at one instant in this fraction of iterations, 0…1.
    case hitch(Int, in: Double)
    /// This many more drop events, on average.
    case moreEvents(Double)

    func of(_ iteration: Int, among iterations: Int) -> Change {
        guard case .slowLoads(let factor, let share) = self else { return self }
        return iteration < Int((share * Double(iterations)).rounded()) ? .slower(factor - 1) : .none
    }

    /// The frames dropped by a new hitch in one iteration; 0 without one.
    func newHitch(in world: World, _ generator: inout SeededGenerator) -> Int {
        let (frames, share): (Int, Double)
        switch self {
        case .newHitch(let most): (frames, share) = (most, world.hitchShare)
        case .hitch(let most, let own): (frames, share) = (most, own)
        case .none, .slower, .slowLoads, .moreEvents: return 0
        }
        return generator.uniform() < share ? frames : 0
    }
}

/// One uninterrupted measurement on one device.
struct DeviceRun: Sendable {
    /// The effect on all times, in logarithms.
    let effect: Double
    /// The number of samples per cell.
    let iterations: Int

    /// Draws a run.
    init(iterations: Int, in world: World, _ generator: inout SeededGenerator) {
        self.iterations = iterations
        effect = world.deviceEffect * generator.normal()
    }

    /// The effect on one cell, in logarithms.
    func effect(on cell: CellModel, in world: World, _ generator: inout SeededGenerator) -> Double {
        let own = cell.ownEffect(in: world) * generator.normal()
        if case .time = cell { return effect + own }
        return own
    }

    /// A cell's samples, for a known effect.
    func samples(
        of cell: CellModel, effect: Double, change: Change, in world: World, _ generator: inout SeededGenerator
    ) -> [Double] {
        let isBad = world.badNights > 0 && cell.metric.isTime && generator.uniform() < world.badNights
        return (0..<iterations).map { iteration in
            let sample = cell.sample(
                effect: effect, change: change.of(iteration, among: iterations), in: world, &generator)
            return isBad && generator.uniform() < 0.5 ? 3 * sample : sample
        }
    }

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

    /// A Poisson number with mean `mean`, at least 0: by multiplying uniform numbers (D. E. Knuth), in time
    /// proportional to the mean.
    package mutating func poisson(_ mean: Double) -> Int {
        guard mean > 0 else { return 0 }
        // The exponential of a larger one is 0.
        if mean > 500 { return poisson(mean / 2) + poisson(mean / 2) }
        let limit = exp(-mean)
        var (count, product) = (0, uniform())
        while product > limit {
            count += 1
            product *= uniform()
        }
        return count
    }

    /// A gamma number with this shape, above 0, and mean 1.
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

    /// A negative binomial count with this mean and shape: its variance is mean + mean² / shape, at least 0.
    package mutating func negativeBinomial(mean: Double, shape: Double) -> Int {
        poisson(mean * gamma(shape: shape))
    }

    /// A number in a range above 0 with uniform logarithm.
    package mutating func logUniform(_ range: ClosedRange<Double>) -> Double {
        exp(uniform(log(range.lowerBound)...log(range.upperBound)))
    }
}

/// The measurements before a verdict: the baseline's runs, the candidate's first look, and the confirming runs.
package struct Plan: Sendable, Hashable {
    /// The baseline's runs; 1 or more.
    package var baselineRuns: Int
    /// The samples of each cell in each of them; 1 or more.
    package var baselineIterations: Int
    /// The samples of each cell in the candidate's first look; 1 or more.
    package var firstLook: Int
    /// The samples of each cell in each confirming run.
    package var confirming: [Int] = [10, 10]

    /// The plan in a few words, such as `10×5, 5`.
    package var title: String { "\(baselineRuns)×\(baselineIterations), \(firstLook)" }
}
