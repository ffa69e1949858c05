#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import Testing
import SeededRandom

@testable import VerdictStudy

/// Measurements match the world's documentation.
struct WorldTests {
    @Test func aPageHasFiveCells() {
        var generator = SeededGenerator(seed: 1)
        let cells = World().cells(pages: 3, &generator)
        #expect(cells.count == 3 * World.cellsPerPage)
        let page = ["dropped_frames", "drop_events", "ttil", "ttil", "ttil"]
        #expect(cells.map(\.metric.id) == page + page + page)
    }

    /// The standard deviation between runs of the logarithms of times, without noise within a run.
    @Test func runsDifferAsSaid() {
        var generator = SeededGenerator(seed: 2)
        var world = World()
        world.outlierShare = 0
        let logarithms = (0..<4_000).map { _ -> Double in
            let run = DeviceRun(iterations: 1, in: world, &generator)
            return log(run.samples(of: .time(level: 500, spread: 0), in: world, &generator)[0] / 500)
        }
        #expect(abs(logarithms.mean) < 0.002)
        #expect(abs(logarithms.deviation - 0.032) < 0.001)
    }

    /// A run's effect moves all its times together: covariance .02².
    @Test func aRunMovesItsTimesTogether() {
        var generator = SeededGenerator(seed: 3)
        let world = World()
        let cell = CellModel.time(level: 500, spread: 0.05)
        let products = (0..<8_000).map { _ -> Double in
            let run = DeviceRun(iterations: 1, in: world, &generator)
            return run.effect(on: cell, in: world, &generator) * run.effect(on: cell, in: world, &generator)
        }
        #expect(abs(products.mean - 0.0004) < 0.00005)
    }

    @Test func changesDoWhatTheySay() {
        let world = World()
        func mean(_ cell: CellModel, _ change: Change) -> Double {
            var generator = SeededGenerator(seed: 4)
            return (0..<4_000).map { _ in cell.sample(effect: 0, change: change, in: world, &generator) }.mean
        }
        let time = CellModel.time(level: 500, spread: 0.07)
        #expect(abs(mean(time, .slower(0.2)) / mean(time, .none) - 1.2) < 1e-9)
        let events = CellModel.dropEvents(mean: 1, shape: 4)
        #expect(abs(mean(events, .moreEvents(2)) - mean(events, .none) - 2) < 0.1)
        let frames = CellModel.droppedFrames(none: 1, more: 0)
        #expect(abs(mean(frames, .newHitch(2)) - mean(frames, .none) - 2 * world.hitchShare) < 0.1)
        #expect(mean(frames, .none) > 0.02)
    }
}
