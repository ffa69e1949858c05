import PagePerformance
import SeededRandom
import Synchronization

/// One launch of the simulated app, with its recorder.
final class SimulatedLaunch {
    let timeline: Timeline, log: EventLog, recorder: PageRecorder

    private let names = VisitNames()
    private let sink: KillableSink, cutsLines: Bool
    /// Whether a finger or its momentum moves the page.
    private var isScrolling = false

    private final class VisitNames { var next = "" }

    init(_ simulation: Simulation, _ launch: LaunchEnvironment, to sink: any LogSink, noise: inout NamedRandom) {
        let maxFPS = simulation.device.maxFPS ?? 60
        let timeline = Timeline(start: .seconds(100 + noise.next() % 100_000), framesPerSecond: maxFPS)
        let sink = KillableSink(sink)
        let log = EventLog(
            launch, to: sink, app: simulation.app, device: simulation.device,
            conditions: Self.conditions(&noise),
            options: EventLogOptions(bufferLimit: .max, partSize: nil, keepsStarts: true), clock: timeline.clock)
        recorder = PageRecorder(
            frames: FrameDropDetector.Configuration(maxFPS: Int(maxFPS), keptTicks: simulation.logsTicks ? 1_024 : 0),
            clock: timeline.clock, makeVisitID: { [names] in names.next }, emit: { log.record(LogEvent($0)) })
        (self.timeline, self.log, self.sink) = (timeline, log, sink)
        cutsLines = simulation.cutsLines
        timeline.onTick = { [weak self] tick in
            if let self { self.recorder.tick(tick, isTracking: self.isScrolling) }
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
        sink.kill(cutting: false)
        log.closeAndWait()
    }

    /// Kills the app while the log writes the page's state.
    func kill() {
        log.flushAndWait()
        sink.kill(cutting: cutsLines)
        recorder.appWillResign()
        log.closeAndWait()
    }

    func close() { log.closeAndWait() }

    private static func conditions(_ noise: inout NamedRandom) -> DeviceConditions {
        var conditions = DeviceConditions()
        (conditions.isLowPowerModeOn, conditions.isCharging) = (false, true)
        (conditions.thermalState, conditions.network) = (.nominal, .wifi)
        conditions.processorPercent = Double(Int(noise.number(in: 50...400))) / 10
        conditions.threads = Int(noise.number(in: 18...30))
        conditions.memoryBytes = UInt64(noise.number(in: 120...200)) << 20
        return conditions
    }
}

/// Writes to another sink until the app is killed.
final class KillableSink: LogSink {
    /// A dying app is killed during the next write.
    private enum Life { case alive, dying, dead }

    private let state: Mutex<(sink: any LogSink, life: Life)>

    init(_ sink: any LogSink) { state = Mutex((sink, .alive)) }

    /// Ends the app; with `cutting`, half of the next line is still written.
    func kill(cutting: Bool) { state.withLock { $0.life = cutting ? .dying : .dead } }

    func begin(run: String, part: String) throws(LogSinkError) -> Bool {
        try state.withLock { state throws(LogSinkError) in try state.sink.begin(run: run, part: part) }
    }

    func write(_ lines: [UInt8]) throws(LogSinkError) {
        try state.withLock { state throws(LogSinkError) in
            switch state.life {
            case .alive: try state.sink.write(lines)
            case .dying:
                state.life = .dead
                let line = lines.prefix { $0 != UInt8(ascii: "\n") }
                try state.sink.write(Array(line.prefix(line.count / 2)))
            case .dead: break
            }
        }
    }

    func end() { state.withLock { $0.sink.end() } }
}

/// The main thread of a simulated device: frames at each vsync, scheduled events, and work in between. Nothing happens
/// while the thread works. Frames due in that time are skipped, as with a display link.
final class Timeline {
    let clock: ManualClock
    /// The time from one vsync to the next.
    let interval: Nanoseconds
    var onTick: (FrameTick) -> Void = { _ in }

    private let start: Nanoseconds
    private var lastFrame: UInt64 = 0
    private var busyUntil: Nanoseconds
    private var actions: [(time: Nanoseconds, body: () -> Void)] = []

    /// Starts at a time of the device's clock, with a vsync.
    init(start: Nanoseconds, framesPerSecond: Double) {
        self.start = start
        busyUntil = start
        interval = Nanoseconds(.milliseconds(1_000 / framesPerSecond)) ?? .milliseconds(1)
        clock = ManualClock(start: start)
    }

    /// Schedules an event; events at the same time run in the order of their scheduling.
    func after(_ delay: Milliseconds, _ body: @escaping () -> Void) {
        let time = clock.now + (Nanoseconds(delay) ?? .zero)
        let index = actions.firstIndex { $0.time > time } ?? actions.endIndex
        actions.insert((time, body), at: index)
    }

    func work(_ duration: Milliseconds) {
        clock.advance(by: Nanoseconds(duration) ?? .zero)
        busyUntil = max(busyUntil, clock.now)
    }

    /// Blocks the thread until this many frames, 0 or more, have been dropped.
    func stall(frames: Int) {
        guard frames > 0 else { return }
        busyUntil = time(ofFrame: nextFrame) + Nanoseconds(interval.count * UInt64(frames) - 1_000)
    }

    /// Lets time pass, and runs everything in it.
    func run(for duration: Milliseconds) {
        let end = clock.now + (Nanoseconds(duration) ?? .zero)
        while true {
            let tick = time(ofFrame: nextFrame)
            let action = actions.first.map { max($0.time, busyUntil) }
            let next = min(tick, action ?? .max)
            guard next <= end else { break }
            clock.set(to: next)
            if let action, action <= tick { actions.removeFirst().body() } else { show(at: tick) }
        }
        clock.set(to: end)
    }

    /// Cancels scheduled events, because their page is gone.
    func forget() { actions.removeAll() }

    private func show(at time: Nanoseconds) {
        lastFrame = nextFrame
        onTick(FrameTick(timestamp: time, duration: interval))
    }

    /// The number of the next frame that can be shown.
    private var nextFrame: UInt64 {
        let busy = (busyUntil.since(start) ?? .zero).count
        return max(lastFrame + 1, (busy + interval.count - 1) / interval.count)
    }

    private func time(ofFrame number: UInt64) -> Nanoseconds { start + Nanoseconds(number * interval.count) }
}

/// A reproducible stream of random numbers, restarted for each simulated event. So an injected change on one page
/// doesn't affect other pages.
struct NamedRandom: RandomNumberGenerator {
    private var generator: SeededGenerator

    /// Starts the stream of a seed and names: FNV-1a over the names.
    init(seed: UInt64, _ names: String...) {
        var hash = 0xCBF2_9CE4_8422_2325 ^ seed
        for name in names {
            for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        generator = SeededGenerator(seed: hash)
    }

    mutating func next() -> UInt64 { generator.next() }

    mutating func number(in range: ClosedRange<Double>) -> Double { generator.uniform(range) }

    mutating func happens(_ probability: Double) -> Bool { generator.uniform() < probability }

    /// A factor around 1 with this standard deviation, at least a tenth.
    /// The sum of twelve uniform numbers is approximately normal, and the same on every platform, unlike logarithms.
    mutating func factor(deviation: Double) -> Double {
        let sum = (0..<12).reduce(0) { sum, _ in sum + generator.uniform() }
        return max(0.1, 1 + deviation * (sum - 6))
    }
}
