import ArgumentParser
import Foundation
import PagePerformance
import PerfgateCompare
import PerfgateFiles
import PerfgateModel
import PageSimulator

struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Plays scripted pages through the recorder, and writes its log.",
        discussion: """
            The app is a shop whose pages are always the same; another --seed gives another measurement of it. The \
            same arguments give the same bytes. --inject makes pages worse: drop:N stalls every scroll for N frames; \
            load, layout, append and image are delayed by this many ms; leave leaves the page before its content is \
            there; kill kills the app in the page's last visit.

            EXAMPLE
              perfgate simulate --pages 30 --iterations 10 --runs 10 --out main
              perfgate baseline update main
              perfgate simulate --seed 1 --inject Search=drop:3 | perfgate check -
              perfgate simulate --field --inject Search=ttil:+20%@7.129 --out events
              perfgate field rollup events

            --field writes what users would send instead: an event per visit of a page, by Zipf's law, over days in \
            which one release after another reaches them; --inject multiplies a time from a release on.
            """)

    @Option(help: .taking("count", "How many pages the app has. (default: 5)")) var pages: Int?
    @Option(help: .taking("name", "A page by its name, instead of --pages; may be given several times."))
    var page: [String] = []
    @Option(help: .taking("count", "How often a run visits each page.")) var iterations = 5
    @Option(help: .taking("count", "How many runs to play, each a day after the one before.")) var runs = 1
    @Option(help: .taking("count", "How many app launches a run has; if there are several, the test ends each."))
    var launches = 1
    @Option(help: .taking("number", "The seed of the noise.")) var seed: UInt64 = 0
    @Option(help: .taking("text", "The runs' name; several are numbered. (default: sim-SEED)")) var name: String?
    @Option(help: .taking(InjectedChange.syntax, "What to make worse; may be given several times."))
    var inject: [String] = []
    @Option(name: .customLong("out"), help: .taking("folder", "The folder for the logs, or - for standard output."))
    var folder = "-"
    @Option(help: .taking("percent", "How much runs differ in all their times.")) var runNoise = 1.5
    @Option(help: .taking("percent", "How much runs differ in the times of a single page.")) var pageNoise = 0.0
    @Option(help: .taking("percent", "How much slower the device is than usual.")) var slower = 0.0
    @Flag(help: "Log each frame too.") var ticks = false
    @OptionGroup(title: "Environment") var environment: SimulatedEnvironment
    @OptionGroup(title: "Field") var users: SimulatedUsers

    func validate() throws {
        try users.validate(changes: inject, pages: simulatedPages.map(\.name), folder: folder)
        guard !users.field else { return }
        let counts = [("pages", pages ?? 5), ("iterations", iterations), ("runs", runs), ("launches", launches)]
        for (name, value) in counts where !(1...10_000).contains(value) {
            throw ValidationError("'--\(name) \(value)' is not from 1 to 10000.")
        }
        let shares = [("run-noise", runNoise), ("page-noise", pageNoise), ("slower", slower)]
        for (name, value) in shares where !(0...100).contains(value) {
            throw ValidationError("'--\(name) \(value)' is not from 0 to 100.")
        }
        if pages != nil, !page.isEmpty { throw ValidationError("Give --pages or --page, not both.") }
        if page.contains("") || Set(page).count < page.count {
            throw ValidationError("Each --page needs a different name.")
        }
        if name?.isEmpty == true { throw ValidationError("'--name' needs a name.") }
        let names = Set(simulatedPages.map(\.name))
        for text in inject {
            guard let change = InjectedChange(text) else {
                throw ValidationError("'--inject \(text)' is not a change. Write it as \(InjectedChange.syntax).")
            }
            guard names.contains(change.page) else {
                throw ValidationError("'--inject \(text)': none of the \(names.count) pages has this name.")
            }
        }
    }

    func run() throws {
        guard !users.field else { return try users.write(inject, simulatedPages, environment, seed: seed, to: folder) }
        let simulation = simulation
        try checkThatNothingIsThere(simulation)
        for number in 0..<simulation.runs { try simulation.play(run: number, to: sink) }
        guard folder != "-" else { return }
        let counts = "\(Figure.count(runs, "run")), \(Figure.count(iterations, "iteration"))"
        StandardStream.output.tell("\(folder): \(counts) of \(Figure.count(simulation.pages.count, "page")) each.")
    }

    private var simulatedPages: [SimulatedPage] {
        page.isEmpty ? SimulatedPage.shop(pages ?? 5) : page.map(SimulatedPage.init(name:))
    }

    private var simulation: Simulation {
        var simulation = Simulation(pages: simulatedPages, startedAt: environment.startTime)
        (simulation.runs, simulation.name, simulation.seed) = (runs, name, seed)
        (simulation.iterations, simulation.launches) = (iterations, launches)
        simulation.runNoise = runNoise / 100
        (simulation.pageNoise, simulation.slowness) = (pageNoise / 100, slower / 100)
        simulation.changes = inject.compactMap(InjectedChange.init)
        (simulation.logsTicks, simulation.cutsLines) = (ticks, folder != "-")
        (simulation.app, simulation.device) = (environment.appFacts, environment.deviceFacts)
        return simulation
    }

    private var sink: any LogSink {
        folder == "-" ? ClosureSink { StandardStream.output.stream(Array(($0 + "\n").utf8)) } : FileSink(folder: folder)
    }

    /// Throws if a part exists: it would become part of a run with the same name.
    private func checkThatNothingIsThere(_ simulation: Simulation) throws(CommandError) {
        guard folder != "-" else { return }
        let sink = FileSink(folder: folder)
        for number in 0..<simulation.runs {
            let path = sink.path(run: simulation.runID(number), part: "launch-1")
            if FileManager.default.fileExists(atPath: path) {
                throw CommandError(.cannotWrite, "\(path) already exists. Remove it, or give another folder or seed.")
            }
        }
    }
}

struct SimulatedUsers: ParsableArguments {
    @Flag(help: "Write events of users instead of test runs.") var field = false
    @Option(help: .taking("count", "The number of days, from --started-at on.")) var days = 14
    @Option(help: .taking("count", "How many events per day.")) var events = 20_000
    @Option(help: .taking("count", "How many users.")) var users = 5_000
    @Option(help: .taking("version", "A release, oldest first; given several times. (default: 7.117 and 7.129)"))
    var release: [String] = []
    @Option(help: .taking("who", "Who installs a new release first: any, or people with fast or slow devices."))
    var adopters = FieldSimulation.Adopters.any

    private var releases: [String] { release.isEmpty ? ["7.117", "7.129"] : release }

    func validate(changes: [String], pages: [String], folder: String) throws {
        guard field else {
            if !release.isEmpty { throw ValidationError("'--release' needs '--field'. Give that too.") }
            return
        }
        let counts = [("days", days, 1_000), ("events", events, 100_000_000), ("users", users, 5_000_000)]
        for (name, value, most) in counts where !(1...most).contains(value) {
            throw ValidationError("'--\(name) \(value)' is not from 1 to \(most).")
        }
        if releases.contains("") || Set(releases).count < releases.count {
            throw ValidationError("Each --release needs a different name.")
        }
        for text in changes {
            guard let change = FieldChange(text) else {
                throw ValidationError(
                    "'--inject \(text)' is not a change of users' times. Write it as \(FieldChange.syntax).")
            }
            guard pages.contains(change.page) else {
                throw ValidationError("'--inject \(text)': none of the \(pages.count) pages has this name.")
            }
            guard releases.contains(change.release) else {
                throw ValidationError("'--inject \(text)': no --release is called \(change.release).")
            }
        }
    }

    /// Writes the events: one file per day into a folder, or everything to standard output.
    func write(
        _ changes: [String], _ pages: [SimulatedPage], _ environment: SimulatedEnvironment, seed: UInt64,
        to folder: String
    ) throws {
        let start = Int(environment.startTime.count / 86_400_000_000_000)
        var simulation = FieldSimulation(pages: pages, firstDay: start)
        (simulation.days, simulation.events, simulation.users) = (days, events, users)
        (simulation.releases, simulation.adopters, simulation.seed) = (releases, adopters, seed)
        simulation.changes = changes.compactMap(FieldChange.init)
        simulation.app = environment.app
        let audience = simulation.audience()
        for day in 0..<days {
            guard folder != "-" else {
                simulation.play(day: day, for: audience) { StandardStream.output.stream($0) }
                continue
            }
            let name = Timestamp(secondsSince1970: (start + day) * 86_400).text.prefix(10)
            var bytes: [UInt8] = []
            simulation.play(day: day, for: audience) { bytes += $0 }
            try FileAccess.makeFolder(folder)
            let path = "\(folder)/\(name).ndjson"
            guard !FileAccess.exists(path) else {
                throw CommandError(.cannotWrite, "\(path) already exists. Remove it, or give another folder.")
            }
            try FileAccess.replace(path, with: bytes)
        }
        guard folder != "-" else { return }
        StandardStream.output.tell("\(folder): \(Figure.count(days, "day")) of \(Figure.count(events, "event")) each.")
    }
}

extension FieldSimulation.Adopters: ExpressibleByArgument {}

struct SimulatedEnvironment: ParsableArguments {
    @Option(help: .taking("identifier", "The app.")) var app = "com.example.shop"
    @Option(help: .taking("version", "The version of the app.")) var appVersion = "7.129.0"
    @Option(help: .taking("hash", "The commit that the app was built from.")) var commit: String?
    @Option(help: .taking("configuration", "The build configuration.")) var build = "Release"
    @Option(help: .taking("model", "The device's model.")) var device = "iPhone12,1"
    @Option(help: .taking("system", "The operating system and its version.")) var os = "iOS 17.5"
    @Option(help: .taking("hertz", "The display's refresh rate in Hz, from 1 to 1000.")) var maxFps = 60.0
    @Flag(help: "The device is a simulator.") var simulator = false
    @Option(help: .taking("time", "When the first run began, in ISO 8601.")) var startedAt = "2026-01-01T00:00:00Z"

    func validate() throws {
        if !(1...1_000).contains(maxFps) { throw ValidationError("'--max-fps \(maxFps)' is not from 1 to 1000.") }
        if time == nil {
            throw ValidationError("'--started-at \(startedAt)' isn't a time like 2026-01-01T00:00:00Z, 1970 to 2499.")
        }
    }

    /// When the first run began, since 1970.
    var startTime: Nanoseconds { time ?? .zero }
    var appFacts: AppFacts { AppFacts(identifier: app, version: appVersion, build: build, commit: commit) }
    var deviceFacts: DeviceFacts { DeviceFacts(model: device, isSimulator: simulator, system: os, maxFPS: maxFps) }

    private var time: Nanoseconds? {
        guard let time = Timestamp(startedAt), time.seconds >= 0, time < Timestamp(secondsSince1970: 16_725_225_600)
        else { return nil }
        return .seconds(UInt64(time.seconds))
    }
}
