/// Follows a page through its life cycle and emits one event a visit, when the page disappears.
///
/// This type measures every metric of a visit; callers of the handlers add nothing. The handlers may be called in any
/// order, repeatedly, or not at all: a call that makes no sense in the present state is ignored. <doc:PageStates> lists
/// all states and transitions.
///
/// A state machine belongs to one actor, the main actor in an app, and is also released there. Its release during a
/// visit ends the visit, and emits its event.
public final class PPSStateMachine {
    package enum PageState: String, CaseIterable {
        /// No visit is under way.
        case absent
        /// The view was loaded, or will appear again.
        case prepared
        /// The page has appeared.
        case visible
    }

    /// The state of the app, or of the page's scene if it has one.
    package enum AppState: String, CaseIterable, Sendable {
        /// The process was launched, and it isn't known whether a user waits for it.
        case launching
        /// It enters the foreground: the user sees it and waits.
        case entering
        /// The user can use it.
        case active
        /// Something covers it, or the user is about to leave it.
        case resigned
        /// It may be suspended at any time, and its clocks don't reflect the user's experience.
        case suspended

        /// Whether the user sees the app and waits for it.
        var isAttended: Bool { self == .entering || self == .active }
    }

    /// The page's name, which an event requires; `nil` without a name, or for a blank one.
    public private(set) var pageName: String?
    /// The outcomes of the visits so far.
    public internal(set) var counts = PPSCounts()
    /// The settings for the events.
    public let configuration: PPSConfiguration

    let clock: any TimeSource
    var visit: VisitInProgress?
    /// The page's content, during a visit or outside of one.
    var levels = AdditionalLoadTimer.Levels()
    /// The state of its images between visits; `nil` without a known image.
    var images: RichContentTimer?
    var appState = AppState.active
    /// The scene whose state it follows; `nil`: the app's.
    var scene: SceneID?
    /// The clock that goes on while the device sleeps, for the time between a launch and its user.
    let uptime: any TimeSource
    /// Whether the awaited change isn't committed yet, so no cycle can show it.
    var isUncommitted = false
    weak var recorder: PageRecorder?
    /// Whether the page ever reported the visibility of a loader or of its list's bottom: without such reports it is
    /// unknown whether a load was seen.
    private var tellsOfList = false
    /// The evaluations of bodies during the visit, by view.
    var bodyEvaluations: [String: Int] = [:]
    var lastEvaluation = 0
    /// Whether the visit's outcome was emitted when it was decided.
    private var isToldOf = false
    private let makeVisitID: () -> String
    /// Receives each event; it may call the machine back, which is in a consistent state by then.
    let emit: (PageVisitEvent) -> Void

    /// Makes a state machine for a page.
    /// - Parameters:
    ///   - pageName: The page's name, if already known.
    ///   - clock: The source of times.
    ///   - configuration: The settings for the events.
    ///   - makeVisitID: Makes a unique identity for every visit; random by default.
    ///   - emit: Receives each event, including checkpoints.
    public init(
        pageName: String? = nil, clock: any TimeSource = MonotonicClock(),
        configuration: PPSConfiguration = PPSConfiguration(), makeVisitID: (() -> String)? = nil,
        emit: @escaping (PageVisitEvent) -> Void
    ) {
        self.pageName = Self.pageName(pageName)
        (self.clock, self.configuration, self.emit) = (clock, configuration, emit)
        uptime = clock is MonotonicClock ? UptimeClock() : clock
        self.makeVisitID = makeVisitID ?? VisitID.random
    }

    deinit { endVisit(isFreed: true) }

    package var pageState: PageState {
        guard let visit else { return .absent }
        return visit.hasAppeared ? .visible : .prepared
    }

    /// Whether measurements can start: the user waits, or may turn out to have waited.
    var isTimed: Bool { appState.isAttended || appState == .launching }

    /// The present time, if it can be the start of a measurement.
    var startTime: Nanoseconds? { isTimed ? clock.now : nil }

    /// Names the page, or switches the machine to another page.
    ///
    /// A visit without a name gets this name. A visit with another name ends here, as if the page had disappeared.
    /// Then a visit of the new page starts, as if its view had just been loaded: visible if the former page was,
    /// without content, a loader or a bottom. `nil` and blank names are equal.
    public func handlePageName(_ name: String?) {
        let name = Self.pageName(name)
        guard name != pageName else { return }
        if pageName != nil {
            changePage(to: name)
        } else {
            pageName = name
            beginSignposts()
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
        if former == .visible { visit?.appear(at: appearance) }
        if let event { tell(event) }
        if let end { recorder?.visitDidEnd(end) }
    }

    func startVisit(loadedAt start: Nanoseconds?) {
        visit = VisitInProgress(
            id: makeVisitID(), at: clock.now, loadedAt: start, levels: levels, images: images?.carriedOver,
            conditions: recorder?.conditions() ?? VisitConditions(), isInactive: !isTimed,
            launchedAt: appState == .launching ? uptime.now : nil)
        beginSignposts()
    }

    /// The present time, if it can be the start of a visit's duration.
    var appearance: Nanoseconds? { appState == .suspended ? nil : clock.now }

    /// Resets the page's content to nothing.
    func forgetContent() {
        levels = AdditionalLoadTimer.Levels()
        images = nil
    }

    private func endVisit(isFreed: Bool = false) {
        let (event, end) = finish()
        if let event { tell(event) }
        if let end { recorder?.visitDidEnd(end, isFreed: isFreed) }
    }

    /// Emits an event, and with a final one the numbers of evaluated bodies.
    func tell(_ event: PageVisitEvent) {
        var counts: [String: Int] = [:]
        if !event.isCheckpoint { swap(&counts, &bodyEvaluations) }
        recorder?.finish(event, evaluations: counts)
        emit(event)
    }

    /// Emits a checkpoint as soon as the outcome is decided: the app may be killed at any time from then on.
    func tellOutcome() {
        guard let visit, visit.isDecided, !visit.isInactive, visit.launchedAt == nil, !isToldOf else { return }
        guard visit.hasAppeared, pageName != nil else { return }
        isToldOf = true
        handleCheckpoint()
    }

    /// Notifies the observer if a render cycle is awaited now and wasn't before.
    func noteAwaitedCycle(since wasAwaited: Bool) {
        guard !wasAwaited, visit?.awaitsCycle ?? false else { return }
        isUncommitted = recorder?.followsCommits ?? false
        recorder?.pageDidChange()
    }

    /// Emits the visit so far, for an app that may be killed without notice, unless its end would emit nothing, or
    /// nothing but its duration changed. Later events of the visit, at the latest the final event, replace it.
    public func handleCheckpoint() {
        guard visit?.hasAppeared ?? false, let page = pageName else { return }
        let now = clock.now
        confirmInitialValue(at: now)
        let event = visit?.checkpoint(page: page, at: now, tellsOfList: tellsOfList, configuration: configuration)
        if let event { tell(event) }
    }

    private func finish() -> (PageVisitEvent?, PPSCounts.End?) {
        guard visit != nil else { return (nil, nil) }
        confirmInitialValue(at: clock.now, isEnd: true)
        guard var visit else { return (nil, nil) }
        // A page that becomes visible again has had its load, or needs none.
        if levels.content == .unbegun { levels.content = .present }
        self.visit = nil
        visit.signposts?.endAll()
        isToldOf = false
        images = visit.richContent?.carriedOver
        let end: PPSCounts.End = !visit.hasAppeared ? \.neverAppeared : pageName == nil ? \.withoutName : \.emitted
        counts[keyPath: end] += 1
        guard visit.hasAppeared, let page = pageName else { return (nil, end) }
        let now = clock.now
        visit.richContent?.leave(at: now)
        return (visit.event(page: page, at: now, tellsOfList: tellsOfList, configuration: configuration), end)
    }
}

@available(*, unavailable)
extension PPSStateMachine: Sendable {}

extension PPSStateMachine {
    /// The page was rendered in a new state.
    /// - Parameters:
    ///   - isLoading: Whether something is being loaded; if not, and without an error, content is set.
    ///   - isInitialLoading: Whether the first content is being loaded; `nil`: as in the loading state before, and the
    ///     first load is initial. It has no meaning while nothing is being loaded.
    ///   - isError: Whether an error is shown; it takes precedence over the other parameters.
    public func handleDidRender(isLoading: Bool, isInitialLoading: Bool? = nil, isError: Bool = false) {
        let now = clock.now
        confirmInitialValue(at: now)
        show(levels.content.after(isLoading: isLoading, isInitialLoading: isInitialLoading, isError: isError), at: now)
    }

    /// The page shows the initial value of its model, which isn't loading: a load that begins within a second after it
    /// was shown is the initial load. Otherwise it counts as the page's content, from the time when it was shown. It
    /// only means something before the page's first render.
    public func handleInitialValue() { if levels.content == .nothing { show(.unbegun, at: clock.now) } }

    private func show(_ content: PageContent, at now: Nanoseconds) {
        levels.content = content
        guard visit != nil else { return }
        let wasAwaited = visit?.awaitsCycle ?? false
        visit?.render(levels, at: now, isTimed: isTimed)
        stopTimesIfAway()
        noteAwaitedCycle(since: wasAwaited)
        tellOutcome()
    }

    /// Takes the shown initial value of the page's model as its content, if it was there for long enough.
    func confirmInitialValue(at now: Nanoseconds, isEnd: Bool = false) {
        guard levels.content == .unbegun, visit?.initialLoad.confirm(at: now, isEnd: isEnd) ?? false else { return }
        levels.content = .present
        visit?.additionalLoads.update(levels, at: now)
        if !isEnd { tellOutcome() }
    }

    /// A render cycle is over: the changes set before it began are on the screen.
    /// - Parameter start: When it began, on the machine's clock, such as a display link's timestamp: it doesn't show
    ///   later changes. `nil` means that it shows all changes so far.
    public func handleRenderCycle(startedAt start: Nanoseconds? = nil) {
        guard appState.isAttended else { return }
        if levels.content == .unbegun { confirmInitialValue(at: clock.now) }
        guard !isUncommitted, visit?.awaitsCycle ?? false else { return }
        visit?.renderCycle(RenderCycle(start: start, end: clock.now))
        tellOutcome()
    }

    /// All changes so far are committed: the next render cycle shows them.
    public func handleCommit() { isUncommitted = false }

    /// A loader, the placeholder for further content, became visible or went out of sight.
    public func handleLoaderVisibility(isVisible: Bool) {
        levels.isLoaderVisible = isVisible
        levelsChanged()
    }

    /// The bottom of the page's list became visible or went out of sight.
    public func handleListBottomVisibility(isVisible: Bool) {
        levels.isBottomVisible = isVisible
        levelsChanged()
    }

    /// The page's list was scrolled or changed its length: determines whether its bottom is visible. A position with a
    /// number that isn't finite is ignored.
    public func handleScroll(to position: ScrollPosition) {
        guard let isAtBottom = position.isAtBottom(within: configuration.bottomDistance) else { return }
        handleListBottomVisibility(isVisible: isAtBottom)
    }

    /// An image, or its placeholder, became visible or went out of sight.
    /// - Parameters:
    ///   - slot: The image's place.
    ///   - url: The image. If the slot awaits another image, this image came too late and is ignored. It has no meaning
    ///     when the slot went out of sight.
    ///   - status: The visible item, if any.
    public func handleImageLoad(slot: ImageSlot, url: String?, status: ImageStatus) {
        let now = clock.now
        if visit == nil {
            images = images ?? RichContentTimer()
            images?.update(slot, url: url, status: status, at: now, isTimed: false)
        } else {
            visit?.image(in: slot, url: url, status: status, at: now, isTimed: isTimed)
        }
    }

    /// A frame began. Report frames outside of scrolling too, or report an interruption first: the time between scrolls
    /// isn't a hang.
    /// - Parameters:
    ///   - tick: The frame.
    ///   - isTracking: Whether the user scrolls: the run loop is in its tracking mode.
    public func handleFrameTick(_ tick: FrameTick, isTracking: Bool) {
        guard appState.isAttended else { return }
        visit?.frame(tick, isTracking: isTracking, clock: configuration.frameClock)
    }

    /// Frames stop coming, or a scroll begins or ends: the time until the next frame is no hang.
    public func handleFrameInterruption() { visit?.threadHangs?.interrupt() }

    /// Sets the value of a candidate formula for this visit; the last of several values counts. It ignores a value that
    /// isn't a finite time of at least 0, and a blank name.
    public func handleCandidate(_ name: String, _ value: Milliseconds) {
        guard value.value.isFinite, value.value >= 0, !name.allSatisfy(\.isWhitespace) else { return }
        visit?.candidates[name] = value
    }

    private func levelsChanged() {
        tellsOfList = true
        guard visit != nil else { return }
        let wasAwaited = visit?.awaitsCycle ?? false
        let now = clock.now
        confirmInitialValue(at: now)
        visit?.additionalLoads.update(levels, at: now)
        stopTimesIfAway()
        noteAwaitedCycle(since: wasAwaited)
    }

    /// View did load: a visit starts, and earlier state is discarded. During a visit the call is a repetition, and
    /// ignored.
    public func handleDidLoad() { handleDidLoad(at: nil) }

    /// View did load, or its equivalent, at an earlier time; a future time, and `nil`, mean now.
    public func handleDidLoad(at time: Nanoseconds?) {
        guard visit == nil else { return }
        recorder?.visitWillStart(of: self)
        forgetContent()
        startVisit(loadedAt: startTime.map { min($0, time ?? $0) })
        recorder?.pageDidChange()
    }

    /// View will appear: a page that was left is visited again, without view did load and the times from it.
    public func handleWillAppear() {
        guard visit == nil else { return }
        recorder?.visitWillStart(of: self)
        startVisit(loadedAt: nil)
        recorder?.pageDidChange()
    }

    /// The view laid out its subviews.
    public func handleDidLayoutSubviews() { visit?.firstLayout.layout(at: clock.now) }

    /// View did appear: from here the visit counts.
    public func handleDidAppear() {
        handleWillAppear()
        visit?.appear(at: appearance)
        recorder?.pageDidAppear(self)
        tellOutcome()
    }

    /// View did disappear: the visit ends and emits its event. If the page has no name or never appeared, it emits none
    /// and counts the visit.
    public func handleDidDisappear() { endVisit() }
}
