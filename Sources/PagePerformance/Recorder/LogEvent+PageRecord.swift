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
        case .segment(let segment, let page): self = .frames(Frames(segment, page: page))
        case .bodyEvaluations(let count, let view, let page):
            self = .metric(
                Metric(
                    place: Place(page: page), id: "body_evaluations_\(view)", unit: "evaluations",
                    isHigherBetter: false, values: [Double(count)]))
        }
    }
}

extension LogEvent.Visit {
    /// The visit that an event tells of.
    fileprivate init(_ event: PageVisitEvent) {
        self.init(
            place: LogEvent.Place(page: event.page, visit: event.visitID), outcome: event.outcome,
            candidates: event.candidates)
        duration = event.duration
        firstLayout = event.firstLayout
        initialLoad = event.initialLoad
        scrollThreadHangs = event.threadHangs
        additionalLoads = event.additionalLoads
        richContentLoads = event.richContent?.map {
            LogEvent.RichContentLoad(
                duration: $0.duration, outcome: $0.outcome == .loaded ? .loaded : .hidden, url: $0.url)
        }
        formula = event.formula
    }
}

extension LogEvent.Screen {
    /// The screen that a record tells of.
    fileprivate init(_ screen: ScreenRecord) {
        self.init(
            place: LogEvent.Place(page: screen.screen), duration: Milliseconds(screen.duration),
            counting: LogEvent.Counting(screen.counting))
        frameCount = screen.frameCount
        firstFPS = screen.firstFPS
        minFPS = screen.fpsMin
        maxFPS = screen.fpsMax
        hitch = Milliseconds(screen.hitch)
        hang = Milliseconds(screen.hang)
    }
}

extension LogEvent.FrameDrop {
    /// The drop on a page; outside of scrolls, where a recorder counts none, it would belong to the first.
    fileprivate init(_ drop: FrameDrop, page: String) {
        self.init(
            place: LogEvent.Place(page: page), scroll: drop.scroll ?? 0, framesDropped: drop.framesDropped,
            cumulativeFrames: drop.cumulativeFramesDropped, cumulativeEvents: drop.cumulativeFrameDropEvents,
            counting: LogEvent.Counting(drop.counting))
    }
}

extension LogEvent.Frames {
    /// The ticks that were kept of a page's scroll.
    fileprivate init(_ segment: SegmentRecord, page: String) {
        let ticks = segment.timestamps.enumerated().map { index, timestamp in
            FrameTick(
                timestamp: Nanoseconds(timestamp), target: segment.targets.map { Nanoseconds($0[index]) },
                duration: segment.duration)
        }
        self.init(
            place: LogEvent.Place(page: page), scroll: segment.scroll, segment: segment.segment, ticks: ticks,
            clock: segment.clock)
    }
}

extension LogEvent.Counting {
    /// The same counting, as a log names it.
    fileprivate init(_ counting: FrameCounting) {
        switch counting {
        case .exact: self = .exact
        case .published: self = .published
        }
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
