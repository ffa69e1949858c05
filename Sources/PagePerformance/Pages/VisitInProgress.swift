/// A visit in progress: a timer for each metric, and the events that drive them.
struct VisitInProgress {
    let id: String
    let beganAt: Nanoseconds
    /// View did load, or without its time the beginning.
    let start: Nanoseconds
    let conditions: VisitConditions
    private(set) var hasAppeared = false
    /// Whether the app was inactive when it began or while its initial content was being loaded.
    private(set) var isInactive: Bool
    /// When it began, if that was during a launch that may or may not have a user waiting.
    private(set) var launchedAt: Nanoseconds?
    /// The last emitted event, so that a checkpoint without news is left out.
    private var told: PageVisitEvent?
    var firstLayout: FirstLayoutTimer {
        didSet { if let signposts, !firstLayout.isTimed { signposts.end(.firstLayout) } }
    }
    var initialLoad: InitialLoadTimer {
        didSet { if let signposts, !initialLoad.isTimed { signposts.end(.load) } }
    }
    /// Its intervals in a recording tool; `nil` before the first.
    var signposts: VisitSignposts?
    /// Additional load times; valid once the page reported its list.
    var additionalLoads: AdditionalLoadTimer
    /// Rich content load times; `nil` before the page reported an image.
    var richContent: RichContentTimer?
    /// Scroll thread hangs; `nil` before a frame was reported.
    var threadHangs: ThreadHangMeter?
    private var appearedAt: Nanoseconds?
    var candidates: [String: Milliseconds] = [:]

    /// Starts a visit; `start` is view did load, `nil` if the visit has none or its time is unknown.
    init(
        id: String, at now: Nanoseconds, loadedAt start: Nanoseconds?, levels: AdditionalLoadTimer.Levels,
        images: RichContentTimer?, conditions: VisitConditions, isInactive: Bool, launchedAt: Nanoseconds?
    ) {
        self.id = id
        (beganAt, self.start) = (now, start ?? now)
        (self.isInactive, self.launchedAt, self.conditions) = (isInactive, launchedAt, conditions)
        firstLayout = FirstLayoutTimer(loadedAt: start)
        initialLoad = InitialLoadTimer(loadedAt: start, showing: levels.content)
        additionalLoads = AdditionalLoadTimer(levels: levels)
        richContent = images
    }

    /// Whether the outcome is final.
    var isDecided: Bool { initialLoad.isDecided }

    /// Whether the next render cycle shows a pending change.
    var awaitsCycle: Bool {
        if isInactive { return false }
        switch (initialLoad.state, additionalLoads.state) {
        case (.set, _), (.unbegun, _), (_, .ending): return true
        default: return false
        }
    }

    /// The page appeared; `time` is `nil` if unknown.
    mutating func appear(at time: Nanoseconds?) {
        guard !hasAppeared else { return }
        hasAppeared = true
        appearedAt = time
    }

    /// The page was rendered; what decides its load while nobody waits makes the visit inactive.
    mutating func render(_ levels: AdditionalLoadTimer.Levels, at now: Nanoseconds, isTimed: Bool) {
        if !isTimed, !isDecided { isInactive = true }
        initialLoad.render(levels.content, at: now)
        additionalLoads.update(levels, at: now)
    }

    mutating func renderCycle(_ cycle: RenderCycle) {
        initialLoad.renderCycle(cycle)
        additionalLoads.renderCycle(cycle)
    }

    /// An image changed; if it can't be timed, nothing is logged.
    mutating func image(in slot: ImageSlot, url: String?, status: ImageStatus, at now: Nanoseconds, isTimed: Bool) {
        richContent = richContent ?? RichContentTimer()
        richContent?.update(slot, url: url, status: status, at: now, isTimed: isTimed)
    }

    mutating func frame(_ tick: FrameTick, isTracking: Bool, clock: FrameClock) {
        threadHangs = threadHangs ?? ThreadHangMeter(clock: clock)
        threadHangs?.add(tick, isTracking: isTracking)
    }

    /// The user went away: running measurements end without a time, and an initial load without an outcome.
    mutating func interrupt(_ levels: AdditionalLoadTimer.Levels) {
        if launchedAt != nil || initialLoad.isAwaited { isInactive = true }
        launchedAt = nil
        firstLayout.spoil()
        initialLoad.spoil()
        additionalLoads.spoil(levels)
        richContent?.spoil()
        threadHangs?.interrupt()
    }

    /// The app was suspended, so the visit's duration isn't the user's.
    mutating func suspend(_ levels: AdditionalLoadTimer.Levels) {
        interrupt(levels)
        appearedAt = nil
    }

    /// Nobody waited for what was loaded so far.
    mutating func forgetLoad() { if initialLoad.isReported { isInactive = true } }

    /// It isn't known whether a user waits.
    mutating func beginLaunch(at now: Nanoseconds) { if !isDecided { launchedAt = now } }

    /// The launch turned out to be a user's, who waited since it began, or came only now.
    mutating func endLaunch(hasUserWaited: Bool, _ levels: AdditionalLoadTimer.Levels) {
        guard launchedAt != nil else { return }
        if !hasUserWaited { suspend(levels) }
        launchedAt = nil
    }

    /// The event of a checkpoint; `nil` if only its duration differs from the last event.
    mutating func checkpoint(
        page: String, at now: Nanoseconds, tellsOfList: Bool, configuration: PPSConfiguration
    ) -> PageVisitEvent? {
        var event = event(page: page, at: now, tellsOfList: tellsOfList, configuration: configuration)
        event.isCheckpoint = true
        let former = told
        told = event
        told?.duration = nil
        return told == former ? nil : event
    }

    func event(
        page: String, at now: Nanoseconds, tellsOfList: Bool, configuration: PPSConfiguration
    ) -> PageVisitEvent {
        var event = PageVisitEvent(page: page, visitID: id, formula: configuration.formula.version, outcome: nil)
        event.start = start
        event.duration = appearedAt.flatMap { now.since($0) }.map { Milliseconds($0) }
        event.threadHangs = threadHangs?.hangs?.map { Milliseconds($0) }
        event.conditions = conditions
        // A visit that ends before its launch became a user's was no user's.
        event.isInactive = isInactive || launchedAt != nil
        guard !event.isInactive else { return event }
        event.outcome = initialLoad.outcome
        event.firstLayout = firstLayout.time.map { Milliseconds($0) }
        event.initialLoad = initialLoad.time.map { Milliseconds($0) }
        if tellsOfList {
            event.additionalLoads = additionalLoads.times.entries.map { Milliseconds($0) }
            event.moreAdditionalLoads = additionalLoads.times.more
        }
        event.richContent = richContent?.list.entries.map { $0.logged(by: configuration) }
        event.moreRichContent = richContent?.list.more
        event.candidates = candidates
        configuration.formula.apply(to: &event)
        return event
    }
}

extension RichContentTimer.Entry {
    /// The logged entry: with its URL only after a long wait, and only if the URL isn't too long.
    fileprivate func logged(by configuration: PPSConfiguration) -> RichContentLoad {
        let isKept = duration >= configuration.urlThreshold && (url?.utf8.count ?? 0) <= configuration.longestURL
        return RichContentLoad(
            duration: Milliseconds(duration), outcome: outcome, url: isKept ? url.map(Self.withoutSecrets) : nil)
    }

    /// A URL without user, password, query and fragment: signatures must not reach a log.
    private static func withoutSecrets(_ url: String) -> String {
        let bytes = Array(url.utf8)
        let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.count
        var kept = bytes[..<end]
        let slashes = Array("//".utf8)
        guard let start = kept.indices.dropLast().first(where: { Array(kept[$0...($0 + 1)]) == slashes }) else {
            return String(decoding: kept, as: UTF8.self)
        }
        let host = start + 2
        let authority = kept[host...].prefix { $0 != UInt8(ascii: "/") }
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) { kept.removeSubrange(host...at) }
        return String(decoding: kept, as: UTF8.self)
    }
}

/// Scroll thread hangs: the frames that stayed at least twice their expected duration while the user scrolled.
struct ThreadHangMeter {
    /// The most hangs that are kept apart; the last holds the sum of all further ones.
    static let limit = 200

    /// The hangs, each above 0, in their order; `nil` before an interval of a scroll was measured.
    private(set) var hangs: [Nanoseconds]?
    private var segment: FrameSegment

    init(clock: FrameClock) { segment = FrameSegment(clock: clock) }

    /// Adds a frame; a frame outside of scrolling ends the scroll.
    mutating func add(_ tick: FrameTick, isTracking: Bool) {
        guard isTracking else { return interrupt() }
        guard case .pair(let pair) = segment.advance(to: tick) else { return }
        if hangs == nil { hangs = [] }
        guard pair.threadHang > .zero, let count = hangs?.count else { return }
        if count < Self.limit { hangs?.append(pair.threadHang) } else { hangs?[count - 1] += pair.threadHang }
    }

    /// Ends the scroll, so the time until the next frame counts for no scroll.
    mutating func interrupt() { segment.interrupt() }
}

/// The source of visits' identities.
enum VisitID {
    /// 128 random bits as 32 hexadecimal digits: no two visits of a fleet share them.
    static func random() -> String {
        hexadecimal(UInt64.random(in: .min ... .max)) + hexadecimal(UInt64.random(in: .min ... .max))
    }

    private static func hexadecimal(_ bits: UInt64) -> String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
