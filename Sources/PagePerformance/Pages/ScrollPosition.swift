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
