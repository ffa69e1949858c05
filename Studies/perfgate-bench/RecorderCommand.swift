import ArgumentParser
import PagePerformance

/// Measures the recorder's cost for an app, compared with an empty callback.
struct RecorderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recorder", abstract: "The recorder's cost for an app, per call.")

    @Option(help: "The number of calls per round, 10 or more; slow calls are made a tenth as often.")
    var calls = 100_000

    func validate() throws {
        guard calls >= 10 else { throw ValidationError("Give --calls of 10 or more.") }
    }

    func run() {
        RecorderBenchmark(calls: calls).run()
    }
}

/// The cases, each with the row that it prints.
private struct RecorderBenchmark {
    private let calls: Int
    private let onTime: [FrameTick]
    private let late: [FrameTick]

    init(calls: Int) {
        self.calls = calls
        onTime = Self.ticks(count: calls, latePeriod: 0)
        late = Self.ticks(count: calls, latePeriod: 10)
    }

    /// Measures every case and prints a table.
    func run() {
        print(Table.row(["one call", "ns", "fastest", "allocations", "of 8.3 ms"], widths: Self.widths))
        measure("empty callback", EmptyReceiver(), onTime)
        measure("callback that allocates once, to check", AllocatingReceiver(), onTime)
        for counting in FrameCounting.allCases { measureDetector(counting) }
        for counting in FrameCounting.allCases { measureTracker(counting) }
        measurePages()
        measureRecorder()
        measureSignposts()
        measureLog()
    }

    private func measureDetector(_ counting: FrameCounting) {
        let name = "detector, \(counting.rawValue)"
        let configuration = FrameDropDetector.Configuration(counting: counting)
        measure("\(name), on time", scrolling(configuration), onTime)

        let delegate = EmptyDelegate()
        let heard = scrolling(configuration)
        heard.delegate = delegate
        heard.setLimits(FrameDropLimits(framesDropped: .max, dropEvents: .max)) { _ in }
        measure("\(name), 1 in 10 late, delegate and limits", heard, late)
        withExtendedLifetime(delegate) {}

        var keeping = configuration
        keeping.keptTicks = 1_024
        measure("\(name), ticks kept for a log", scrolling(keeping), onTime)
    }

    private func scrolling(_ configuration: FrameDropDetector.Configuration) -> FrameDropDetector {
        let detector = FrameDropDetector(configuration)
        detector.resume()
        detector.beginScroll()
        return detector
    }

    private func measureTracker(_ counting: FrameCounting) {
        let tracker = ScreenPerformanceTracker(counting: counting)
        tracker.track(screen: "Search")
        measure("screen tracker, \(counting.rawValue), on time", tracker, onTime)
    }

    private func measurePages() {
        let count = calls / 10
        let page = PageEvents()
        report("page, frame of a scroll, on time", calls: calls) { page.frames(onTime) }
        report("page, frame while nothing scrolls", calls: calls) { page.idleFrames(onTime) }
        report("page, scroll position", calls: count) { page.scrollPositions(count) }
        report("page, render", calls: count) { page.renders(count) }
        report("page, render cycle", calls: count) { page.renderCycles(count) }
        report("page, image in or out of sight", calls: count) { page.images(count) }
        report("page, whole visit of 7 calls", calls: count) { page.visits(count) }
    }

    /// The cost of a visit's signposts: without them, while no tool records, and with a tool that only takes the message.
    private func measureSignposts() {
        let cases: [(name: String, signposter: (any PageSignposting)?)] = [
            ("no signposts", nil), ("no tool records", EmptySignposter(isEnabled: false)),
            ("a tool records", EmptySignposter(isEnabled: true)),
        ]
        for (name, signposter) in cases {
            let recorder = PageRecorder(clock: ManualClock(start: .seconds(1))) { _ in }
            recorder.signposter = signposter
            let page = PageEvents(recorder.makePage(named: "Search"))
            let count = calls / 10
            report("recorder, whole visit of 7 calls, \(name)", calls: count) { page.visits(count) }
        }
    }

    /// The cost of a frame for an app whose display link always runs, and for one whose link only runs while
    /// scrolling.
    private func measureRecorder() {
        for tracksScreens in [true, false] {
            let recorder = PageRecorder { _ in }
            recorder.tracksScreens = tracksScreens
            let page = recorder.makePage(named: "Search")
            page.handleDidAppear()
            let mode = tracksScreens ? "always" : "scrolling only"
            report("recorder, \(mode), frame of a scroll", calls: calls) {
                for tick in onTime { recorder.tick(tick, isTracking: true) }
            }
            guard tracksScreens else { continue }
            report("recorder, \(mode), frame while nothing scrolls", calls: calls) {
                for tick in onTime { recorder.tick(tick, isTracking: false) }
            }
            withExtendedLifetime(page) {}
        }
        print(Table.row(["recorder, scrolling only, frame while nothing scrolls", "none"], widths: Self.widths))
        let recorder = PageRecorder { _ in }
        recorder.tracksScreens = false
        let clock = MonotonicClock()
        report("recorder, scrolling only, a turn of the run loop", calls: calls) {
            for _ in 0..<calls { recorder.mainThreadDidWork(from: clock.now, to: clock.now) }
        }
    }

    private func measure(_ name: String, _ receiver: any TickReceiver, _ ticks: [FrameTick]) {
        report(name, calls: ticks.count) { Self.feed(receiver, ticks) }
    }

    @inline(never)
    private static func feed(_ receiver: any TickReceiver, _ ticks: [FrameTick]) {
        for tick in ticks { receiver.tick(tick) }
    }

    private static let widths = [56, 9, 9, 13, 12]

    private func report(_ name: String, calls: Int, clock: ProcessorClock = .process, _ round: () -> Void) {
        let measured = Measurement(calls: calls, clock: clock, round: round)
        let cells = [
            name, Table.decimal(measured.median, places: 1), Table.decimal(measured.fastest, places: 1),
            measured.allocations.map { Table.decimal($0, places: 4) } ?? "–",
            Table.decimal(measured.median / 8_333_333 * 100, places: 5) + " %",
        ]
        print(Table.row(cells, widths: Self.widths))
    }

    /// Measures the cost of logging: on the caller's thread, and in total, with encoding on the log's own thread.
    private func measureLog() {
        let log = EventLog(
            LogEvent.Run(id: "r", part: "p"), to: DiscardingSink(),
            options: EventLogOptions(bufferLimit: 1 << 30, partSize: nil))
        for (name, event) in Self.events {
            let count = calls / 10
            let round = {
                for _ in 0..<count { log.record(event) }
                log.flushAndWait()
            }
            report("log, \(name), caller's thread", calls: count, clock: .thread, round)
            report("log, \(name), both threads", calls: count, round)
        }
        log.closeAndWait()
    }

    /// Ticks of a 60 Hz display, made in advance so that making them isn't measured: one in `latePeriod` comes two
    /// intervals late, none if it is 0.
    private static func ticks(count: Int, latePeriod: Int) -> [FrameTick] {
        let interval: UInt64 = 16_666_667
        var now: UInt64 = 1_000_000_000
        return (0..<count).map { index in
            let isLate = latePeriod > 0 && index % latePeriod == latePeriod - 1
            now += isLate ? 3 * interval : interval
            return FrameTick(
                timestamp: Nanoseconds(now), target: Nanoseconds(now + interval), duration: Nanoseconds(interval))
        }
    }

    private static var events: [(String, LogEvent)] {
        let place = LogEvent.Place(page: "Search", visit: "v-1")
        let tick = FrameTick(
            timestamp: Nanoseconds(123_456_789_012), target: Nanoseconds(123_473_455_679),
            duration: Nanoseconds(16_666_667))
        var visit = LogEvent.Visit(place: place)
        visit.duration = .milliseconds(8_012.1)
        visit.firstLayout = .milliseconds(41.2)
        visit.initialLoad = .milliseconds(512.9)
        visit.additionalLoads = [.zero, .milliseconds(251.7)]
        return [
            ("a tick", .frame(LogEvent.Frame(place: place, scroll: 0, tick: tick))),
            ("the end of a scroll", .scroll(LogEvent.Scroll(place: place, scroll: 0, duration: .milliseconds(812.4)))),
            ("60 ticks", .frames(LogEvent.Frames(place: place, scroll: 0, ticks: Array(repeating: tick, count: 60)))),
            ("a visit", .visit(visit)),
        ]
    }
}

/// Discards lines: what remains is the cost of making them.
private struct DiscardingSink: LogSink {
    func write(_ lines: [UInt8]) {}
}

/// Receives the calls of a display link.
private protocol TickReceiver: AnyObject {
    func tick(_ tick: FrameTick)
}

extension FrameDropDetector: TickReceiver {}
extension ScreenPerformanceTracker: TickReceiver {}

/// The cost of an empty callback.
private final class EmptyReceiver: TickReceiver {
    private var calls = 0

    // Not inlined, or nothing would be left to measure.
    @inline(never)
    func tick(_ tick: FrameTick) {
        calls &+= 1
    }
}

/// The cost of a callback with one allocation: checks that allocations are counted.
private final class AllocatingReceiver: TickReceiver {
    private var last: [FrameTick] = []

    func tick(_ tick: FrameTick) {
        last = [tick]
    }
}

/// A delegate that receives drops and does nothing.
private final class EmptyDelegate: FrameDropDetectorDelegate {
    func frameDropDetector(_ detector: FrameDropDetector, didDrop drop: FrameDrop) {}
}

/// A tool that takes messages and shows nothing.
private struct EmptySignposter: PageSignposting {
    let isEnabled: Bool

    func begin(_ interval: PageInterval, _ message: String) -> () -> Void { {} }
}

/// Calls of a page's state machine, as an app makes them.
private struct PageEvents {
    private let machine: PPSStateMachine
    private let slots = (0..<8).map(ImageSlot.init(number:))

    /// A page that has appeared with its content.
    init(
        _ machine: PPSStateMachine = PPSStateMachine(pageName: "Search", clock: ManualClock(start: .seconds(1))) { _ in
        }
    ) {
        self.machine = machine
        machine.handleDidLoad()
        machine.handleDidAppear()
        machine.handleDidRender(isLoading: false)
        machine.handleRenderCycle()
    }

    /// Frames of a scroll.
    func frames(_ ticks: [FrameTick]) {
        for tick in ticks { machine.handleFrameTick(tick, isTracking: true) }
    }

    /// Frames while nothing scrolls.
    func idleFrames(_ ticks: [FrameTick]) {
        for tick in ticks { machine.handleFrameTick(tick, isTracking: false) }
    }

    /// Positions of a list that is scrolled without reaching its end.
    func scrollPositions(_ count: Int) {
        for index in 0..<count {
            machine.handleScroll(to: ScrollPosition(offset: Double(index), viewport: 800, content: 1e9))
        }
    }

    /// Cells that are rendered repeatedly with unchanged content.
    func renders(_ count: Int) {
        for _ in 0..<count { machine.handleDidRender(isLoading: false) }
    }

    /// Render cycles without changes.
    func renderCycles(_ count: Int) {
        for _ in 0..<count { machine.handleRenderCycle() }
    }

    /// Images that scroll into view loaded, and out of view.
    func images(_ count: Int) {
        for index in 0..<count {
            let status: ImageStatus = index & 8 == 0 ? .shown : .hidden
            machine.handleImageLoad(slot: slots[index & 7], url: "https://example.com/image.jpg", status: status)
        }
    }

    /// Whole visits with first layout, initial load and an event each.
    func visits(_ count: Int) {
        for _ in 0..<count {
            machine.handleDidDisappear()
            machine.handleDidLoad()
            machine.handleDidLayoutSubviews()
            machine.handleDidAppear()
            machine.handleDidRender(isLoading: true)
            machine.handleDidRender(isLoading: false)
            machine.handleRenderCycle()
        }
    }
}
