import PagePerformance

/// Plays scripted pages on a simulated device through the real recorder, into a log. The same settings, with the same
/// seed, give the same bytes on every machine. Another seed gives another measurement of the same app and device.
package struct Simulation: Sendable {
    /// The pages, visited in this order in each iteration.
    package var pages: [SimulatedPage]
    /// The number of runs, 1 or more.
    package var runs = 1
    /// The runs' name; `nil`: named by seed. It doesn't affect measurements.
    package var name: String?
    /// The number of visits per page and run, 1 or more.
    package var iterations = 5
    /// The number of app launches per run, 1 or more. A single launch ends by itself and its log promises that, which
    /// a kill breaks; of several, the test ends each.
    package var launches = 1
    package var seed: UInt64 = 0
    /// How much runs differ in all their times, as a standard deviation in logarithms: .015 is 1.5 %.
    package var runNoise = 0.015
    /// The same for a single page of a run.
    package var pageNoise = 0.0
    /// How much slower the device is than usual, as a fraction: .1 is 10 %.
    package var slowness = 0.0
    package var changes: [InjectedChange] = []
    /// Whether each frame is logged too, so gate and recorder both count it.
    package var logsTicks = false
    /// Whether a kill truncates the current line, as in a file; not possible if all parts share one stream.
    package var cutsLines = true
    package var app = AppFacts(identifier: "com.example.shop", version: "7.129.0", build: "Release")
    package var device = DeviceFacts(model: "iPhone12,1", isSimulator: false, system: "iOS 17.5", maxFPS: 60)
    /// The start of the first run, since 1970; each further run starts a day later.
    package var startedAt: Nanoseconds

    package init(pages: [SimulatedPage], startedAt: Nanoseconds = .zero) {
        (self.pages, self.startedAt) = (pages, startedAt)
    }

    /// The name of a run, from 0; with several runs it has a number, padded to the last one's length.
    package func runID(_ number: Int) -> String {
        guard let name else { return seededID(number) }
        guard runs > 1 else { return name }
        let text = String(number + 1)
        return "\(name)-\(String(repeating: "0", count: max(0, String(runs).count - text.count)))\(text)"
    }

    /// The identifier that seeds a run's noise.
    func seededID(_ number: Int) -> String { "sim-\(seed)-\(number + 1)" }

    /// Plays and writes a run, from 0; each launch is a part.
    package func play(run number: Int, to sink: any LogSink) throws(LogSinkError) {
        var player = RunPlayer(self, number: number, sink: sink)
        try player.play()
    }
}

/// Plays one run: launches with iterations with pages.
struct RunPlayer {
    private let simulation: Simulation, number: Int, sink: any LogSink
    /// The slowness of the device in this run, above 0.
    private let pace: Double
    private var launchNumber = 0
    private var launch: SimulatedLaunch?

    init(_ simulation: Simulation, number: Int, sink: any LogSink) {
        (self.simulation, self.number, self.sink) = (simulation, number, sink)
        var noise = NamedRandom(seed: simulation.seed, simulation.seededID(number), "pace")
        pace = noise.factor(deviation: simulation.runNoise) * (1 + simulation.slowness)
    }

    mutating func play() throws(LogSinkError) {
        for iteration in 0..<simulation.iterations {
            if beginsLaunch(iteration) { try endLaunch() }
            let launch = self.launch ?? start()
            var noise = self.noise("iteration \(iteration)")
            launch.begin(iteration: iteration, noise: &noise)
            for page in simulation.pages { try visit(page, iteration) }
        }
        try endLaunch()
    }

    /// Whether this iteration is the first of a launch, with iterations spread evenly over the launches.
    private func beginsLaunch(_ iteration: Int) -> Bool {
        let launches = max(1, min(simulation.launches, simulation.iterations))
        return iteration * launches % simulation.iterations < launches
    }

    private mutating func start() -> SimulatedLaunch {
        launchNumber += 1
        var noise = self.noise("launch \(launchNumber)")
        let variables = [
            "PERFGATE_RUN_ID": simulation.runID(number), "PERFGATE_PART": "launch-\(launchNumber)",
            "PERFGATE_EXPECTS_END": simulation.launches == 1 ? "1" : "0",
        ]
        let time = simulation.startedAt + .seconds(UInt64(number) * 86_400)
        let environment = LaunchEnvironment({ variables[$0] }, time: time, process: launchNumber)
        let launch = SimulatedLaunch(simulation, environment, to: sink, noise: &noise)
        self.launch = launch
        return launch
    }

    private mutating func endLaunch() throws(LogSinkError) {
        guard let launch else { return }
        self.launch = nil
        if simulation.launches > 1 { launch.terminate() } else { launch.close() }
        if let failure = launch.log.failure { throw failure }
    }

    private mutating func visit(_ page: SimulatedPage, _ iteration: Int) throws(LogSinkError) {
        let launch = self.launch ?? start()
        launch.log.iteration = iteration
        let effects = simulation.changes.filter { $0.page == page.name }.map(\.effect)
        var own = noise("pace of \(page.name)")
        let pagePace = simulation.pageNoise > 0 ? own.factor(deviation: simulation.pageNoise) : 1
        var visit = SimulatedVisit(
            of: page, effects, id: "\(simulation.runID(number))-\(page.name)-\(iteration)", in: launch,
            pace: pace * pagePace, noise: noise("\(page.name) \(iteration)"))
        guard effects.contains(.kill), iteration == simulation.iterations - 1 else { return visit.play() }
        visit.playUntilKilled()
        self.launch = nil
        if let failure = launch.log.failure { throw failure }
    }

    private func noise(_ name: String) -> NamedRandom {
        NamedRandom(seed: simulation.seed, simulation.seededID(number), name)
    }
}

/// An injected change on one page, to show that a gate detects it.
package struct InjectedChange: Hashable, Sendable {
    package enum Effect: Hashable, Sendable {
        /// Every scroll stalls once, for this many frames, 1 or more.
        case drop(frames: Int)
        /// A part of the visit takes longer.
        case slow(Part, by: Milliseconds)
        /// The page is left before its content is there.
        case leave
        /// The app is killed in the page's last visit, and launched again.
        case kill
    }

    /// The time until the first content is there (`ttil`), of the first layout (`ttfl`), until more content is there,
    /// where the page asks for it (`alt`), or until an image is there, where the page has any (`rclt`).
    package enum Part: String, Sendable { case load, layout, append, image }

    package var page: String, effect: Effect

    package init(page: String, effect: Effect) { (self.page, self.effect) = (page, effect) }

    package static let syntax = "PAGE=drop:FRAMES|load:MS|layout:MS|append:MS|image:MS|leave|kill"

    /// Parses a change, split at the last `=`, because page names may contain one; `nil` if it is invalid.
    package init?(_ text: String) {
        guard let separator = text.lastIndex(of: "="), separator > text.startIndex else { return nil }
        let words = text[text.index(after: separator)...].split(separator: ":", omittingEmptySubsequences: false)
        guard let name = words.first, let effect = Effect(name, words.dropFirst().map(String.init)) else { return nil }
        self.init(page: String(text[..<separator]), effect: effect)
    }
}

extension InjectedChange.Effect {
    fileprivate init?(_ name: Substring, _ values: [String]) {
        switch (name, values.count) {
        case ("leave", 0): self = .leave
        case ("kill", 0): self = .kill
        case ("drop", 1):
            guard let frames = Int(values[0]), (1...10_000).contains(frames) else { return nil }
            self = .drop(frames: frames)
        case (_, 1):
            guard let part = InjectedChange.Part(rawValue: String(name)), let time = Double(values[0]),
                (0...600_000).contains(time)
            else { return nil }
            self = .slow(part, by: .milliseconds(time))
        default: return nil
        }
    }
}
