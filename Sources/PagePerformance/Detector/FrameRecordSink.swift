/// Takes what a detector measured, to write it into a log.
///
/// All calls come from within a call of the detector, so on the thread that owns it.
public protocol FrameRecordSink {
    /// Frames were dropped: a log's `frame_drop` line.
    func record(_ drop: FrameDrop)

    /// A scroll ended that had something measured: a log's `scroll` line.
    func record(_ scroll: ScrollRecord)

    /// A stretch of kept ticks is complete: a log's `frames` line.
    func record(_ segment: SegmentRecord)
}
