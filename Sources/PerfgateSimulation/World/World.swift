import SeededRandom

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The world that simulated runs are measured in: what differs between pages, between runs, and within a run.
///
/// A page has five cells: dropped frames, drop events and three times. A *device run* moves all of its times together
/// (`deviceEffect`: temperature, a system update, the unit itself) and each cell on its own (`pageEffect`, `countEffect`:
/// a server's mood, a cache). Both are normal in logarithms, and independent between runs. For times they add up to
/// τ = √(.02² + .025²) = .032, which is what measured fleets show (2–5 %). Nothing drifts: runs of different days differ
/// by no more than runs of one day.
public struct World: Sendable {
    /// What a device run does to all of its times together: a standard deviation in logarithms.
    public var deviceEffect = 0.02
    /// What it does to one time on its own, likewise.
    public var pageEffect = 0.025
    /// What it does to one count's mean, likewise.
    public var countEffect = 0.1
    /// The chance of an outlier among times.
    public var outlierShare = 0.02
    /// By what an outlier is multiplied.
    public var outlierFactor = 1.2...2.0
    /// The times' levels in ms, log-uniform.
    public var level = 250.0...1_500
    /// The times' spread within a run, in logarithms: uniform.
    public var spread = 0.04...0.1
    /// The chance of an iteration without a dropped frame: uniform.
    public var noFrames = 0.4...0.95
    /// How many more than one frame the others drop on average: uniform.
    public var moreFrames = 0.2...1.2
    /// The chance of a freak among dropped frames: something else held the main thread for once.
    public var freakShare = 0.01
    /// How many frames a freak drops: uniform, rounded down.
    public var freakFrames = 3.0...15
    /// In what share of iterations a new hitch shows.
    public var hitchShare = 0.85
    /// The mean number of drop events: log-uniform.
    public var events = 0.2...4.0
    /// The shape of the number of drop events: at 4 a mean of 2 has a variance of 3.
    public var eventShape = 4.0

    /// The world as it is documented.
    public init() {}

    /// How many cells a page has.
    public static let cellsPerPage = 5

    /// The cells of so many pages, page by page.
    public func cells(pages: Int, _ generator: inout SeededGenerator) -> [CellModel] {
        (0..<pages).flatMap { _ in
            [droppedFrames(&generator), dropEvents(&generator)] + (0..<3).map { _ in time(&generator) }
        }
    }

    /// A time of some page.
    public func time(_ generator: inout SeededGenerator) -> CellModel {
        .time(level: generator.logUniform(level), spread: generator.uniform(spread))
    }

    /// Dropped frames of some page.
    public func droppedFrames(_ generator: inout SeededGenerator) -> CellModel {
        .droppedFrames(none: generator.uniform(noFrames), more: generator.uniform(moreFrames))
    }

    /// Drop events of some page.
    public func dropEvents(_ generator: inout SeededGenerator) -> CellModel {
        .dropEvents(mean: generator.logUniform(events), shape: eventShape)
    }
}
