import Foundation
import PagePerformance
import PerfgateIngest
import PerfgateModel
import Testing

@testable import PageSimulator

/// The simulated app's log, as the gate reads it.
struct SimulationTests {
    private static func page(_ change: (inout SimulatedPage) -> Void = { _ in }) -> SimulatedPage {
        var page = SimulatedPage(name: "List")
        page.layout = .milliseconds(40)
        page.load = .milliseconds(400)
        page.paging = .atBottom
        page.append = .milliseconds(200)
        page.images = 2
        page.imageLoad = .milliseconds(100)
        page.dropRate = 0
        change(&page)
        return page
    }

    private static func simulation(_ change: (inout Simulation) -> Void = { _ in }) -> Simulation {
        var simulation = Simulation(pages: [page(), SimulatedPage(name: "Other")])
        change(&simulation)
        return simulation
    }

    /// The bytes of a run's parts, in order.
    static func text(_ simulation: Simulation, run: Int = 0) throws -> String {
        let lines = Collected()
        try simulation.play(run: run, to: lines.sink)
        return lines.text
    }

    private static func read(_ change: (inout Simulation) -> Void = { _ in }) throws -> Measurements {
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try simulation(change).play(run: 0, to: FileSink(folder: folder))
        return Ingest().read([folder])
    }

    private static func mean(_ read: Measurements, _ page: String, _ metric: String) throws -> Double {
        let values = try #require(
            read.cells.first { $0.key.page.name == page && $0.key.metric == metric }?.value.values)
        return values.reduce(0, +) / Double(values.count)
    }

    @Test(arguments: [false, true])
    func theSameSettingsGiveTheSameBytes(logsTicks: Bool) throws {
        let simulation = Self.simulation { $0.logsTicks = logsTicks }
        let text = try Self.text(simulation)
        #expect(try Self.text(simulation) == text)
        #expect(try Self.text(simulation, run: 1) != text)
        #expect(
            try Self.text(
                Self.simulation {
                    $0.seed = 1; $0.logsTicks = logsTicks
                }) != text)
    }

    @Test func theLogIsSoundAndComplete() throws {
        let read = try Self.read()
        #expect(read.diagnostics.isEmpty)
        #expect(read.runs.map(\.id) == ["sim-0-1"])
        #expect(read.runs.first?.startedAt == "1970-01-01T00:00:00Z")
        let environment = try #require(read.environments.first)
        #expect(environment.fields.map(\.text) == ["com.example.shop", "iPhone12,1", "iOS 17", "60", "Release"])
        for (cell, measurement) in read.cells {
            #expect(measurement.iterations == ["sim-0-1": [0, 1, 2, 3, 4]], "\(cell)")
        }
    }

    @Test func metricsAreWhatThePageIs() throws {
        let read = try Self.read()
        #expect(try abs(Self.mean(read, "List", "ttfl") - 40) < 4)
        // The next frame draws the content, at most 17 ms later.
        #expect(try (390...440).contains(Self.mean(read, "List", "ttil")))
        #expect(try (180...240).contains(Self.mean(read, "List", "alt")))
        #expect(try (90...110).contains(Self.mean(read, "List", "rclt")))
        #expect(try Self.mean(read, "List", "dropped_frames") == 0)
        #expect(try Self.mean(read, "List", "hang_rate") == 0)
    }

    @Test func aListThatPrefetchesHasNothingToWaitFor() throws {
        let read = try Self.read { $0.pages[0].paging = .prefetched }
        #expect(try Self.mean(read, "List", "alt") == 0)
        let slow = try Self.read {
            $0.pages[0].paging = .prefetched
            $0.changes = [InjectedChange(page: "List", effect: .slow(.append, by: .milliseconds(600)))]
        }
        #expect(try Self.mean(slow, "List", "alt") > 100)
    }

    @Test(arguments: [1, 3, 20])
    func aStallDropsItsFramesInEveryScroll(frames: Int) throws {
        for logsTicks in [false, true] {
            let read = try Self.read {
                $0.logsTicks = logsTicks
                $0.changes = [InjectedChange(page: "List", effect: .drop(frames: frames))]
            }
            #expect(try Self.mean(read, "List", "dropped_frames") == Double(frames))
            #expect(try Self.mean(read, "List", "drop_events") == 1)
            #expect(try (Self.mean(read, "List", "hang_rate") > 0) == (frames > 14))
        }
    }

    @Test(arguments: [
        ("load:250", "ttil", 250.0), ("layout:60", "ttfl", 60), ("append:150", "alt", 150), ("image:130", "rclt", 130),
    ])
    func aChangeMovesItsMetricAndNoOther(effect: String, metric: String, amount: Double) throws {
        let before = try Self.read()
        let change = try #require(InjectedChange("List=\(effect)"))
        let after = try Self.read { $0.changes = [change] }
        let metrics: Set = ["ttil", "ttfl", "alt", "rclt", "dropped_frames"]
        for (cell, measurement) in before.cells where metrics.contains(cell.metric) && !measurement.values.isEmpty {
            let moved =
                try Self.mean(after, cell.page.name, cell.metric) - Self.mean(before, cell.page.name, cell.metric)
            let expected = cell.page.name == "List" && cell.metric == metric ? amount : 0
            // Loads end with a frame.
            #expect(abs(moved - expected) < 17, "\(cell.page) \(cell.metric)")
        }
    }

    @Test func aPageThatIsLeftEarlyHasNoLoad() throws {
        let read = try Self.read { $0.changes = [InjectedChange(page: "List", effect: .leave)] }
        #expect(try Self.mean(read, "List", "ttfl") > 0)
        #expect(
            !read.cells.contains { $0.key.page.name == "List" && $0.key.metric == "ttil" && !$0.value.runs.isEmpty })
        #expect(try Self.mean(read, "Other", "ttil") > 0)
    }

    @Test func aKillCutsTheLastLineAndTheNextLaunchGoesOn() throws {
        let read = try Self.read { $0.changes = [InjectedChange(page: "List", effect: .kill)] }
        let streams = try #require(read.runs.first).streams
        #expect(streams.map(\.part) == ["launch-1", "launch-2"])
        // The killed launch had announced an end line.
        #expect(streams.map(\.faults.count) == [1, 0])
        #expect(read.diagnostics.map(\.code) == [.cutLastLine, .missingEnd])
        let samples = { (page: String) in
            read.cells.first { $0.key.page.name == page && $0.key.metric == "ttil" }?.value.values.count
        }
        // The page had loaded before the kill, so the log contains its load time.
        #expect(samples("List") == 5)
        #expect(samples("Other") == 5)
    }

    @Test(arguments: [(5, 1, [5]), (5, 2, [3, 2]), (6, 3, [2, 2, 2]), (2, 9, [1, 1])])
    func launchesShareTheIterations(iterations: Int, launches: Int, expected: [Int]) throws {
        let text = try Self.text(
            Self.simulation {
                $0.iterations = iterations
                $0.launches = launches
            })
        let counts = text.split(separator: "\n").reduce(into: [Int]()) { counts, line in
            if line.hasPrefix(#"{"type":"run""#) { counts.append(0) }
            if line.hasPrefix(#"{"type":"state""#) { counts[counts.count - 1] += 1 }
        }
        #expect(counts == expected)
        #expect(text.contains(#""type":"end""#) == (launches == 1))
    }
}

/// Collects the written lines.
private final class Collected: @unchecked Sendable {
    // `lock` protects `lines`.
    private let lock = NSLock()
    private var lines = ""

    var sink: ClosureSink { ClosureSink { line in self.lock.withLock { self.lines += line + "\n" } } }

    var text: String { lock.withLock { lines } }
}
