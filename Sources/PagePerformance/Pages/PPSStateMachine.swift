/// Follows a page through its life cycle and emits one event a visit, when the page disappears.
///
/// Every metric of a visit is measured here and nowhere else; what calls the handlers adds nothing. The handlers may
/// be called in any order, repeatedly, or not at all: what makes no sense in the present state is ignored. All states
/// and transitions stand in <doc:PageStates>.
///
/// A state machine belongs to one actor, the main one in an app, and so does its end: one that is let go during a visit
/// ends it, and emits its event.
public final class PPSStateMachine {
    /// Where the page is in its life.
    package enum PageState: String, CaseIterable {
        /// No visit is under way.
        case absent
        /// The view was loaded, or is about to be seen again.
        case prepared
        /// The page has appeared.
        case visible
    }

    /// Where the app is in its own life.
    enum AppState: String, CaseIterable {
        /// The user can use the app.
        case active
        /// Something lies over the app, or it is about to leave.
        case resigned
        /// The app may be suspended at any time, and its clocks say nothing of what the user sees.
        case suspended
    }

    /// The page's name, without which no event is emitted; `nil` where none was told, or a blank one.
    public private(set) var pageName: String?
    /// What became of the visits so far.
    public internal(set) var counts = PPSCounts()
    /// What was chosen about the events.
    public let configuration: PPSConfiguration

    let clock: any TimeSource
    /// The visit that goes on; `nil` between visits.
    var visit: VisitInProgress?
    /// What the page shows, in a visit or out of one.
    var levels = AdditionalLoadTimer.Levels()
    /// What its images show between visits; `nil` where none is known.
    var images: RichContentTimer?
    /// Where the app is.
    var appState = AppState.active
    /// Whether what a render cycle is awaited for isn't committed yet, so that no cycle can show it.
    var isUncommitted = false
    /// Who follows the page; `nil`: no one.
    weak var recorder: PageRecorder?
    /// Whether the page ever told whether a loader or the bottom of its list is visible: until then nobody can know
    /// whether a load was seen.
    private var tellsOfList = false
    private let makeVisitID: () -> String
    /// Takes each event; may call the machine back, which is whole again by then.
    let emit: (PageVisitEvent) -> Void

    /// Makes a state machine for a page.
    ///
    /// - Parameters:
    ///   - pageName: The page's name, where it is known by now.
    ///   - clock: What times are read from.
    ///   - configuration: What is chosen about the events.
    ///   - makeVisitID: Gives every visit an identity that no other has; random by default.
    ///   - emit: Takes each event, checkpoints included.
    public init(
        pageName: String? = nil, clock: any TimeSource = MonotonicClock(),
        configuration: PPSConfiguration = PPSConfiguration(), makeVisitID: (() -> String)? = nil,
        emit: @escaping (PageVisitEvent) -> Void
    ) {
        self.pageName = Self.pageName(pageName)
        self.clock = clock
        self.configuration = configuration
        self.makeVisitID = makeVisitID ?? VisitID.random
        self.emit = emit
    }

    deinit { endVisit(isFreed: true) }

    /// Where the page is in its life.
    package var pageState: PageState {
        guard let visit else { return .absent }
        return visit.hasAppeared ? .visible : .prepared
    }

    /// The present time, where it can be the start of a measurement.
    var startTime: Nanoseconds? {
        appState == .suspended ? nil : clock.now
    }

    /// Names the page, or makes the machine serve another one.
    ///
    /// A visit that has no name yet gets it. Where it has another one, that visit ends here, as if the page had
    /// disappeared, and a visit of the new page starts here, as if its view had just been loaded: shown if the former
    /// page was, without content, a loader or a bottom. `nil` and blank names are the same.
    public func handlePageName(_ name: String?) {
        let name = Self.pageName(name)
        guard name != pageName else { return }
        if pageName != nil {
            changePage(to: name)
        } else {
            pageName = name
            tellOutcome()
        }
        recorder?.pageDidChange()
    }

    private static func pageName(_ text: String?) -> String? {
        text.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
    }

    private func changePage(to name: String?) {
        let former = pageState
        let (event, end) = finish()
        pageName = name
        forgetContent()
        tellsOfList = false
        if former != .absent { startVisit(loadedAt: startTime) }
        if former == .visible { visit?.appear(at: startTime) }
        if let event { emit(event) }
        if let end { recorder?.visitDidEnd(end) }
    }

    func startVisit(loadedAt start: Nanoseconds?) {
        visit = VisitInProgress(
            id: makeVisitID(), loadedAt: start, levels: levels, images: images?.carriedOver,
            conditions: recorder?.conditions() ?? VisitConditions())
    }

    /// Takes the page for one that shows nothing yet.
    func forgetContent() {
        levels = AdditionalLoadTimer.Levels()
        images = nil
    }

    private func endVisit(isFreed: Bool = false) {
        let (event, end) = finish()
        if let event { emit(event) }
        if let end { recorder?.visitDidEnd(end, isFreed: isFreed) }
    }

    /// Tells of the visit as soon as its outcome is decided, once: the app may be killed at any time from then on.
    func tellOutcome() {
        guard let visit, visit.isDecided, !visit.isToldOf, visit.hasAppeared, pageName != nil else { return }
        self.visit?.isToldOf = true
        handleCheckpoint()
    }

    /// Notes that a render cycle is awaited from now on, where it wasn't before.
    func noteAwaitedCycle(since wasAwaited: Bool) {
        guard !wasAwaited, visit?.awaitsCycle ?? false else { return }
        isUncommitted = recorder?.followsCommits ?? false
        recorder?.pageDidChange()
    }

    /// What is known of the visit so far; `nil` where nothing would be emitted at its end.
    func checkpoint() -> PageVisitEvent? {
        guard let visit, visit.hasAppeared, let page = pageName else { return nil }
        var event = event(of: visit, page: page, at: clock.now)
        event.isCheckpoint = true
        return event
    }

    private func event(of visit: VisitInProgress, page: String, at now: Nanoseconds) -> PageVisitEvent {
        visit.event(page: page, at: now, tellsOfList: tellsOfList, configuration: configuration)
    }

    private func finish() -> (PageVisitEvent?, PPSCounts.End?) {
        guard var visit else { return (nil, nil) }
        self.visit = nil
        images = visit.richContent?.carriedOver
        let end: PPSCounts.End = !visit.hasAppeared ? .neverAppeared : pageName == nil ? .withoutName : .emitted
        counts.add(end)
        guard end == .emitted, let page = pageName else { return (nil, end) }
        let now = clock.now
        visit.disappear(at: now)
        return (event(of: visit, page: page, at: now), end)
    }
}

@available(*, unavailable)
extension PPSStateMachine: Sendable {}

extension PPSStateMachine {
    /// The app is about to be inactive: the last certain moment to say what is known, so a checkpoint is emitted.
    public func handleAppWillResign() {
        guard appState == .active else { return }
        visit?.interruptFrames()
        appState = .resigned
        handleCheckpoint()
    }

    /// The app is in the background and may be suspended: nothing that is being timed keeps its time.
    ///
    /// A checkpoint is emitted before, since more may be known than when the app resigned.
    public func handleAppDidSuspend() {
        guard appState != .suspended else { return }
        let checkpoint = checkpoint()
        appState = .suspended
        spoilIfSuspended()
        if let checkpoint { emit(checkpoint) }
    }

    /// The app is active again.
    public func handleAppDidResume() {
        appState = .active
    }

    /// Emits what is known of the visit so far, for an app that may be killed without a word.
    ///
    /// Later events of the visit, at the latest that of its end, replace it.
    public func handleCheckpoint() {
        if let checkpoint = checkpoint() { emit(checkpoint) }
    }

    /// Keeps measurements from starting while the app is suspended.
    func spoilIfSuspended() {
        if appState == .suspended { visit?.spoil(levels) }
    }
}

extension PPSStateMachine {
    /// The page was rendered in a new state.
    ///
    /// - Parameters:
    ///   - isLoading: Whether something is being loaded; where not, and without an error, content is set.
    ///   - isInitialLoading: Whether what is being loaded is the first content; `nil`: as the loading state before it,
    ///     and the first load is initial. It says nothing where nothing is being loaded.
    ///   - isError: Whether an error is shown, whatever else is told.
    public func handleDidRender(isLoading: Bool, isInitialLoading: Bool? = nil, isError: Bool = false) {
        levels.content = levels.content.after(
            isLoading: isLoading, isInitialLoading: isInitialLoading, isError: isError)
        guard visit != nil else { return }
        let wasAwaited = visit?.awaitsCycle ?? false
        visit?.render(levels, at: clock.now)
        spoilIfSuspended()
        noteAwaitedCycle(since: wasAwaited)
        tellOutcome()
    }

    /// A render cycle is over: what was set before it began is on the screen.
    ///
    /// - Parameter start: When it began, on the machine's clock, such as a display link's timestamp: changes made
    ///   later are not in it. `nil` promises that all changes so far are.
    public func handleRenderCycle(startedAt start: Nanoseconds? = nil) {
        guard !isUncommitted, visit?.awaitsCycle ?? false else { return }
        visit?.renderCycle(RenderCycle(start: start, end: clock.now))
        tellOutcome()
    }

    /// What was set so far is committed: the next render cycle shows it.
    public func handleCommit() {
        isUncommitted = false
    }

    /// A loader, which stands for content that is to come, became visible or went out of sight.
    public func handleLoaderVisibility(isVisible: Bool) {
        levels.isLoaderVisible = isVisible
        levelsChanged()
    }

    /// The bottom of the page's list became visible or went out of sight.
    public func handleListBottomVisibility(isVisible: Bool) {
        levels.isBottomVisible = isVisible
        levelsChanged()
    }

    /// The page's list was scrolled or changed its length: tells whether its bottom is visible.
    ///
    /// A position that isn't made of finite numbers is ignored.
    public func handleScroll(to position: ScrollPosition) {
        guard let isAtBottom = position.isAtBottom(within: configuration.bottomDistance) else { return }
        handleListBottomVisibility(isVisible: isAtBottom)
    }

    /// An image, or its placeholder, became visible or went out of sight.
    ///
    /// - Parameters:
    ///   - slot: Where the image is shown.
    ///   - url: Which image it is. An image that is shown while another is awaited in its slot came too late, and is
    ///     ignored. It says nothing where the slot went out of sight.
    ///   - status: What became visible, if anything.
    public func handleImageLoad(slot: ImageSlot, url: String?, status: ImageStatus) {
        let now = clock.now
        if visit == nil {
            images = images ?? RichContentTimer()
            images?.update(slot, url: url, status: status, at: now, isTimed: false)
        } else {
            visit?.image(in: slot, url: url, status: status, at: now, isTimed: appState != .suspended)
        }
    }

    /// A frame began.
    ///
    /// Frames outside of scrolling must be told too, or be preceded by one that is: the time from one scroll to the
    /// next isn't a hang.
    ///
    /// - Parameters:
    ///   - tick: The frame.
    ///   - isTracking: Whether the user scrolls: the run loop is in its tracking mode.
    public func handleFrameTick(_ tick: FrameTick, isTracking: Bool) {
        guard appState == .active else { return }
        visit?.frame(tick, isTracking: isTracking, clock: configuration.frameClock)
    }

    /// Frames stop coming, or a scroll begins or ends: the time until the next frame is no hang.
    public func handleFrameInterruption() {
        visit?.interruptFrames()
    }

    /// Sets the value of a formula that is only tried, for this visit; of several values the last one counts.
    ///
    /// A value that isn't a finite time of at least 0, and a blank name, are ignored.
    public func handleCandidate(_ name: String, _ value: Milliseconds) {
        guard value.value.isFinite, value.value >= 0, !name.allSatisfy(\.isWhitespace) else { return }
        visit?.set(candidate: name, to: value)
    }

    private func levelsChanged() {
        tellsOfList = true
        guard visit != nil else { return }
        let wasAwaited = visit?.awaitsCycle ?? false
        visit?.update(levels, at: clock.now)
        spoilIfSuspended()
        noteAwaitedCycle(since: wasAwaited)
    }
}

extension PPSStateMachine {
    /// View did load: a visit starts, and everything before it is forgotten.
    ///
    /// During a visit it is a repetition, and ignored.
    public func handleDidLoad() {
        handleDidLoad(at: nil)
    }

    /// View did load, or what corresponds to it, at a time that has passed; a time to come, and `nil`, are now.
    public func handleDidLoad(at time: Nanoseconds?) {
        guard visit == nil else { return }
        recorder?.visitWillStart()
        forgetContent()
        startVisit(loadedAt: startTime.map { min($0, time ?? $0) })
        recorder?.pageDidChange()
    }

    /// View will appear: a page that was left before is visited again, without view did load and the times from it.
    public func handleWillAppear() {
        guard visit == nil else { return }
        recorder?.visitWillStart()
        startVisit(loadedAt: nil)
        recorder?.pageDidChange()
    }

    /// The view laid out its subviews.
    public func handleDidLayoutSubviews() {
        visit?.layout(at: clock.now)
    }

    /// View did appear: from here the visit counts as one.
    public func handleDidAppear() {
        handleWillAppear()
        visit?.appear(at: startTime)
        recorder?.pageDidAppear(self)
        tellOutcome()
    }

    /// View did disappear: the visit ends, and its event is emitted.
    ///
    /// None is emitted, and the visit is counted, where the page has no name or never appeared.
    public func handleDidDisappear() {
        endVisit()
    }
}
