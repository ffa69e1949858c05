import PagePerformance

/// Measures what the recorder costs the app that it measures, beside a callback that does nothing.
struct RecorderBenchmark {
    private static let calls = 100_000
    private static let onTime = TickSeries.make(count: calls, latePeriod: 0)
    private static let late = TickSeries.make(count: calls, latePeriod: 10)

    /// Measures every case and prints a table.
    func run() {
        print(Self.row(["one call", "ns", "fastest", "allocations", "of 8.3 ms"]))
        measure("empty callback", EmptyReceiver())
        measure("callback that allocates once, to check", AllocatingReceiver())
        for counting in FrameCounting.allCases { measureDetector(counting) }
        for counting in FrameCounting.allCases { measureTracker(counting) }
        measurePages()
        measureLog()
    }

    private func measureDetector(_ counting: FrameCounting) {
        let name = "detector, \(counting.rawValue)"
        let configuration = FrameDropDetector.Configuration(counting: counting)
        measure("\(name), on time", scrolling(configuration))

        let delegate = EmptyDelegate()
        let heard = scrolling(configuration)
        heard.delegate = delegate
        heard.setLimits(FrameDropLimits(framesDropped: .max, dropEvents: .max)) { _ in }
        measure("\(name), 1 in 10 late, delegate and limits", heard, Self.late)
        withExtendedLifetime(delegate) {}

        var keeping = configuration
        keeping.keptTicks = 1_024
        measure("\(name), ticks kept for a log", scrolling(keeping))
    }

    private func scrolling(_ configuration: FrameDropDetector.Configuration) -> FrameDropDetector {
        let detector = FrameDropDetector(configuration)
        detector.beginScroll()
        return detector
    }

    private func measureTracker(_ counting: FrameCounting) {
        let tracker = ScreenPerformanceTracker(counting: counting)
        tracker.track(screen: "Search")
        measure("screen tracker, \(counting.rawValue), on time", tracker)
    }

    private func measurePages() {
        let count = 10_000
        let page = PageEvents()
        report("page, frame of a scroll, on time", calls: Self.calls) { page.frames(Self.onTime) }
        report("page, frame while nothing scrolls", calls: Self.calls) { page.idleFrames(Self.onTime) }
        report("page, scroll position", calls: count) { page.scrollPositions(count) }
        report("page, render", calls: count) { page.renders(count) }
        report("page, render cycle", calls: count) { page.renderCycles(count) }
        report("page, image in or out of sight", calls: count) { page.images(count) }
        report("page, whole visit of 7 calls", calls: count) { page.visits(count) }
    }

    private func measure(_ name: String, _ receiver: any TickReceiver, _ ticks: [FrameTick] = onTime) {
        report(name, calls: ticks.count) { Self.feed(receiver, ticks) }
    }

    @inline(never)
    private static func feed(_ receiver: any TickReceiver, _ ticks: [FrameTick]) {
        for tick in ticks { receiver.tick(tick) }
    }

    /// Measures a case and prints its row; `clock` reads processor time in nanoseconds.
    func report(
        _ name: String, calls: Int, clock: () -> Double = { ProcessorClock.nanoseconds }, _ round: () -> Void
    ) {
        let measured = Measurement(calls: calls, clock: clock, round: round)
        print(
            Self.row([
                name, Decimal.text(measured.median, places: 1), Decimal.text(measured.fastest, places: 1),
                measured.allocations.map { Decimal.text($0, places: 4) } ?? "–",
                Decimal.text(measured.median / 8_333_333 * 100, places: 5) + " %",
            ]))
    }

    private static func row(_ cells: [String]) -> String {
        cells.enumerated().map { column, cell in
            let space = String(repeating: " ", count: max(0, [56, 9, 9, 13, 12][column] - cell.count))
            return column == 0 ? cell + space : space + cell
        }.joined()
    }
}
