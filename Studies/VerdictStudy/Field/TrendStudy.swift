import Foundation
import LibC
import PagePerformance
import PageSimulator
import PerfgateCompare
import PerfgateField
import PerfgateIngest
import PerfgateKit
import PerfgateModel
import SeededRandom

/// The false alarms and the power of `perfgate trend` and `perfgate field trend` over whole histories, in Markdown.
package struct TrendStudy: Sendable {
    /// The origin of the histories of a line.
    package enum World: Sendable {
        /// The simulated shop, through the recorder and the reader of its logs; runs of a page differ by this much.
        case recorder(pageNoise: Double)
        /// Times and counts of the world of verdicts; `resemblance` is the autocorrelation of runs.
        case drawn(VerdictStudy.World, resemblance: Double)
        /// Mostly equal values: lowest frame rates, rates that are usually 0, times in whole frames.
        case grains
        /// The events of the simulated shop's users, through a roll-up, with these many a day.
        case field(events: Int)
    }

    package static let worlds: [(title: String, world: World)] = {
        var rough = VerdictStudy.World()
        (rough.outlierShare, rough.badNights, rough.pageEffectSpread) = (0.05, 0.03, 0.5)
        return [
            ("simulated app, runs differ by 1.5 %", .recorder(pageNoise: 0)),
            ("… and pages of a run by 4 %", .recorder(pageNoise: 0.04)),
            ("times and counts, runs differ by 3.2 %", .drawn(VerdictStudy.World(), resemblance: 0)),
            ("… rough: outliers, bad nights, pages that vary", .drawn(rough, resemblance: 0)),
            ("… neighbouring runs resemble each other, AR .5", .drawn(VerdictStudy.World(), resemblance: 0.5)),
            ("mostly equal values and zeros", .grains),
            ("users, 1,200 events a day", .field(events: 1_200)),
            ("users, 6,000 events a day", .field(events: 6_000)),
        ]
    }()

    private let seed: UInt64
    private let histories: Int

    /// A study with this many histories per line.
    package init(seed: UInt64, histories: Int) {
        self.seed = seed
        self.histories = histories
    }

    /// Prints the lines of these worlds, by index.
    package func write(_ worlds: [Int], _ line: (String) -> Void) throws {
        line(
            "| histories | fails without a change | any finding, gated or not | +20 % found | found below the smallest change |"
        )
        line("|---|---|---|---|---|")
        for index in worlds {
            let (title, world) = Self.worlds[index]
            var tallies = Array(repeating: Tally(), count: 4)
            for number in 0..<histories {
                var generator = SeededGenerator(seed: seed, stream: UInt64(number) << 6 | UInt64(index))
                let history = try History(world, pages: number % 2 == 0 ? 12 : 40, &generator)
                let plain = try history.report()
                tallies[0].count(plain.hasDrift)
                tallies[1].count(plain.groups.contains { !$0.findings.isEmpty })
                if let changed = try history.report(slower: 0.2) {
                    tallies[2].count(changed.groups.contains { $0.findings.contains(where: history.isInjected) })
                }
                let small = plain.groups.flatMap(\.graphs).flatMap(\.series.changes).contains { change in
                    let least = MetricCatalog.definition(of: change.metric)?.minChange(at: nil) ?? 0
                    return abs(change.after - change.before) < least * 0.999_999
                }
                tallies[3].count(small)
            }
            line("| \(title) | \(tallies.map { $0.trials > 0 ? Tally.text([$0]) : "–" }.joined(separator: " | ")) |")
        }
    }
}

/// One history: its runs, or its users' days.
private struct History {
    private enum Content {
        case runs(Measurements)
        case days(FieldSimulation)
    }

    private static let page = Page("Home")
    private let content: Content
    /// The first place with the change.
    private let place: Int

    init(_ world: TrendStudy.World, pages: Int, _ generator: inout SeededGenerator) throws {
        let isField = if case .field = world { true } else { false }
        let length = isField ? 28 + Int(generator.uniform(0...57)) : 16 + Int(generator.uniform(0...75))
        place = Int(Double(length) * generator.uniform(0.35...0.65))
        switch world {
        case .recorder(let pageNoise):
            var simulation = Simulation(pages: SimulatedPage.shop(pages), startedAt: .seconds(1_767_225_600))
            (simulation.runs, simulation.seed, simulation.pageNoise) = (length, generator.next(), pageNoise)
            content = .runs(try Self.played(simulation))
        case .drawn(let world, let resemblance):
            let models = world.cells(pages: pages, &generator)
            content = .runs(
                Self.drawn(models, pages, length, in: world, resemblance, &generator))
        case .grains:
            content = .runs(Self.grains(pages, length, &generator))
        case .field(let events):
            var simulation = FieldSimulation(pages: SimulatedPage.shop(pages), firstDay: 20_454)
            (simulation.days, simulation.events, simulation.seed) = (length, events, generator.next())
            simulation.releases = (0..<max(1, length / 14)).map { "7.\($0)" }
            content = .days(simulation)
        }
    }
}

extension History {
    /// Whether a finding contains the injected change, within three runs of it; of users' days, at any time, since the
    /// release reaches them slowly.
    func isInjected(_ finding: DriftFinding) -> Bool {
        finding.changes.contains { change in
            let isNear = if case .runs = content { abs(change.first - place - 1) <= 3 } else { true }
            return change.page == Self.page && change.metric.hasPrefix("ttil") && change.isWorse && isNear
        }
    }

    /// The report, with a slower time to initial load of a page from some place on; `nil` if nothing has that time.
    func report(slower: Double = 0) throws -> TrendReport? {
        switch content {
        case .runs(let measurements):
            guard slower == 0 || measurements.cells.keys.contains(where: isChanged) else { return nil }
            var trends = RunTrends(tool: "study")
            trends.add(
                CollectedRuns(slower > 0 ? changed(measurements, by: 1 + slower) : measurements, policy: Policy()))
            return try trends.report()
        case .days(var simulation):
            if slower > 0 {
                let release = simulation.releases[simulation.releases.count / 2]
                let text = "\(Self.page.name)=ttil:+\(Int((100 * slower).rounded()))%@\(release)"
                simulation.changes = FieldChange(text).map { [$0] } ?? []
            }
            return try Self.rolledUp(simulation)
        }
    }

    func report() throws -> TrendReport { try report(slower: 0) ?? TrendReport(tool: "study", groups: []) }

    private func isChanged(_ cell: Cell) -> Bool { cell.page == Self.page && cell.metric == "ttil" }

    private func changed(_ measurements: Measurements, by factor: Double) -> Measurements {
        let slow = Set(
            measurements.runs.sorted { ($0.startedAt ?? "") < ($1.startedAt ?? "") }.dropFirst(place).map(\.id))
        var result = measurements
        for (cell, measured) in measurements.cells where isChanged(cell) {
            result.cells[cell] = CellMeasurement(
                metric: measured.metric,
                runs: measured.runs.map { run in
                    slow.contains(run.run)
                        ? RunSamples(run: run.run, samples: run.values.map { Sample($0 * factor) }) : run
                })
        }
        return result
    }

    /// Calls a function with a folder for the time of the call.
    private static func inFolder<Result>(_ work: (String) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("trend-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try work(folder.path)
    }

    private static func played(_ simulation: Simulation) throws -> Measurements {
        try inFolder { folder in
            for number in 0..<simulation.runs { try simulation.play(run: number, to: FileSink(folder: folder)) }
            return Ingest().read([folder])
        }
    }

    private static func rolledUp(_ simulation: FieldSimulation) throws -> TrendReport {
        try inFolder { folder in
            let audience = simulation.audience()
            for day in 0..<simulation.days {
                var bytes: [UInt8] = []
                simulation.play(day: day, for: audience) { bytes += $0 }
                try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(day).ndjson"))
            }
            let store = FieldStore(folder: "\(folder)/Field")
            _ = try FieldRollUp.run(["\(folder)/*.ndjson"], FieldOptions(), into: store)
            return try FieldTrends(tool: "study").report(of: store)
        }
    }

    private static let environment = Environment([])

    private static func runs(
        _ count: Int, _ cells: [(page: Int, metric: Metric, samples: [[Double]])]
    ) -> Measurements {
        let ids = (0..<count).map { "r\($0)" }
        let runs = ids.indices.map { number in
            let start = Timestamp(secondsSince1970: 1_767_225_600 + 86_400 * number).text
            return Run(id: ids[number], context: Context(["started_at": .text(start)]), streams: [])
        }
        var measured: [Cell: CellMeasurement] = [:]
        for cell in cells {
            let page = Page(cell.page == 0 ? Self.page.name : "page \(cell.page)")
            measured[Cell(page: page, metric: cell.metric.id, environment: environment)] = CellMeasurement(
                metric: cell.metric,
                runs: zip(ids, cell.samples).map { RunSamples(run: $0, samples: $1.map { Sample($0) }) })
        }
        return Measurements(runs: runs, cells: measured)
    }

    /// The samples of five iterations a run.
    private static let iterations = 5

    private static func drawn(
        _ models: [CellModel], _ pages: Int, _ count: Int, in world: World, _ resemblance: Double,
        _ generator: inout SeededGenerator
    ) -> Measurements {
        func effects(_ deviation: Double) -> [Double] {
            var last = generator.normal()
            return (0..<count).map { number in
                let own = generator.normal()
                if number > 0 { last = resemblance * last + (1 - resemblance * resemblance).squareRoot() * own }
                return deviation * last
            }
        }
        let times = [Metric(.ttil), Metric(.ttfl), Metric(.alt)]
        let device = effects(world.deviceEffect)
        let cells = models.enumerated().map { index, model in
            let own = effects(model.ownEffect(in: world))
            let place = index % World.cellsPerPage
            let isTime = model.metric.isTime
            let samples = (0..<count).map { number in
                DeviceRun(iterations: iterations, in: world, &generator).samples(
                    of: model, effect: own[number] + (isTime ? device[number] : 0), change: .none, in: world,
                    &generator)
            }
            return (
                page: index / World.cellsPerPage, metric: isTime ? times[(place + 1) % 3] : model.metric,
                samples: samples
            )
        }
        return runs(count, cells)
    }

    private static func grains(_ pages: Int, _ count: Int, _ generator: inout SeededGenerator) -> Measurements {
        func cell(_ page: Int, _ metric: Metric, _ sample: (inout SeededGenerator) -> Double)
            -> (page: Int, metric: Metric, samples: [[Double]])
        {
            let samples = (0..<count).map { _ in (0..<iterations).map { _ in sample(&generator) } }
            return (page, metric, samples)
        }
        let cells = (0..<pages).flatMap { page in
            let rare = generator.logUniform(0.01...0.5)
            return [
                cell(page, Metric(.fpsMin)) { $0.uniform() < rare ? [30, 20, 15][Int($0.uniform(0...2.99))] : 60 },
                cell(page, Metric(.hitchRatio)) { $0.uniform() < rare ? exp(1 + $0.normal()) : 0 },
                cell(page, Metric(.hangRate)) { $0.uniform() < rare ? exp(3 + $0.normal()) : 0 },
                cell(page, Metric(FrameMetric.scrollThreadHang)) {
                    $0.uniform() < rare ? 16.67 * Double(1 + $0.poisson(1)) : 0
                },
                cell(page, Metric(.ttfl)) { $0.uniform() < rare ? 66.67 : 50 },
                cell(page, .loadFailures) { $0.uniform() < rare / 3 ? 1 : 0 },
            ]
        }
        return runs(count, cells)
    }
}
