/// Scroll thread hangs: the frames that stayed at least twice as long as they should have while the user scrolled.
struct ThreadHangMeter {
    /// The hangs, each above 0, in their order; `nil` before an interval of a scroll was measured.
    private(set) var hangs: [Nanoseconds]?
    private var segment: FrameSegment

    /// Starts without a frame.
    init(clock: FrameClock) {
        segment = FrameSegment(clock: clock)
    }

    /// Adds a frame; one outside of scrolling ends the scroll.
    mutating func add(_ tick: FrameTick, isTracking: Bool) {
        guard isTracking else { return interrupt() }
        guard case .pair(let pair) = segment.advance(to: tick) else { return }
        hangs = hangs ?? []
        if pair.threadHang > .zero { hangs?.append(pair.threadHang) }
    }

    /// Ends the scroll, so that the time until the next frame is nobody's.
    mutating func interrupt() {
        segment.interrupt()
    }
}
