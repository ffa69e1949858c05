@testable import PagePerformance

/// Every signal that a page, its app or a test can send to a state machine.
enum PageSignal: Hashable, Sendable {
    case wait(UInt64)
    case setClock(UInt64)
    case pageName(String?)
    case didLoad, willAppear, didLayout, didAppear, didDisappear
    case render(isLoading: Bool, isInitial: Bool?, isError: Bool)
    case renderCycle(startedAt: UInt64?)
    case loader(Bool), bottom(Bool)
    case image(slot: Int, url: String?, status: ImageStatus)
    case tick(timestamp: UInt64, target: UInt64, isTracking: Bool)
    case interruption
    case candidate(String, Double)
    case willEnter, willResign, didSuspend, didResume, checkpoint
    case initialValue

    static let loading = render(isLoading: true, isInitial: nil, isError: false)
    static let loadingMore = render(isLoading: true, isInitial: false, isError: false)
    static let content = render(isLoading: false, isInitial: nil, isError: false)
    static let error = render(isLoading: false, isInitial: nil, isError: true)
    static let cycle = renderCycle(startedAt: nil)

    static func milliseconds(_ count: UInt64) -> PageSignal { wait(count * 1_000_000) }

    static func placeholder(_ url: String?, slot: Int = 1) -> PageSignal {
        image(slot: slot, url: url, status: .placeholderVisible)
    }

    static func shown(_ url: String?, slot: Int = 1) -> PageSignal {
        image(slot: slot, url: url, status: .shown)
    }

    static func hidden(slot: Int = 1) -> PageSignal {
        image(slot: slot, url: nil, status: .hidden)
    }
}

/// A state machine with a manual clock, numbered visits and recorded events.
final class PageScript {
    let clock = ManualClock(start: .seconds(100))
    let machine: PPSStateMachine
    private let log: Log

    private final class Log {
        var events: [PageVisitEvent] = []
        var visits = 0
    }

    var events: [PageVisitEvent] { log.events }

    init(
        page: String? = "Search", configuration: PPSConfiguration = PPSConfiguration(),
        app: PPSStateMachine.AppState = .active
    ) {
        let log = Log()
        self.log = log
        machine = PPSStateMachine(
            pageName: page, clock: clock, configuration: configuration,
            makeVisitID: {
                log.visits += 1
                return "v\(log.visits)"
            },
            emit: { log.events.append($0) })
        machine.appState = app
    }

    func play(_ signals: [PageSignal]) {
        for signal in signals { play(signal) }
    }

    func play(_ signal: PageSignal) {
        switch signal {
        case .wait(let duration): clock.advance(by: Nanoseconds(duration))
        case .setClock(let time): clock.set(to: Nanoseconds(time))
        case .pageName(let name): machine.handlePageName(name)
        case .didLoad: machine.handleDidLoad()
        case .willAppear: machine.handleWillAppear()
        case .didLayout: machine.handleDidLayoutSubviews()
        case .didAppear: machine.handleDidAppear()
        case .didDisappear: machine.handleDidDisappear()
        case .render(let isLoading, let isInitial, let isError):
            machine.handleDidRender(isLoading: isLoading, isInitialLoading: isInitial, isError: isError)
        case .renderCycle(let start): machine.handleRenderCycle(startedAt: start.map { Nanoseconds($0) })
        case .loader(let isVisible): machine.handleLoaderVisibility(isVisible: isVisible)
        case .bottom(let isVisible): machine.handleListBottomVisibility(isVisible: isVisible)
        case .image(let slot, let url, let status):
            machine.handleImageLoad(slot: ImageSlot(number: slot), url: url, status: status)
        case .tick(let timestamp, let target, let isTracking):
            let tick = FrameTick(timestamp: Nanoseconds(timestamp), target: Nanoseconds(target))
            machine.handleFrameTick(tick, isTracking: isTracking)
        case .interruption: machine.handleFrameInterruption()
        case .candidate(let name, let value): machine.handleCandidate(name, .milliseconds(value))
        case .initialValue: machine.handleInitialValue()
        case .willEnter: machine.handleApp(.willEnterForeground)
        case .willResign: machine.handleAppWillResign()
        case .didSuspend: machine.handleAppDidSuspend()
        case .didResume: machine.handleAppDidResume()
        case .checkpoint: machine.handleCheckpoint()
        }
    }

    /// The events of a page after these signals.
    static func events(
        page: String? = "Search", configuration: PPSConfiguration = PPSConfiguration(), _ signals: [PageSignal]
    ) -> [PageVisitEvent] {
        let script = PageScript(page: page, configuration: configuration)
        script.play(signals)
        return script.events
    }
}
