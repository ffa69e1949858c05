import PagePerformance
import Testing

/// Events that can't become lines that a reader accepts.
struct LogEventProblemTests {
    static let place = LogEvent.Place(page: "P")

    static let sound: [LogEvent] = [
        .state(LogEvent.State()),
        .frame(LogEvent.Frame(place: place, tick: FrameTick(timestamp: .zero))),
        .scroll(LogEvent.Scroll(place: place, scroll: 0, duration: .zero)),
        .frameDrop(
            LogEvent.FrameDrop(place: place, scroll: 0, framesDropped: 0, cumulativeFrames: 0, cumulativeEvents: 0)),
        .visit(LogEvent.Visit(place: place)),
        .metric(LogEvent.CustomMetric(place: place, id: "net", unit: "points", values: [-1])),
        .metric(LogEvent.CustomMetric(place: place, id: "launch", unit: "ms", values: [])),
        .visit(visit { $0.initialLoad = .milliseconds(.nan) }),
        .scroll(LogEvent.Scroll(place: LogEvent.Place(page: " P\n", iteration: 0), scroll: 0, duration: .zero)),
    ]

    static let unsound: [(LogEvent, LogEvent.Problem)] = [
        (.run(LogEvent.Run(id: "r", part: "p")), .reserved),
        (.end(LogEvent.End(run: "r", part: "p", lines: 2)), .reserved),
        (.visit(LogEvent.Visit(place: LogEvent.Place(page: ""))), .namelessPage),
        (.visit(LogEvent.Visit(place: LogEvent.Place(page: " \n\u{2003}"))), .namelessPage),
        (.visit(LogEvent.Visit(place: LogEvent.Place(page: "P", iteration: -1))), .value("iteration")),
        (.frames(LogEvent.Frames(place: place, ticks: [])), .value("timestamps_ns")),
        (.scroll(LogEvent.Scroll(place: place, scroll: 0, duration: .milliseconds(-1))), .value("duration_ms")),
        (.scroll(LogEvent.Scroll(place: place, scroll: 0, duration: .milliseconds(.nan))), .value("duration_ms")),
        (
            .frameDrop(
                LogEvent.FrameDrop(
                    place: place, scroll: 0, framesDropped: -1, cumulativeFrames: 0, cumulativeEvents: 0)),
            .value("frames_dropped")
        ),
        (.visit(visit { $0.duration = .milliseconds(-1) }), .value("duration_ms")),
        (.visit(visit { $0.firstLayout = .milliseconds(-1) }), .value("ttfl_ms")),
        (.visit(visit { $0.initialLoad = .milliseconds(-1) }), .value("ttil_ms")),
        (.visit(visit { $0.scrollThreadHangs = [.zero, .milliseconds(-1)] }), .value("sth_ms")),
        (.visit(visit { $0.mainThreadHangs = [.milliseconds(-1)] }), .value("mth_ms")),
        (.visit(visit { $0.additionalLoads = [.milliseconds(-1)] }), .value("alt_ms")),
        (
            .visit(visit { $0.richContentLoads = [RichContentLoad(duration: .milliseconds(-1), outcome: .loaded)] }),
            .value("rclt")
        ),
        (.screen(LogEvent.Screen(place: place, duration: .zero)), .value("duration_ms")),
        (.screen(screen { $0.hitch = .milliseconds(-1) }), .value("hitch_ms")),
        (.screen(screen { $0.hang = .milliseconds(-1) }), .value("hang_ms")),
        (.screen(screen { $0.firstFPS = -1 }), .value("first_fps")),
        (.metric(LogEvent.CustomMetric(place: place, id: "launch", unit: "s", values: [1, -1])), .value("values")),
    ]

    @Test(arguments: sound)
    func findsNothing(_ event: LogEvent) {
        #expect(event.problem == nil)
    }

    @Test(arguments: unsound)
    func namesWhatIsWrong(_ event: LogEvent, _ problem: LogEvent.Problem) {
        #expect(event.problem == problem)
    }

    private static func visit(_ change: (inout LogEvent.Visit) -> Void) -> LogEvent.Visit {
        var visit = LogEvent.Visit(place: place)
        change(&visit)
        return visit
    }

    private static func screen(_ change: (inout LogEvent.Screen) -> Void) -> LogEvent.Screen {
        var screen = LogEvent.Screen(place: place, duration: .milliseconds(1))
        change(&screen)
        return screen
    }
}
