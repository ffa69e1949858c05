/// What a report can draw of a page beside its samples: the iteration and the visit that were worst.
public struct PageTrace: Sendable, Hashable {
    /// The worst iteration's frames; `nil` where no scroll and no tick was measured.
    public var frames: FrameTrace?
    /// The slowest visit; `nil` without a visit that says a time.
    public var visit: VisitTrace?

    /// Makes a trace of its parts.
    public init(frames: FrameTrace? = nil, visit: VisitTrace? = nil) {
        self.frames = frames
        self.visit = visit
    }
}
