import PagePerformance

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
        var noise = Noise(seed: simulation.seed, simulation.seededID(number), "pace")
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
            "PERFGATE_EXPECTS_END": simulation.expectsEnd ? "1" : "0",
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

    private func noise(_ name: String) -> Noise {
        Noise(seed: simulation.seed, simulation.seededID(number), name)
    }
}
