/// Combines all measurements of an app's pages: their visits, their scrolls and their frames.
///
/// An app has one recorder. The adapter of a user interface reports the pages that come and go, the app's life, and
/// every frame; the recorder emits its measurements as `PageRecord`s.
///
///     let page = recorder.makePage(named: "Search")
///     page.handleDidLoad()
///     page.handleDidAppear()
///     recorder.tick(tick, isTracking: true)      // the display link
///     page.handleDidDisappear()
///
/// A recorder and its pages belong to one actor, the main actor in an app. Frames of scrolls belong to the page that
/// appeared last and hasn't disappeared.
public final class PageRecorder {
    /// The detector, which counts frames and reports drops immediately.
    public let detector: FrameDropDetector
    /// The settings for the events of visits.
    public let configuration: PPSConfiguration
    /// The outcomes of all pages' visits, including visits without a name, which have no record.
    public private(set) var counts = PPSCounts()
    /// Numbers for display while the app runs; `nil`, the default, without a display.
    public var live: LiveFigures?
    /// Reads the conditions that each visit starts under.
    public var conditions: () -> VisitConditions = { VisitConditions() }
    /// Whether commits are reported (`didCommit()`), so a render cycle only counts after a commit.
    public var followsCommits = false
    /// Whether screens are measured over their whole life: only if all of their frames are reported.
    public var tracksScreens = true
    /// Called when a page's visit starts or ends, or awaits a render cycle.
    public var onPageChange: (() -> Void)?

    let tracker: ScreenPerformanceTracker
    var appState = PPSStateMachine.AppState.active
    private(set) var pages: [WeakPage] = []
    package let clock: any TimeSource
    fileprivate let makeVisitID: (() -> String)?
    private let emit: (PageRecord) -> Void
    private var framesVisit: VisitKey?
    private var evaluations: [String: [String: Int]] = [:]
    private var wasTracking = false
    private var isScripted = false

    /// Makes a recorder without pages.
    ///
    /// - Parameters:
    ///   - configuration: The settings for the events of visits.
    ///   - frames: How frames are counted; frames outside of scrolls never count as dropped.
    ///   - clock: The source of times, the same as that of the frames' timestamps.
    ///   - makeVisitID: Makes a unique identity for every visit; random by default.
    ///   - emit: Receives the measurements.
    public init(
        configuration: PPSConfiguration = PPSConfiguration(),
        frames: FrameDropDetector.Configuration = FrameDropDetector.Configuration(),
        clock: any TimeSource = MonotonicClock(), makeVisitID: (() -> String)? = nil,
        emit: @escaping (PageRecord) -> Void
    ) {
        self.configuration = configuration
        self.clock = clock
        self.makeVisitID = makeVisitID
        self.emit = emit
        var frames = frames
        frames.countsOutsideScrolls = false
        detector = FrameDropDetector(frames)
        detector.resume()
        tracker = ScreenPerformanceTracker(
            counting: frames.counting, clock: frames.clock, maxFPS: frames.maxFPS, hangThreshold: frames.hangThreshold)
        detector.sink = Sink(recorder: self)
    }

    private struct VisitKey {
        let page: String
        let visitID: String
        let conditions: VisitConditions
    }

    // MARK: Pages

    /// Makes the state machine of a page. Its owner keeps it, and the recorder doesn't.
    public func makePage(named name: String? = nil) -> PPSStateMachine {
        PPSStateMachine(named: name, of: self)
    }

    fileprivate func follow(_ page: PPSStateMachine) {
        page.recorder = self
        page.appState = appState
        pages.removeAll { $0.page == nil }
        pages.append(WeakPage(page))
    }

    /// The page whose frames are recorded: the visible page that appeared last; `nil` without one.
    public var currentPage: PPSStateMachine? {
        pages.last { $0.page?.pageState == .visible }?.page
    }

    /// Whether no page has a visit, so frames need not be reported.
    public var isIdle: Bool {
        pages.allSatisfy { $0.page?.pageState ?? .absent == .absent }
    }

    func visitWillStart() {
        if isIdle { interrupt() }
    }

    /// A page became visible; frames belong to it from here on.
    func pageDidAppear(_ page: PPSStateMachine) {
        pages.removeAll { $0.page == nil || $0.page === page }
        pages.append(WeakPage(page))
        pageDidChange()
    }

    /// A page's visit ended; from here on frames belong to the page below, if there is one.
    func visitDidEnd(_ end: PPSCounts.End, isFreed: Bool = false) {
        counts.add(end)
        if isFreed { counts.freed += 1 }
        live?.unnamedVisits = counts.withoutName
        pageDidChange()
    }

    /// A page got its name, switched to another page, or awaits something.
    func pageDidChange() {
        updateFramesPage()
        onPageChange?()
    }

    /// Assigns frames to the visible visit; a scroll in progress ends with the visit that it began in.
    private func updateFramesPage() {
        let current = currentPage
        let name = current?.pageName
        let visit = name == nil ? nil : current?.visit
        guard visit?.id != framesVisit?.visitID || name != framesVisit?.page else { return }
        endScroll()
        let screen = tracker.track(screen: name)
        let former = framesVisit
        framesVisit = name.flatMap { name in
            visit.map { VisitKey(page: name, visitID: $0.id, conditions: $0.conditions) }
        }
        if let former, let screen { emit(.screen(screen), of: former) }
    }

    private func emit(_ content: PageRecord.Content, of visit: VisitKey) {
        emit(PageRecord(page: visit.page, visitID: visit.visitID, content: content, conditions: visit.conditions))
    }

    fileprivate func finish(_ event: PageVisitEvent) {
        let visit = VisitKey(page: event.page, visitID: event.visitID, conditions: event.conditions)
        if !event.isCheckpoint {
            let counts = evaluations.removeValue(forKey: event.page) ?? [:]
            for (view, count) in counts.sorted(by: { $0.key < $1.key }) {
                emit(.bodyEvaluations(count, view: view), of: visit)
            }
        }
        live?.lastVisit = event
        emit(.visit(event), of: visit)
    }

    /// A view's body was evaluated; the count is recorded when the page's visit ends.
    public func countBodyEvaluation(of view: String, on page: String) {
        evaluations[page, default: [:]][view, default: 0] += 1
    }

    // MARK: Frames

    /// A frame began; `isTracking`: whether the user scrolls, with the run loop in its tracking mode.
    ///
    /// A scroll lasts as long as the user scrolls, unless `beginScroll()` began it.
    public func tick(_ tick: FrameTick, isTracking: Bool) {
        guard appState == .active else { return }
        updateFramesPage()
        follow(isTracking)
        detector.tick(tick)
        if tracksScreens { tracker.tick(tick) }
        live?.add(tick)
        let isScrolling = detector.scroll != nil
        let current = currentPage
        for case let page? in pages.lazy.map(\.page) {
            page.handleFrameTick(tick, isTracking: isScrolling && page === current)
            page.handleRenderCycle(startedAt: tick.timestamp)
        }
    }

    /// A render cycle began, and nothing else of its frame is to be measured.
    public func renderCycle(startedAt start: Nanoseconds) {
        guard appState == .active else { return }
        for page in pages { page.page?.handleRenderCycle(startedAt: start) }
    }

    private func follow(_ isTracking: Bool) {
        guard isTracking != wasTracking else { return }
        wasTracking = isTracking
        guard !isScripted else { return }
        if isTracking { detector.beginScroll() } else { detector.endScroll() }
        interruptPages()
    }

    private func interruptPages() {
        for page in pages { page.page?.handleFrameInterruption() }
    }

    /// Begins a programmatic scroll, such as a test's; it lasts until `endScroll()`.
    public func beginScroll() {
        isScripted = true
        detector.beginScroll()
        interruptPages()
    }

    /// Ends the scroll in progress, if there is one; also `nil` if no interval of it was measured.
    @discardableResult
    public func endScroll() -> ScrollRecord? {
        isScripted = false
        let record = detector.endScroll()
        interruptPages()
        return record
    }

    /// The list rests: a finger's scroll ends here, and not with the next frame, which may come much later.
    public func scrollDidRest() {
        follow(false)
    }

    /// Frames were not reported for a while: the next frame is no neighbour of the last, and a finger that moves
    /// then makes another scroll.
    public func interrupt() {
        wasTracking = false
        if !isScripted { detector.endScroll() }
        detector.interrupt()
        interruptPages()
        tracker.interrupt()
        live?.interrupt()
    }

    /// Takes the detector's measurement; discards it if the page has no name.
    private struct Sink: FrameRecordSink {
        weak var recorder: PageRecorder?

        func record(_ drop: FrameDrop) {
            emit(.drop(drop))
        }

        func record(_ scroll: ScrollRecord) {
            emit(.scroll(scroll))
        }

        func record(_ segment: SegmentRecord) {
            emit(.segment(segment))
        }

        private func emit(_ content: PageRecord.Content) {
            guard let recorder, let visit = recorder.framesVisit else { return }
            recorder.emit(content, of: visit)
        }
    }
}

@available(*, unavailable)
extension PageRecorder: Sendable {}

extension PPSStateMachine {
    /// Makes the state machine of a page with its observing recorder.
    package convenience init(named name: String?, of recorder: PageRecorder) {
        self.init(
            pageName: name, clock: recorder.clock, configuration: recorder.configuration,
            makeVisitID: recorder.makeVisitID
        ) { [weak recorder] in recorder?.finish($0) }
        recorder.follow(self)
    }
}
