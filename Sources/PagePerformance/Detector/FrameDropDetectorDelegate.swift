/// Whoever wants to hear of dropped frames at once.
public protocol FrameDropDetectorDelegate: AnyObject {
    /// Frames were dropped; called within `FrameDropDetector.tick(_:)`, so on the thread that feeds the detector.
    ///
    /// The published detector calls its delegate from a queue of its own. Whoever wants that awaits
    /// `FrameDropDetector.drops(buffering:)` there.
    func frameDropDetector(_ detector: FrameDropDetector, didDrop drop: FrameDrop)
}
