import PagePerformance
import Synchronization

/// One launch of the simulated app, with its recorder.
final class SimulatedLaunch {
    let timeline: Timeline
    let log: EventLog
    let recorder: PageRecorder

    private let names = VisitNames()
    private let killSwitch = KillSwitch()
    private let cutsLines: Bool
    /// Whether a finger or its momentum moves the page.
    private var isScrolling = false

    private final class VisitNames {
        var next = ""
    }

    init(_ simulation: Simulation, _ launch: LaunchEnvironment, to sink: any LogSink, noise: inout NamedRandom) {
        let maxFPS = simulation.device.maxFPS ?? 60
        let timeline = Timeline(start: .seconds(100 + noise.next() % 100_000), framesPerSecond: maxFPS)
        let log = EventLog(
            launch, to: KillableSink(sink, killSwitch), app: simulation.app, device: simulation.device,
            conditions: Self.conditions(&noise),
            options: EventLogOptions(bufferLimit: .max, partSize: nil, keepsStarts: true),
            clock: timeline.clock)
        recorder = PageRecorder(
            frames: FrameDropDetector.Configuration(
                maxFPS: Int(maxFPS), keptTicks: simulation.logsTicks ? 1_024 : 0),
            clock: timeline.clock, makeVisitID: { [names] in names.next }, emit: { log.record(LogEvent($0)) })
        (self.timeline, self.log) = (timeline, log)
        cutsLines = simulation.cutsLines
        timeline.onTick = { [weak self] tick in
            guard let self else { return }
            self.recorder.tick(tick, isTracking: self.isScrolling)
        }
    }

    func begin(iteration: Int, noise: inout NamedRandom) {
        log.beginIteration(iteration, conditions: Self.conditions(&noise))
        log.flushAndWait()
    }

    func makePage(_ name: String, visit: String) -> PPSStateMachine {
        names.next = visit
        return recorder.makePage(named: name)
    }

    /// Leaves a page, which then has no pending work.
    func leave(_ page: PPSStateMachine) {
        page.handleDidDisappear()
        timeline.forget()
    }

    /// Scrolls while `body` lets time pass.
    func scroll(_ body: () -> Void) {
        isScrolling = true
        body()
        isScrolling = false
    }

    /// Ends the app like a test: written lines stay, and the log has no end.
    func terminate() {
        log.flushAndWait()
        killSwitch.kill(cutting: false)
        log.closeAndWait()
    }

    /// Kills the app while the log writes the page's state.
    func kill() {
        log.flushAndWait()
        killSwitch.kill(cutting: cutsLines)
        recorder.appWillResign()
        log.closeAndWait()
    }

    func close() { log.closeAndWait() }

    private static func conditions(_ noise: inout NamedRandom) -> DeviceConditions {
        var conditions = DeviceConditions()
        conditions.isLowPowerModeOn = false
        conditions.thermalState = .nominal
        conditions.network = .wifi
        conditions.isCharging = true
        conditions.processorPercent = Double(Int(noise.number(in: 50...400))) / 10
        conditions.threads = Int(noise.number(in: 18...30))
        conditions.memoryBytes = UInt64(noise.number(in: 120...200)) << 20
        return conditions
    }
}

/// Whether a simulated app is still alive.
final class KillSwitch: Sendable {
    enum State {
        case alive
        /// Killed during the next write.
        case dying
        case dead
    }

    private let state = Mutex(State.alive)

    /// Ends the app; with `cutting`, half of the next line is still written.
    func kill(cutting: Bool) { state.withLock { $0 = cutting ? .dying : .dead } }

    func take() -> State {
        state.withLock { state in
            defer { if state == .dying { state = .dead } }
            return state
        }
    }
}

/// Writes to another sink until the app is killed.
struct KillableSink: LogSink {
    private var sink: any LogSink
    private let killSwitch: KillSwitch

    init(_ sink: any LogSink, _ killSwitch: KillSwitch) { (self.sink, self.killSwitch) = (sink, killSwitch) }

    mutating func begin(run: String, part: String) throws(LogSinkError) -> Bool { try sink.begin(run: run, part: part) }

    mutating func write(_ lines: [UInt8]) throws(LogSinkError) {
        switch killSwitch.take() {
        case .alive: try sink.write(lines)
        case .dying:
            let line = lines.prefix { $0 != UInt8(ascii: "\n") }
            try sink.write(Array(line.prefix(line.count / 2)))
        case .dead: break
        }
    }

    mutating func end() { sink.end() }
}
