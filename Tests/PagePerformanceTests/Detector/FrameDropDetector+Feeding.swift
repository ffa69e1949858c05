@testable import PagePerformance

extension FrameDropDetector {
    /// Takes ticks one by one.
    func feed(_ ticks: [FrameTick]) {
        for tick in ticks { self.tick(tick) }
    }
}

/// Collects a detector's records.
final class KeptRecords: FrameRecordSink {
    private(set) var drops: [FrameDrop] = []
    private(set) var scrolls: [ScrollRecord] = []
    private(set) var segments: [SegmentRecord] = []

    func record(_ drop: FrameDrop) { drops.append(drop) }
    func record(_ scroll: ScrollRecord) { scrolls.append(scroll) }
    func record(_ segment: SegmentRecord) { segments.append(segment) }
}
