extension LogEvent {
    /// The line of a log that says what a recorder measured, in the log's present iteration and test.
    public init(_ record: PageRecord) {
        switch record {
        case .visit(let event): self = .visit(Visit(event))
        case .screen(let screen): self = .screen(Screen(screen))
        case .drop(let drop, let page): self = .frameDrop(FrameDrop(drop, page: page))
        case .scroll(let scroll, let page):
            self = .scroll(
                Scroll(place: Place(page: page), scroll: scroll.number, duration: Milliseconds(scroll.duration)))
        case .segment(let segment, let page): self = .frames(Frames(segment, place: Place(page: page)))
        case .bodyEvaluations(let count, let view, let page):
            self = .metric(
                Metric(
                    place: Place(page: page), id: "body_evaluations_\(view)", unit: "evaluations",
                    isHigherBetter: false, values: [Double(count)]))
        }
    }
}

extension LogEvent.FrameDrop {
    /// The drop on a page; outside of scrolls, where a recorder counts none, it would belong to the first.
    fileprivate init(_ drop: FrameDrop, page: String) {
        self.init(
            place: LogEvent.Place(page: page), scroll: drop.scroll ?? 0, framesDropped: drop.framesDropped,
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
