/// Combines all measurements of an app's pages: their visits, their scrolls and their frames. An app has one recorder.
/// The adapter of a user interface reports the pages that come and go, the app's life, and every frame; the recorder
/// emits its measurements as `PageRecord`s.
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
    /// Whether screens are measured over their whole life by their frames: only if all frames are reported. Otherwise their
    /// hangs are measured by the main thread's work (`mainThreadDidWork(from:to:)`).
    public var tracksScreens = true
    /// Whether the system launched the process before the user wanted the app.
    public var isPrewarmed = false
    /// Shows visits and scrolls in a recording tool; `nil`, the default, in none.
    public var signposter: (any PageSignposting)?
    /// The test's repetition, for the signposts.
    public var iteration: () -> Int = { 0 }
    /// The start of the main thread's present work; `nil` while it waits, or if it isn't known.
    public var workStart: (() -> Nanoseconds?)?
    /// Called when a page's visit starts or ends, or awaits a render cycle.
    public var onPageChange: (() -> Void)?
    /// Finds the page whose list the user scrolls. It is called at the start of a scroll while several scenes show pages.
    /// If it returns `nil`, the scroll isn't measured.
    public var scrolledPage: (() -> PPSStateMachine?)?

    let tracker: ScreenPerformanceTracker
    /// The app's state, which pages without a scene have.
    package var appState = PPSStateMachine.AppState.active
    var scenes: [SceneID: SceneLife] = [:]
    /// Whether the user sees the app or a scene of it.
    private(set) var isAttended = true
    private(set) var pages: [WeakPage] = []
    package let clock: any TimeSource
    fileprivate let makeVisitID: (() -> String)?
    private let emit: (PageRecord) -> Void
    /// The visit whose scrolls are recorded, and the one whose screen is.
    private var framesVisit: VisitKey?, screenVisit: VisitKey?
    private weak var framesPage: PPSStateMachine?
    /// The signposts of the visit whose scroll is in progress.
    private var scrolling: VisitSignposts?
    private var hangs: HangWatch
    /// The evaluations of bodies on pages whose visit hasn't started, by page and view.
    private var early: [String: [String: Int]] = [:]
    private var wasTracking = false
    private var isScripted = false

    /// Makes a recorder without pages.
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
        (self.configuration, self.clock, self.makeVisitID, self.emit) = (configuration, clock, makeVisitID, emit)
        var frames = frames
        frames.countsOutsideScrolls = false
        detector = FrameDropDetector(frames)
        detector.resume()
        hangs = HangWatch(threshold: frames.hangThreshold)
        tracker = ScreenPerformanceTracker(
            counting: frames.counting, clock: frames.clock, maxFPS: frames.maxFPS, hangThreshold: frames.hangThreshold)
        detector.sink = Sink(recorder: self)
    }

    private struct VisitKey {
        let page: String
        let visitID: String
        let conditions: VisitConditions

        /// The visit in progress of a page; `nil` without one, or if the page has no name.
        init?(_ page: PPSStateMachine?) {
            guard let name = page?.pageName, let visit = page?.visit else { return nil }
            (self.page, visitID, conditions) = (name, visit.id, visit.conditions)
        }

        init(_ event: PageVisitEvent) { (page, visitID, conditions) = (event.page, event.visitID, event.conditions) }
    }

    // MARK: Pages

    /// Makes the state machine of a page. Its owner keeps it, and the recorder doesn't.
    public func makePage(named name: String? = nil) -> PPSStateMachine { PPSStateMachine(named: name, of: self) }

    fileprivate func follow(_ page: PPSStateMachine) {
        page.recorder = self
        page.appState = appState
        pages.removeAll { $0.page == nil }
        pages.append(WeakPage(page))
    }

    /// The page whose scrolls are recorded: of the visible pages of the scenes that the user sees, the page that appeared
    /// last; with several such scenes, the page whose list the user scrolls. `nil` without one.
    public var currentPage: PPSStateMachine? { framesPage }

    /// The topmost visible pages of the scenes that the user sees; without such a scene, of all.
    private var topPages: [PPSStateMachine] {
        let visible = pages.reversed().compactMap(\.page).filter { $0.pageState == .visible }
        let seen = visible.filter { $0.appState.isAttended }
        return (seen.isEmpty ? visible : seen).reduce(into: []) { tops, page in
            // Pages without a scene are in the app's only one, as far as it is known.
            if !tops.contains(where: { $0.scene == page.scene || $0.scene == nil || page.scene == nil }) {
                tops.append(page)
            }
        }
    }

    /// Whether no page that the user sees has a visit, so frames need not be reported.
    public var isIdle: Bool { pages.allSatisfy { $0.page.map { $0.pageState == .absent || !$0.isTimed } ?? true } }

    func visitWillStart(of page: PPSStateMachine) {
        if isIdle { interrupt() }
        if let name = page.pageName, let counts = early.removeValue(forKey: name) { page.bodyEvaluations = counts }
    }

    /// A page became visible; frames belong to it from here on.
    func pageDidAppear(_ page: PPSStateMachine) {
        pages.removeAll { $0.page == nil || $0.page === page }
        pages.append(WeakPage(page))
        pageDidChange()
    }

    /// A page's visit ended; from here on frames belong to the page below, if there is one.
    func visitDidEnd(_ end: PPSCounts.End, isFreed: Bool = false) {
        counts[keyPath: end] += 1
        if isFreed { counts.freed += 1 }
        live?.unnamedVisits = counts.withoutName
        pageDidChange()
    }

    /// A page got its name, switched to another page, or awaits something.
    func pageDidChange() {
        updateFramesPage()
        onPageChange?()
    }

    /// Assigns frames to the visible visit; a scroll in progress ends with the visit that it began in. With several
    /// scenes in front of the user, all their frames are those of one main thread, so no screen owns them.
    private func updateFramesPage(isScrollStart: Bool = false) {
        let tops = topPages
        var current = tops.count == 1 ? tops.first : nil
        if tops.count > 1, isScrollStart || wasTracking || isScripted {
            let scrolled = isScrollStart ? scrolledPage?() : framesPage
            current = tops.first { $0 === scrolled }
        }
        framesPage = current
        follow(screen: tops.count == 1 ? VisitKey(tops.first) : nil, isShown: tops.first?.appState.isAttended ?? false)
        let next = VisitKey(current)
        guard next?.visitID != framesVisit?.visitID || next?.page != framesVisit?.page else { return }
        endScroll()
        framesVisit = next
    }

    private func follow(screen next: VisitKey?, isShown: Bool) {
        guard next?.visitID != screenVisit?.visitID || next?.page != screenVisit?.page else {
            if next != nil, !tracksScreens { hangs.show(isShown, at: clock.now) }
            return
        }
        // Its last scroll comes first.
        endScroll()
        let former = screenVisit
        screenVisit = next
        if tracksScreens {
            let screen = tracker.track(screen: next?.page)
            if let former, let screen { emit(.screen(screen), of: former) }
        } else {
            let now = clock.now
            let record = hangs.take(at: now, workingSince: workStart?())
            if next != nil { hangs.show(isShown, at: now) }
            if let former, let record { emit(.hangs(record), of: former) }
        }
    }

    private func emit(_ content: PageRecord.Content, of visit: VisitKey) {
        emit(PageRecord(page: visit.page, visitID: visit.visitID, content: content, conditions: visit.conditions))
    }

    func finish(_ event: PageVisitEvent, evaluations: [String: Int]) {
        let visit = VisitKey(event)
        for (view, count) in evaluations.sorted(by: { $0.key < $1.key }) {
            emit(.bodyEvaluations(count, view: view), of: visit)
        }
        live?.lastVisit = event
        emit(.visit(event), of: visit)
    }

    /// A view's body was evaluated on a page with this name: of several, on the page that appeared last. The count is
    /// recorded when the page's visit ends.
    public func countBodyEvaluation(of view: String, on page: String) {
        let known = pages.last { $0.page.map { $0.pageName == page && $0.pageState != .absent } ?? false }?.page
        guard let known else { return early[page, default: [:]][view, default: 0] += 1 }
        known.bodyEvaluations[view, default: 0] += 1
    }

    // MARK: Frames

    /// A frame began; `isTracking`: whether the user scrolls, with the run loop in its tracking mode. A scroll lasts as
    /// long as the user scrolls, unless `beginScroll()` began it.
    public func tick(_ tick: FrameTick, isTracking: Bool) {
        guard isAttended else { return }
        follow(isTracking)
        detector.tick(tick)
        if tracksScreens { tracker.tick(tick) }
        live?.add(tick)
        if detector.scroll != nil { framesPage?.handleFrameTick(tick, isTracking: true) }
        for page in pages { page.page?.handleRenderCycle(startedAt: tick.timestamp) }
    }

    /// A render cycle began, and nothing else of its frame is to be measured.
    public func renderCycle(startedAt start: Nanoseconds) {
        guard isAttended else { return }
        for page in pages { page.page?.handleRenderCycle(startedAt: start) }
    }

    /// Whether the user sees the app; frames only count then.
    func see(_ isSeen: Bool) {
        guard isSeen != isAttended else { return }
        isAttended = isSeen
        guard !isSeen else { return detector.didBecomeActive() }
        // The user's scroll ends here; a finger that still moves afterwards makes another one.
        wasTracking = false
        endScroll()
        detector.willResignActive()
        tracker.interrupt()
        live?.interrupt()
    }

    /// The main thread worked without a pause: what a run loop's observer sees, for hangs of screens without frames.
    public func mainThreadDidWork(from start: Nanoseconds, to end: Nanoseconds) {
        if !tracksScreens { hangs.add(from: start, to: end) }
    }

    private func follow(_ isTracking: Bool) {
        guard isTracking != wasTracking else { return }
        wasTracking = isTracking
        guard !isScripted else { return }
        if isTracking { openScroll() } else { closeScroll() }
        interruptPages()
    }

    private func interruptPages() { for page in pages { page.page?.handleFrameInterruption() } }

    /// Begins a programmatic scroll, such as a test's; it lasts until `endScroll()`.
    public func beginScroll() {
        isScripted = true
        openScroll()
        interruptPages()
    }

    private func openScroll() {
        updateFramesPage(isScrollStart: true)
        closeScroll()
        detector.beginScroll()
        scrolling = framesPage?.openSignposts()
        scrolling?.begin(.scroll)
    }

    @discardableResult
    private func closeScroll() -> ScrollRecord? {
        scrolling?.end(.scroll)
        scrolling = nil
        return detector.endScroll()
    }

    /// Ends the scroll in progress, if there is one; also `nil` if no interval of it was measured.
    @discardableResult
    public func endScroll() -> ScrollRecord? {
        isScripted = false
        let record = closeScroll()
        interruptPages()
        return record
    }

    /// The list rests: a finger's scroll ends here, and not with the next frame, which may come much later.
    public func scrollDidRest() { follow(false) }

    /// Frames were not reported for a while: the next frame is no neighbour of the last, and a finger that moves
    /// then makes another scroll.
    public func interrupt() {
        wasTracking = false
        if !isScripted { closeScroll() }
        detector.interrupt()
        interruptPages()
        tracker.interrupt()
        live?.interrupt()
    }

    /// Takes the detector's measurement; discards it if the page has no name.
    private struct Sink: FrameRecordSink {
        weak var recorder: PageRecorder?

        func record(_ drop: FrameDrop) { emit(.drop(drop)) }

        func record(_ scroll: ScrollRecord) { emit(.scroll(scroll)) }

        func record(_ segment: SegmentRecord) { emit(.segment(segment)) }

        private func emit(_ content: PageRecord.Content) {
            guard let recorder, let visit = recorder.framesVisit else { return }
            recorder.emit(content, of: visit)
        }
    }
}

@available(*, unavailable)
extension PageRecorder: Sendable {}

/// A page that its owner keeps. It is a class, because every frame would copy weak references, which is expensive.
final class WeakPage {
    private(set) weak var page: PPSStateMachine?

    init(_ page: PPSStateMachine) { self.page = page }
}

extension PPSStateMachine {
    /// Makes the state machine of a page with its observing recorder.
    package convenience init(named name: String?, of recorder: PageRecorder) {
        self.init(
            pageName: name, clock: recorder.clock, configuration: recorder.configuration,
            makeVisitID: recorder.makeVisitID
        ) { _ in }
        recorder.follow(self)
    }

    /// A body was evaluated; a repeated number is the same evaluation, and 0 is none.
    package func countBodyEvaluation(_ number: Int, of view: String) {
        guard number > lastEvaluation else { return }
        lastEvaluation = number
        bodyEvaluations[view, default: 0] += 1
    }
}
