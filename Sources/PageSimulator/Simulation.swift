import PagePerformance

/// Plays scripted pages on a simulated device through the real recorder, into a log.
///
/// Everything depends on the seed: the same settings give the same bytes, on every machine. Another seed is another
/// stretch of measuring of the same app on the same device.
package struct Simulation: Sendable {
    /// The pages, visited in this order in each iteration.
    package var pages: [SimulatedPage]
    /// How many runs there are, 1 or more.
    package var runs = 1
    /// What the runs are called; `nil` calls them by their seed. A name changes no measurement.
    package var name: String?
    /// How often a run visits each page, 1 or more.
    package var iterations = 5
    /// How often a run launches the app, 1 or more. One launch ends by itself, and its log promises so, which a kill
    /// breaks; of several each is ended by the test.
    package var launches = 1
    /// What the noise depends on.
    package var seed: UInt64 = 0
    /// What is made worse.
    package var changes: [InjectedChange] = []
    /// Whether each frame is logged too, which gate and recorder then both count.
    package var logsTicks = false
    /// Whether a kill cuts the line that is being written, as in a file; where all parts share one stream it can't.
    package var cutsLines = true
    /// What is measured.
    package var app = AppFacts(identifier: "com.example.shop", version: "7.129.0", build: "Release")
    /// What it is measured on.
    package var device = DeviceFacts(
        model: "iPhone12,1", isSimulator: false, system: "iOS 17.5", maxFPS: 60)
    /// When the first run began, since 1970; each further run begins a day later.
    package var startedAt: Nanoseconds

    /// A simulation of pages.
    package init(pages: [SimulatedPage], startedAt: Nanoseconds = .zero) {
        self.pages = pages
        self.startedAt = startedAt
    }

    /// The name of a run, from 0: of several, names have a number, as long as the last one's.
    package func runID(_ number: Int) -> String {
        guard let name else { return seededID(number) }
        guard runs > 1 else { return name }
        let text = String(number + 1)
        return "\(name)-\(String(repeating: "0", count: max(0, String(runs).count - text.count)))\(text)"
    }

    /// What a run's noise depends on.
    func seededID(_ number: Int) -> String {
        "sim-\(seed)-\(number + 1)"
    }

    /// Plays a run, from 0, and writes it; each launch is a part.
    package func play(run number: Int, to sink: any LogSink) throws(LogSinkError) {
        var player = RunPlayer(self, number: number, sink: sink)
        try player.play()
    }
}

/// Plays one run: launches, iterations in them, pages in these.
struct RunPlayer {
    private let simulation: Simulation
    private let number: Int
    private let sink: any LogSink
    /// How much slower than on average the device is in this run, above 0.
    private let pace: Double
    private var launchNumber = 0
    private var launch: SimulatedLaunch?

    init(_ simulation: Simulation, number: Int, sink: any LogSink) {
        self.simulation = simulation
        self.number = number
        self.sink = sink
        var noise = NamedRandom(seed: simulation.seed, simulation.seededID(number), "pace")
        pace = noise.factor(deviation: 0.015)
    }

    /// Plays the run; throws the first thing that the sink couldn't do.
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

    /// Whether the iterations, spread evenly over the launches, put this one at the start of a launch.
    private func beginsLaunch(_ iteration: Int) -> Bool {
        let launches = max(1, min(simulation.launches, simulation.iterations))
        return iteration * launches % simulation.iterations < launches
    }

    private mutating func start() -> SimulatedLaunch {
        launchNumber += 1
        var noise = self.noise("launch \(launchNumber)")
        let day = UInt64(number) * 86_400
        let variables = [
            "PERFGATE_RUN_ID": simulation.runID(number), "PERFGATE_PART": "launch-\(launchNumber)",
            "PERFGATE_EXPECTS_END": simulation.launches == 1 ? "1" : "0",
        ]
        let environment = LaunchEnvironment(
            { variables[$0] }, time: simulation.startedAt + .seconds(day), process: launchNumber)
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
        var visit = SimulatedVisit(
            of: page, effects, id: "\(simulation.runID(number))-\(page.name)-\(iteration)", in: launch, pace: pace,
            noise: noise("\(page.name) \(iteration)"))
        guard effects.contains(.kill), iteration == simulation.iterations - 1 else { return visit.play() }
        visit.playUntilKilled()
        self.launch = nil
        if let failure = launch.log.failure { throw failure }
    }

    private func noise(_ name: String) -> NamedRandom {
        NamedRandom(seed: simulation.seed, simulation.seededID(number), name)
    }
}

/// What is made worse on one page, so that a gate can be seen to find it.
package struct InjectedChange: Hashable, Sendable {
    /// What is made worse.
    package enum Effect: Hashable, Sendable {
        /// Every scroll stalls once, for this many frames, 1 or more.
        case drop(frames: Int)
        /// A part of the visit takes so much longer.
        case slow(Part, by: Milliseconds)
        /// The page is left before its content is there.
        case leave
        /// The app is killed in the page's last visit, and launched again.
        case kill
    }

    /// A part of a visit that takes time.
    package enum Part: String, Sendable {
        /// Until the first content is there: `ttil`.
        case load
        /// The first layout: `ttfl`.
        case layout
        /// Until more content is there: `alt`, where the page asks for it.
        case append
        /// Until an image is there: `rclt`, where the page has any.
        case image
    }

    /// The page's name.
    package var page: String
    /// What is made worse.
    package var effect: Effect

    /// Makes a change of its parts.
    package init(page: String, effect: Effect) {
        self.page = page
        self.effect = effect
    }

    /// How changes are written.
    package static let syntax = "PAGE=drop:FRAMES|load:MS|layout:MS|append:MS|image:MS|leave|kill"

    /// Reads a change: after the last `=`, because a page's name may have one; `nil` where it is none.
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
