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

    /// The content after a render: an error takes precedence, otherwise the loading state decides.
    ///
    /// `isInitialLoading` decides whether a load is initial; without it, the previous load decides. It has no meaning
    /// while nothing is loading.
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

    /// Whether the content's end is visible, or within `distance` of it.
    ///
    /// A list without content has no bottom; `nil` if a length isn't a finite number.
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
