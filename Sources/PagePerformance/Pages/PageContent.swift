/// The content of a page, by its last render.
enum PageContent: String, CaseIterable {
    /// Nothing was rendered yet.
    case nothing
    /// Content is there by the initial value of a model, whose load may not have begun.
    case unbegun
    /// The initial content is being loaded and isn't there yet.
    case initialLoading
    case present
    /// Content is there, and more is being loaded.
    case loadingMore
    /// An error is shown in place of the initial content.
    case initialError
    /// An error is shown after there was content.
    case laterError

    /// Whether a load without further information is the initial load: none has delivered content yet.
    var awaitsInitialLoad: Bool {
        switch self {
        case .nothing, .unbegun, .initialLoading, .initialError: true
        case .present, .loadingMore, .laterError: false
        }
    }

    var isError: Bool { self == .initialError || self == .laterError }

    /// The content after a render: an error takes precedence, otherwise the loading state decides. `isInitialLoading`
    /// decides whether a load is initial; without it, the previous load decides. It has no meaning while nothing is
    /// loading.
    func after(isLoading: Bool, isInitialLoading: Bool?, isError: Bool) -> PageContent {
        if isError { return awaitsInitialLoad ? .initialError : .laterError }
        guard isLoading else { return .present }
        return isInitialLoading ?? awaitsInitialLoad ? .initialLoading : .loadingMore
    }
}

/// A place on a page that shows one image at a time, such as an image view.
public struct ImageSlot: Hashable, Sendable {
    private enum Identity: Hashable, Sendable {
        case object(ObjectIdentifier)
        case number(Int)
    }

    private let identity: Identity

    /// The slot of a view during the view's lifetime.
    public init(_ view: AnyObject) { identity = .object(ObjectIdentifier(view)) }

    /// The slot with a number chosen by the app.
    public init(number: Int) { identity = .number(number) }
}

/// The state of an image on a page.
public enum ImageStatus: String, Hashable, Sendable, CaseIterable {
    case placeholderVisible
    /// The image is visible.
    case shown
    /// Neither is visible.
    case hidden
}

/// The scroll position of a list along its axis, in one unit, such as points.
public struct ScrollPosition: Hashable, Sendable {
    /// The start of the visible part.
    public var offset: Double
    /// The length of the visible part, including insets.
    public var viewport: Double
    /// The length at the visible part's end that is covered by bars, a keyboard, or another inset.
    public var endInset: Double
    /// The length of the content.
    public var content: Double

    /// Makes a position.
    public init(offset: Double, viewport: Double, endInset: Double = 0, content: Double) {
        (self.offset, self.viewport, self.endInset, self.content) = (offset, viewport, endInset, content)
    }

    /// Whether the content's end is visible, or within `distance` of it. A list without content has no bottom; `nil` if
    /// a length isn't a finite number.
    public func isAtBottom(within distance: Double = 0) -> Bool? {
        let visibleEnd = offset + viewport - endInset
        guard visibleEnd.isFinite, content.isFinite, distance.isFinite else { return nil }
        return content > 0 && visibleEnd >= content - distance
    }
}

/// A render cycle, which draws the changes set before it began.
struct RenderCycle {
    /// When it began; `nil` if it is only known to be later than all changes so far.
    var start: Nanoseconds?
    /// When it was reported.
    var end: Nanoseconds

    /// Whether it drew a change made at `time`.
    func contains(_ time: Nanoseconds) -> Bool { start.map { $0 >= time } ?? true }
}

/// The name of a page, for an app that keeps all names in one place:
///
///     extension PageName {
///         static let search: Self = "Search"
///         static let product: Self = "Product"
///     }
///
///     measurePage(.search)
///
/// `perfgate catalogue` reads such declarations, and prints the names in a log that aren't among them.
public struct PageName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name, as in logs, baselines and reports.
    public let rawValue: String

    /// Makes a name from any text; a page without a visible character in its name has no event.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a name from a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
}

/// Rich content load times: how long placeholders were visible before their images.
struct RichContentTimer {
    /// The content of a slot; an unknown slot shows nothing.
    enum State: Hashable {
        /// A placeholder of this URL since this time; the time is `nil` if unknown.
        case waiting(url: String?, since: Nanoseconds?)
        case shown(url: String?)
    }

    struct Entry: Hashable {
        var duration: Nanoseconds
        var outcome: RichContentLoad.Outcome
        /// The awaited URL, unshortened.
        var url: String?
    }

    /// The waits that are over, in the order of their ends.
    private(set) var list = BoundedList<Entry>()
    private var slots: [ImageSlot: (state: State, order: Int)] = [:]
    private var signals = 0

    /// The content of a slot; `nil` for nothing.
    func state(of slot: ImageSlot) -> State? { slots[slot]?.state }

    /// The page's images at the start of its next visit; `nil` without an image. Waits in progress have no known time.
    var carriedOver: RichContentTimer? {
        guard !slots.isEmpty else { return nil }
        var next = self
        next.list = BoundedList()
        next.spoil()
        return next
    }

    /// Processes the new content of a slot; if it isn't timed, nothing is logged.
    mutating func update(_ slot: ImageSlot, url: String?, status: ImageStatus, at now: Nanoseconds, isTimed: Bool) {
        switch status {
        case .placeholderVisible: showPlaceholder(in: slot, url: url, at: now, isTimed: isTimed)
        case .shown: showImage(in: slot, url: url, at: now, isTimed: isTimed)
        case .hidden: hide(slot, at: now)
        }
    }

    /// A placeholder became visible; a repeated report of an awaited image's placeholder changes nothing.
    private mutating func showPlaceholder(in slot: ImageSlot, url: String?, at now: Nanoseconds, isTimed: Bool) {
        if case .waiting(url, _) = slots[slot]?.state { return }
        finish(slot, outcome: .hidden, at: now)
        enter(.waiting(url: url, since: isTimed ? now : nil), in: slot)
    }

    /// An image became visible: it ends the wait for it, or was there before the slot was seen. In a slot that waits
    /// for another image it came too late, and changes nothing.
    private mutating func showImage(in slot: ImageSlot, url: String?, at now: Nanoseconds, isTimed: Bool) {
        switch slots[slot]?.state {
        case .waiting(url, _): finish(slot, outcome: .loaded, at: now)
        case .waiting, .shown(url): return
        case .shown, nil:
            if isTimed { append(Entry(duration: .zero, outcome: .loaded, url: url)) }
        }
        enter(.shown(url: url), in: slot)
    }

    /// A slot went out of sight, with any content.
    private mutating func hide(_ slot: ImageSlot, at now: Nanoseconds) {
        finish(slot, outcome: .hidden, at: now)
        slots[slot] = nil
    }

    /// The page went away with every placeholder, the oldest first.
    mutating func leave(at now: Nanoseconds) {
        for (slot, _) in slots.sorted(by: { $0.value.order < $1.value.order }) {
            finish(slot, outcome: .hidden, at: now)
        }
        spoil()
    }

    /// Discards the times of the visible placeholders.
    mutating func spoil() {
        for (slot, shown) in slots {
            guard case .waiting(let url, _) = shown.state else { continue }
            slots[slot]?.state = .waiting(url: url, since: nil)
        }
    }

    private mutating func enter(_ state: State, in slot: ImageSlot) {
        signals += 1
        slots[slot] = (state, signals)
    }

    private mutating func finish(_ slot: ImageSlot, outcome: RichContentLoad.Outcome, at now: Nanoseconds) {
        guard case .waiting(let url, let start?) = slots[slot]?.state, let duration = now.since(start) else { return }
        append(Entry(duration: duration, outcome: outcome, url: url))
    }

    private mutating func append(_ entry: Entry) {
        list.append(entry, entry.outcome == .loaded ? Milliseconds(entry.duration) : nil)
    }
}
