import LibC
import PerfgateModel
import SeededRandom

/// A team whose nightly runs grow a store: its pages, and how much its measurements vary.
package struct StoreTeam: Sendable {
    /// The team in a few words.
    let title: String
    /// The number of times, at least those of a page.
    private let times: Int
    private let counts: [Metric]
    /// The noise by run of the times of one page, a standard deviation in logarithms; `nil`: as of all others.
    private let noisy: Double?
    /// Whether samples differ more than in the documented world.
    private let isRough: Bool

    /// The metrics of the times of each page; the last page may have fewer.
    private static let timesOfPage = [Metric(.ttfl), Metric(.ttil), Metric(.alt)]

    /// M = 41, with 16 times on six pages; the three of one page vary by 15 % between runs.
    package static func small(isRough: Bool = false) -> StoreTeam {
        StoreTeam(
            title: "41, one page at 15 %", times: 16,
            counts: [
                Metric(.dropEvents), Metric(.droppedFrames), .hitches,
                Metric(id: "janky_frames", unit: .frames, better: .lower),
            ], noisy: 0.15, isRough: isRough)
    }

    /// M = 501, with 300 times on 100 pages.
    package static func large(isRough: Bool = false) -> StoreTeam {
        StoreTeam(
            title: "501", times: 300, counts: [Metric(.dropEvents), Metric(.droppedFrames)], noisy: nil,
            isRough: isRough)
    }

    /// The index of the first time, and of the first count, of the first page: the ones that may change.
    func changing(isCount: Bool) -> Int { isCount ? Self.timesOfPage.count : 0 }

    /// The world with the noise of runs in percent: of all times together, and of each time.
    func world(_ noise: (common: Double, page: Double)) -> World {
        var world = World()
        (world.deviceEffect, world.pageEffect) = (noise.common / 100, noise.page / 100)
        guard isRough else { return world }
        world.level = 150...2_500
        (world.outlierShare, world.outlierFactor) = (0.04, 1.35...3.3)
        return world
    }

    /// The cells, page by page: times, then counts.
    func cells(in world: World, _ generator: inout SeededGenerator) -> [StoreCell] {
        let (perPage, full) = (Self.timesOfPage.count, times / Self.timesOfPage.count)
        var cells: [StoreCell] = []
        for page in 0..<((times + perPage - 1) / perPage) {
            let share = page == full - 1 ? noisy.map { $0 / world.pageEffect } : nil
            for metric in Self.timesOfPage.prefix(times - page * perPage) {
                let spread = isRough ? generator.roughSpread() : generator.uniform(world.spread)
                let time = CellModel.time(
                    level: generator.logUniform(world.level), spread: spread, ownShare: share ?? 1)
                cells.append(StoreCell(page, metric, time, isNoisy: share != nil))
            }
            for metric in counts {
                let model = metric.unit == .frames ? world.droppedFrames(&generator) : world.dropEvents(&generator)
                cells.append(StoreCell(page, metric, model, isNoisy: false))
            }
        }
        return cells
    }
}

extension SeededGenerator {
    /// A spread within runs that differs much between times: log-normal around .07, from .03 to .2.
    fileprivate mutating func roughSpread() -> Double { min(0.2, max(0.03, 0.07 * exp(0.4 * normal()))) }
}

/// One cell of a team, with the distribution of its samples.
struct StoreCell: Sendable {
    /// The page, the metric and the environment.
    let cell: Cell
    let metric: Metric
    /// The distribution.
    var model: CellModel
    /// Whether it varies more between runs than the others.
    let isNoisy: Bool

    init(_ page: Int, _ metric: Metric, _ model: CellModel, isNoisy: Bool) {
        cell = Cell(page: Page("Page \(page)"), metric: metric.id, environment: Environment([]))
        self.metric = metric
        self.model = model
        self.isNoisy = isNoisy
    }
}

/// What happens to a team's first time, or first count, during the nights.
enum StoreEvent: Sendable {
    /// Nothing.
    case none
    /// A change from a night on, from 1, that nobody accepts.
    case step(Change, from: Int)
    /// A change that comes back: in a night, and for good from two nights after it.
    case returning(Change, from: Int)
    /// A time that grows by this fraction every night, from a night on.
    case drift(Double, from: Int)

    /// The change that a run of a night measures.
    func change(on night: Int) -> Change {
        switch self {
        case .none: .none
        case .step(let change, let first): night >= first ? change : .none
        case .returning(let change, let first): night >= first && night != first + 1 ? change : .none
        case .drift(let rate, let first): night >= first ? .slower(pow(1 + rate, Double(night - first + 1)) - 1) : .none
        }
    }
}
