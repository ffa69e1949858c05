import SeededRandom

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// How one metric of one page comes out, again and again.
public enum CellModel: Sendable, Hashable {
    /// A time: log-normal around `level` ms, with `spread` its standard deviation in logarithms, and now and then an
    /// outlier.
    case time(level: Double, spread: Double)
    /// The most frames dropped at one instant: none with the chance `none`, else 1 and a Poisson number around `more`,
    /// or those of a freak or a new hitch where they are more.
    case droppedFrames(none: Double, more: Double)
    /// The most drop events in a scroll: negative binomial with that mean and shape.
    case dropEvents(mean: Double, shape: Double)

    /// The metric's identifier.
    public var metric: String {
        switch self {
        case .time: "ttil"
        case .droppedFrames: "dropped_frames"
        case .dropEvents: "drop_events"
        }
    }

    /// One sample, at least 0.
    ///
    /// - Parameter effect: What the run does to this cell, in logarithms: 0.03 makes times 3 % longer.
    func sample(effect: Double, change: Change, in world: World, _ generator: inout SeededGenerator) -> Double {
        switch self {
        case .time(let level, let spread):
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
        if case .time = self { return world.pageEffect }
        return world.countEffect
    }
}
