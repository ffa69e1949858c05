import PagePerformance

/// Plays scripted pages on a simulated device through the real recorder, into a log.
///
/// Everything depends on the seed: the same settings give the same bytes, on every machine. Another seed is another
/// stretch of measuring of the same app on the same device.
public struct Simulation: Sendable {
    /// The pages, visited in this order in each iteration.
    public var pages: [SimulatedPage]
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

    /// The name of a run, from 0.
    public func runID(_ number: Int) -> String {
        "sim-\(seed)-\(number + 1)"
    }

    /// Plays a run, from 0, and writes it; each launch is a part.
    public func play(run number: Int, to sink: any LogSink) throws(LogSinkError) {
        var player = RunPlayer(self, number: number, sink: sink)
        try player.play()
    }
}
