/// Writes what a detector measures on one page into the log.
///
///     detector.sink = log.frames(of: "Search", visit: visitID)
///
/// The detector numbers scrolls and segments: one detector for all pages of a launch never gives a number twice. Where
/// each page has its own, each counts from 0, so two visits of a page within one iteration need
/// `FrameDropDetector.beginScroll(number:)`.
public struct PageFrameLog: FrameRecordSink, Sendable {
    private let log: EventLog
    private let place: LogEvent.Place

    init(log: EventLog, place: LogEvent.Place) {
        self.log = log
        self.place = place
    }

    /// Logs dropped frames; those outside of scrolls stand in the ticks only, because their line needs a scroll.
    public func record(_ drop: FrameDrop) {
        guard let scroll = drop.scroll else { return }
        log.record(
            .frameDrop(
                LogEvent.FrameDrop(
                    place: place, scroll: scroll, framesDropped: drop.framesDropped,
                    cumulativeFrames: drop.cumulativeFramesDropped, cumulativeEvents: drop.cumulativeFrameDropEvents,
                    counting: drop.counting)))
    }

    /// Logs the end of a scroll.
    public func record(_ scroll: ScrollRecord) {
        log.record(
            .scroll(
                LogEvent.Scroll(place: place, scroll: scroll.number, duration: Milliseconds(scroll.duration))))
    }

    /// Logs kept ticks.
    public func record(_ segment: SegmentRecord) {
        log.record(.frames(LogEvent.Frames(segment, place: place)))
    }
}

extension EventLog {
    /// What a detector gives its records to while it measures a page; the iteration is that of the log, now.
    public func frames(of page: String, visit: String? = nil) -> PageFrameLog {
        PageFrameLog(log: self, place: LogEvent.Place(page: page, iteration: iteration, visit: visit))
    }

    /// Records a page visit, or a checkpoint of one, as a state machine emits it.
    public func record(_ visit: PageVisitEvent) {
        record(.visit(LogEvent.Visit(visit)))
    }

    /// Records what a tracker measured of a screen that was left.
    public func record(_ screen: ScreenRecord, visit: String? = nil) {
        record(.screen(LogEvent.Screen(screen, visit: visit)))
    }
}
