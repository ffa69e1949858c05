/// Brings together what is measured of an app's pages: their visits, their scrolls and their frames.
///
/// An app has one recorder. Whoever adapts a user interface tells it of pages that come and go, of the app's life, and
/// of every frame; what it measured it gives away as `PageRecord`s.
///
///     let page = recorder.makePage(named: "Search")
///     recorder.didLoad(page)
///     recorder.didAppear(page)
///     recorder.tick(tick, isTracking: true)      // the display link
///     recorder.didDisappear(page)
///
/// A recorder belongs to one actor, the main one in an app, and so do its pages. Frames of scrolls belong to the page
/// that appeared last and hasn't disappeared.
public final class PageRecorder {
    /// How frames are counted, and dropped ones are told at once.
    public let detector: FrameDropDetector
    /// What was chosen about the events of visits.
    public let configuration: PPSConfiguration
    /// What became of the visits of all pages, those without a name among them, which are in no record.
    public private(set) var counts = PPSCounts()
    /// Numbers for the eye while the app runs; `nil`, as by default, where nobody looks.
    public var live: LiveFigures?

    let tracker: ScreenPerformanceTracker
    var appState = PPSStateMachine.AppState.active
    private(set) var pages: [WeakPage] = []
    private let clock: any TimeSource
    private let makeVisitID: (() -> String)?
    private let emit: (PageRecord) -> Void
    private var framesVisit: (page: String, visitID: String)?
    private var evaluations: [String: [String: Int]] = [:]
    private var wasTracking = false
    private var isScripted = false

    /// Makes a recorder without pages.
    ///
    /// - Parameters:
    ///   - configuration: What is chosen about the events of visits.
    ///   - frames: How frames are counted; those outside of scrolls never count as dropped, whatever it says.
    ///   - clock: What times are read from, the same as the frames' timestamps.
    ///   - makeVisitID: Gives every visit an identity that no other has; random by default.
    ///   - emit: Takes what was measured.
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
        tracker = ScreenPerformanceTracker(counting: frames.counting, clock: frames.clock, maxFPS: frames.maxFPS)
        detector.sink = Sink(recorder: self)
    }

    // MARK: Pages

    /// Makes the state machine of a page. The recorder doesn't keep it: with its owner it is gone.
    public func makePage(named name: String? = nil) -> PPSStateMachine {
        let page = PPSStateMachine(
            pageName: name, clock: clock, configuration: configuration, makeVisitID: makeVisitID
        ) { [weak self] in self?.finish($0) }
        page.appState = appState
        pages.removeAll { $0.page == nil }
        pages.append(WeakPage(page))
        return page
    }

    /// The page whose frames are recorded: the last that appeared of those that are visible; `nil` without one.
    public var currentPage: PPSStateMachine? {
        pages.last { $0.page?.pageState == .visible }?.page
    }

    /// Whether no page has a visit, so that frames need not be told.
    public var isIdle: Bool {
        pages.allSatisfy { $0.page?.pageState ?? .absent == .absent }
    }

    /// The page's view was loaded.
    public func didLoad(_ page: PPSStateMachine) {
        if isIdle { interrupt() }
        page.handleDidLoad()
    }

    /// The page is about to be seen.
    public func willAppear(_ page: PPSStateMachine) {
        if isIdle { interrupt() }
        page.handleWillAppear()
    }

    /// The page is seen; from here the frames are its own.
    public func didAppear(_ page: PPSStateMachine) {
        if isIdle { interrupt() }
        page.handleDidAppear()
        pages.removeAll { $0.page == nil || $0.page === page }
        pages.append(WeakPage(page))
        updateFramesPage()
    }

    /// The page went away; from here the frames are those of the page below, if there is one.
    public func didDisappear(_ page: PPSStateMachine) {
        count(page) { page.handleDidDisappear() }
        updateFramesPage()
    }

    /// The page got its name, or shows another page from now on.
    public func rename(_ page: PPSStateMachine, to name: String?) {
        count(page) { page.handlePageName(name) }
        updateFramesPage()
    }

    /// Counts the visit that ends with a change, if one does.
    private func count(_ page: PPSStateMachine, _ change: () -> Void) {
        let before = page.counts
        change()
        counts.emitted += page.counts.emitted - before.emitted
        counts.withoutName += page.counts.withoutName - before.withoutName
        counts.neverAppeared += page.counts.neverAppeared - before.neverAppeared
        live?.unnamedVisits = counts.withoutName
    }

    /// Gives frames to the visit that is visible now; a scroll that goes on ends with the visit that it began in.
    private func updateFramesPage() {
        let current = currentPage
        let name = current?.pageName
        let visitID = name == nil ? nil : current?.visit?.id
        guard visitID != framesVisit?.visitID || name != framesVisit?.page else { return }
        endScroll()
        let screen = tracker.track(screen: name)
        let former = framesVisit
        framesVisit = name.flatMap { name in visitID.map { (name, $0) } }
        if let former, let screen { emit(.screen(screen), of: former) }
    }

    private func emit(_ content: PageRecord.Content, of visit: (page: String, visitID: String)) {
        emit(PageRecord(page: visit.page, visitID: visit.visitID, content: content))
    }

    private func finish(_ event: PageVisitEvent) {
        let visit = (event.page, event.visitID)
        if !event.isCheckpoint {
            let counts = evaluations.removeValue(forKey: event.page) ?? [:]
            for (view, count) in counts.sorted(by: { $0.key < $1.key }) {
                emit(.bodyEvaluations(count, view: view), of: visit)
            }
            live?.lastVisit = event
        }
        emit(.visit(event), of: visit)
    }

    /// A view's body was evaluated; the count is recorded when the page's visit ends.
    public func countBodyEvaluation(of view: String, on page: String) {
        evaluations[page, default: [:]][view, default: 0] += 1
    }

    // MARK: Frames

    /// A frame began; `isTracking` says whether the user scrolls: whether the run loop is in its tracking mode.
    ///
    /// A scroll lasts as long as the user scrolls, unless `beginScroll()` began it.
    public func tick(_ tick: FrameTick, isTracking: Bool) {
        guard appState == .active else { return }
        updateFramesPage()
        follow(isTracking)
        detector.tick(tick)
        tracker.tick(tick)
        live?.add(tick)
        let isScrolling = detector.scroll != nil
        let current = currentPage
        for case let page? in pages.lazy.map(\.page) {
            page.handleFrameTick(tick, isTracking: isScrolling && page === current)
            page.handleRenderCycle(startedAt: tick.timestamp)
        }
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

    /// Begins a scroll that no finger makes, such as a test's; it lasts until `endScroll()`.
    public func beginScroll() {
        isScripted = true
        detector.beginScroll()
        interruptPages()
    }

    /// Ends the scroll that goes on, if there is one.
    public func endScroll() {
        isScripted = false
        detector.endScroll()
        interruptPages()
    }

    /// Frames were not told for a while: what comes next is no neighbour of what came before, and a finger that moves
    /// then makes another scroll.
    public func interrupt() {
        wasTracking = false
        if !isScripted { detector.endScroll() }
        detector.interrupt()
        interruptPages()
        tracker.interrupt()
        live?.interrupt()
    }

    /// Takes what the detector measured; of a page without a name it is dropped.
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

/// A page that its owner keeps. A class, because copies of weak references are dear and every frame would make some.
final class WeakPage {
    private(set) weak var page: PPSStateMachine?

    init(_ page: PPSStateMachine) {
        self.page = page
    }
}

extension PageRecorder {
    /// The app is about to be inactive: every visible page says what it knows.
    public func appWillResign() {
        guard appState == .active else { return }
        appState = .resigned
        detector.willResignActive()
        tracker.interrupt()
        live?.interrupt()
        for page in pages { page.page?.handleAppWillResign() }
    }

    /// The app is in the background and may be suspended.
    public func appDidSuspend() {
        appWillResign()
        appState = .suspended
        for page in pages { page.page?.handleAppDidSuspend() }
    }

    /// The app is active again.
    public func appDidResume() {
        guard appState != .active else { return }
        appState = .active
        detector.didBecomeActive()
        for page in pages { page.page?.handleAppDidResume() }
    }
}
