/// Follows a page through its life cycle and emits one event a visit, when the page disappears.
///
/// Every metric of a visit is measured here and nowhere else; what calls the handlers adds nothing. The handlers may
/// be called in any order, repeatedly, or not at all: what makes no sense in the present state is ignored. All states
/// and transitions stand in <doc:PageStates>.
///
/// A state machine belongs to one actor, the main one in an app.
public final class PPSStateMachine {
    /// Where the page is in its life.
    enum PageState: String, CaseIterable {
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

    /// Where the page is in its life.
    var pageState: PageState {
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
        }
    }

    private static func pageName(_ text: String?) -> String? {
        text.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
    }

    private func changePage(to name: String?) {
        let former = pageState
        let event = finish()
        pageName = name
        forgetContent()
        if former != .absent { startVisit(loadedAt: startTime) }
        if former == .visible { visit?.appear(at: startTime) }
        if let event { emit(event) }
    }

    func startVisit(loadedAt start: Nanoseconds?) {
        visit = VisitInProgress(id: makeVisitID(), loadedAt: start, levels: levels, images: images?.carriedOver)
    }

    /// Takes the page for one that shows nothing yet.
    func forgetContent() {
        levels = AdditionalLoadTimer.Levels()
        images = nil
    }

    func endVisit() {
        if let event = finish() { emit(event) }
    }

    /// What is known of the visit so far; `nil` where nothing would be emitted at its end.
    func checkpoint() -> PageVisitEvent? {
        guard let visit, visit.hasAppeared, let page = pageName else { return nil }
        var event = visit.event(page: page, at: clock.now, configuration: configuration)
        event.isCheckpoint = true
        return event
    }

    private func finish() -> PageVisitEvent? {
        guard var visit else { return nil }
        self.visit = nil
        images = visit.richContent?.carriedOver
        guard visit.hasAppeared else {
            counts.neverAppeared += 1
            return nil
        }
        guard let page = pageName else {
            counts.withoutName += 1
            return nil
        }
        counts.emitted += 1
        let now = clock.now
        visit.disappear(at: now)
        return visit.event(page: page, at: now, configuration: configuration)
    }
}

@available(*, unavailable)
extension PPSStateMachine: Sendable {}
