import PagePerformance

/// Takes the calls of a display link, one after the other.
protocol TickReceiver: AnyObject {
    /// Takes one call.
    func tick(_ tick: FrameTick)
}

extension FrameDropDetector: TickReceiver {}
extension ScreenPerformanceTracker: TickReceiver {}

/// What a callback costs that does nothing but be called.
final class EmptyReceiver: TickReceiver {
    private var calls = 0

    // Kept out of line, or nothing would be left to measure.
    @inline(never)
    func tick(_ tick: FrameTick) {
        calls &+= 1
    }
}

/// What a callback costs that asks for memory once: the check that asking is counted.
final class AllocatingReceiver: TickReceiver {
    private var last: [FrameTick] = []

    func tick(_ tick: FrameTick) {
        last = [tick]
    }
}

/// A delegate that hears of drops and does nothing.
final class EmptyDelegate: FrameDropDetectorDelegate {
    func frameDropDetector(_ detector: FrameDropDetector, didDrop drop: FrameDrop) {}
}
