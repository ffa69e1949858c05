extension LogEvent {
    /// The line of a log that says what a recorder measured, in the log's present iteration and test.
    public init(_ record: PageRecord) {
        let place = Place(page: record.page, visit: record.visitID)
        switch record.content {
        case .visit(let event): self = .visit(Visit(event))
        case .screen(let screen): self = .screen(Screen(screen, visit: record.visitID))
        case .drop(let drop): self = .frameDrop(FrameDrop(drop, place: place))
        case .scroll(let scroll):
            self = .scroll(Scroll(place: place, scroll: scroll.number, duration: Milliseconds(scroll.duration)))
        case .segment(let segment): self = .frames(Frames(segment, place: place))
        case .bodyEvaluations(let count, let view):
            self = .metric(
                Metric(
                    place: place, id: "body_evaluations_\(view)", unit: "evaluations", isHigherBetter: false,
                    values: [Double(count)]))
        }
    }
}

extension LogEvent.FrameDrop {
    /// The drop of a scroll; outside of scrolls, where a recorder counts none, it would belong to the first.
    fileprivate init(_ drop: FrameDrop, place: LogEvent.Place) {
        self.init(
            place: place, scroll: drop.scroll ?? 0, framesDropped: drop.framesDropped,
            cumulativeFrames: drop.cumulativeFramesDropped, cumulativeEvents: drop.cumulativeFrameDropEvents,
            counting: drop.counting)
    }
}

extension PageRecorder {
    /// Makes a recorder that writes all it measures into a log.
    ///
    /// - Parameters:
    ///   - log: The log.
    ///   - configuration: What is chosen about the events of visits.
    ///   - frames: How frames are counted; those outside of scrolls never count as dropped, whatever it says.
    public convenience init(
        log: EventLog, configuration: PPSConfiguration = PPSConfiguration(),
        frames: FrameDropDetector.Configuration = FrameDropDetector.Configuration()
    ) {
        self.init(configuration: configuration, frames: frames) { log.record(LogEvent($0)) }
    }
}
