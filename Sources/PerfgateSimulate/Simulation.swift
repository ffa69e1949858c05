import PagePerformance

/// Plays scripted pages on a simulated device through the real recorder, into a log.
///
/// Everything depends on the seed: the same settings give the same bytes, on every machine. Another seed is another
/// stretch of measuring of the same app on the same device.
public struct Simulation: Sendable {
    /// The pages, visited in this order in each iteration.
    public var pages: [SimulatedPage]
    /// How many runs there are, 1 or more.
    public var runs = 1
    /// What the runs are called; `nil` calls them by their seed. A name changes no measurement.
    public var name: String?
    /// How often a run visits each page, 1 or more.
    public var iterations = 5
    /// How often a run launches the app, 1 or more. One launch ends by itself; of several each is ended by the test.
    public var launches = 1
    /// What the noise depends on.
    public var seed: UInt64 = 0
    /// What is made worse.
    public var changes: [InjectedChange] = []
    /// Whether each frame is logged too, which gate and recorder then both count.
    public var logsTicks = false
    /// Whether each launch promises its log's end, which a kill then breaks.
    public var expectsEnd = false
    /// Whether a kill cuts the line that is being written, as in a file; where all parts share one stream it can't.
    public var cutsLines = true
    /// What is measured.
    public var app = AppFacts(identifier: "com.example.shop", version: "7.129.0", build: "Release")
    /// What it is measured on.
    public var device = DeviceFacts(
        model: "iPhone12,1", isSimulator: false, system: "iOS 17.5", maxFPS: 60)
    /// When the first run began, since 1970; each further run begins a day later.
    public var startedAt: Nanoseconds

    /// A simulation of pages.
    public init(pages: [SimulatedPage], startedAt: Nanoseconds = .zero) {
        self.pages = pages
        self.startedAt = startedAt
    }

    /// The name of a run, from 0: of several, names have a number, as long as the last one's.
    public func runID(_ number: Int) -> String {
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
    public func play(run number: Int, to sink: any LogSink) throws(LogSinkError) {
        var player = RunPlayer(self, number: number, sink: sink)
        try player.play()
    }
}
