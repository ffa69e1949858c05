/// A visit in progress: a timer for each metric, and the events that drive them.
struct VisitInProgress {
    let id: String
    let conditions: VisitConditions
    private(set) var hasAppeared = false
    /// Whether its outcome was emitted when it was decided.
    var isToldOf = false
    private(set) var firstLayout: FirstLayoutTimer
    private(set) var initialLoad: InitialLoadTimer
    /// Additional load times; valid once the page reported its list.
    private(set) var additionalLoads: AdditionalLoadTimer
    /// Rich content load times; `nil` before the page reported an image.
    private(set) var richContent: RichContentTimer?
    /// Scroll thread hangs; `nil` before a frame was reported.
    private(set) var threadHangs: ThreadHangMeter?
    private var appearedAt: Nanoseconds?
    private var candidates: [String: Milliseconds] = [:]

    /// Starts a visit; `start` is view did load, `nil` if the visit has none or its time is unknown.
    init(
        id: String, loadedAt start: Nanoseconds?, levels: AdditionalLoadTimer.Levels, images: RichContentTimer?,
        conditions: VisitConditions
    ) {
        self.id = id
        self.conditions = conditions
        firstLayout = FirstLayoutTimer(loadedAt: start)
        initialLoad = InitialLoadTimer(loadedAt: start, showing: levels.content)
        additionalLoads = AdditionalLoadTimer(levels: levels)
        richContent = images
    }

    /// Whether the outcome is final.
    var isDecided: Bool { initialLoad.state == .loaded || initialLoad.state == .failed }

    /// Whether the next render cycle shows a pending change.
    var awaitsCycle: Bool {
        if case .set = initialLoad.state { return true }
        if case .ending = additionalLoads.state { return true }
        return false
    }

    /// The page appeared; `time` is `nil` if unknown.
    mutating func appear(at time: Nanoseconds?) {
        guard !hasAppeared else { return }
        hasAppeared = true
        appearedAt = time
    }

    /// The page was laid out.
    mutating func layout(at now: Nanoseconds) {
        firstLayout.layout(at: now)
    }

    mutating func render(_ levels: AdditionalLoadTimer.Levels, at now: Nanoseconds) {
        initialLoad.render(levels.content, at: now)
        update(levels, at: now)
    }

    /// The page's content, loader or bottom changed.
    mutating func update(_ levels: AdditionalLoadTimer.Levels, at now: Nanoseconds) {
        additionalLoads.update(levels, at: now)
    }

    mutating func renderCycle(_ cycle: RenderCycle) {
        initialLoad.renderCycle(cycle)
        additionalLoads.renderCycle(cycle)
    }

    /// An image changed; if it can't be timed, nothing is logged.
    mutating func image(
        in slot: ImageSlot, url: String?, status: ImageStatus, at now: Nanoseconds, isTimed: Bool
    ) {
        richContent = richContent ?? RichContentTimer()
        richContent?.update(slot, url: url, status: status, at: now, isTimed: isTimed)
    }

    mutating func frame(_ tick: FrameTick, isTracking: Bool, clock: FrameClock) {
        threadHangs = threadHangs ?? ThreadHangMeter(clock: clock)
        threadHangs?.add(tick, isTracking: isTracking)
    }

    /// Frames stopped coming for a reason outside the page.
    mutating func interruptFrames() {
        threadHangs?.interrupt()
    }

    /// The app was suspended: running measurements lose their time.
    mutating func spoil(_ levels: AdditionalLoadTimer.Levels) {
        firstLayout.spoil()
        initialLoad.spoil()
        additionalLoads.spoil(levels)
        richContent?.spoil()
        threadHangs?.interrupt()
        appearedAt = nil
    }

    mutating func set(candidate name: String, to value: Milliseconds) {
        candidates[name] = value
    }

    /// The page went away with every placeholder.
    mutating func disappear(at now: Nanoseconds) {
        richContent?.leave(at: now)
    }

    func event(
        page: String, at now: Nanoseconds, tellsOfList: Bool, configuration: PPSConfiguration
    ) -> PageVisitEvent {
        var event = PageVisitEvent(
            page: page, visitID: id, formula: configuration.formula.version, outcome: initialLoad.outcome)
        event.duration = appearedAt.flatMap { now.since($0) }.map { Milliseconds($0) }
        event.firstLayout = firstLayout.time.map { Milliseconds($0) }
        event.initialLoad = initialLoad.time.map { Milliseconds($0) }
        event.threadHangs = threadHangs?.hangs?.map { Milliseconds($0) }
        event.additionalLoads = tellsOfList ? additionalLoads.times.map { Milliseconds($0) } : nil
        event.richContent = richContent?.entries.map { $0.logged(by: configuration) }
        event.candidates = candidates
        event.conditions = conditions
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
    /// The hangs, each above 0, in their order; `nil` before an interval of a scroll was measured.
    private(set) var hangs: [Nanoseconds]?
    private var segment: FrameSegment

    init(clock: FrameClock) {
        segment = FrameSegment(clock: clock)
    }

    /// Adds a frame; a frame outside of scrolling ends the scroll.
    mutating func add(_ tick: FrameTick, isTracking: Bool) {
        guard isTracking else { return interrupt() }
        guard case .pair(let pair) = segment.advance(to: tick) else { return }
        hangs = hangs ?? []
        if pair.threadHang > .zero { hangs?.append(pair.threadHang) }
    }

    /// Ends the scroll, so the time until the next frame counts for no scroll.
    mutating func interrupt() {
        segment.interrupt()
    }
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
