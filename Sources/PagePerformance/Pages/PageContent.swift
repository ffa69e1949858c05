/// What a page shows, as its last render told it.
enum PageContent: String, CaseIterable {
    /// Nothing was rendered yet.
    case nothing
    /// The initial content is being loaded and isn't there.
    case initialLoading
    /// Content is there.
    case present
    /// Content is there, and more is being loaded.
    case loadingMore
    /// An error is shown in place of the initial content.
    case initialError
    /// An error is shown after there was content.
    case laterError

    /// Whether a load of which nothing more is told would be the initial one: none has brought content yet.
    var awaitsInitialLoad: Bool {
        switch self {
        case .nothing, .initialLoading, .initialError: true
        case .present, .loadingMore, .laterError: false
        }
    }

    /// Whether an error is shown.
    var isError: Bool {
        self == .initialError || self == .laterError
    }

    /// What is shown after a render: an error whatever else is told, else as loading says.
    ///
    /// A load is initial as told, or else where the one before it was; `isInitialLoading` says nothing where nothing
    /// is loading.
    func after(isLoading: Bool, isInitialLoading: Bool?, isError: Bool) -> PageContent {
        if isError { return awaitsInitialLoad ? .initialError : .laterError }
        guard isLoading else { return .present }
        return isInitialLoading ?? awaitsInitialLoad ? .initialLoading : .loadingMore
    }
}

/// The place of a page that shows one image at a time, such as an image view.
public struct ImageSlot: Hashable, Sendable {
    private enum Identity: Hashable, Sendable {
        case object(ObjectIdentifier)
        case number(Int)
    }

    private let identity: Identity

    /// The slot of a view, for as long as the view lives.
    public init(_ view: AnyObject) {
        identity = .object(ObjectIdentifier(view))
    }

    /// The slot with a number of the app's choice.
    public init(number: Int) {
        identity = .number(number)
    }
}

/// What a page tells of an image.
public enum ImageStatus: String, Hashable, Sendable, CaseIterable {
    /// A placeholder is visible where the image will be.
    case placeholderVisible
    /// The image is visible.
    case shown
    /// Neither is visible any more.
    case hidden
}

/// How far a list is scrolled along its axis, all in the same unit, such as points.
public struct ScrollPosition: Hashable, Sendable {
    /// Where the visible part begins.
    public var offset: Double
    /// How long the visible part is, insets included.
    public var viewport: Double
    /// How much of the visible part's end lies behind bars, a keyboard, or another inset.
    public var endInset: Double
    /// How long the content is.
    public var content: Double

    /// Makes a position.
    public init(offset: Double, viewport: Double, endInset: Double = 0, content: Double) {
        self.offset = offset
        self.viewport = viewport
        self.endInset = endInset
        self.content = content
    }

    /// Whether the content's end is visible, or nearer than `distance` to being so.
    ///
    /// A list without content has no bottom; `nil` where a length isn't a finite number.
    public func isAtBottom(within distance: Double = 0) -> Bool? {
        let visibleEnd = offset + viewport - endInset
        guard visibleEnd.isFinite, content.isFinite, distance.isFinite else { return nil }
        return content > 0 && visibleEnd >= content - distance
    }
}

/// A turn in which what was set before it began was drawn.
struct RenderCycle {
    /// When it began; `nil` where it is only known that it is a later one than that of every change so far.
    var start: Nanoseconds?
    /// When it was told.
    var end: Nanoseconds

    /// Whether it drew a change that was made at `time`.
    func contains(_ time: Nanoseconds) -> Bool {
        start.map { $0 >= time } ?? true
    }
}
