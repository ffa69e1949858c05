@testable import PagePerformance

/// All signals of a machine with their times: the input of the reference model.
struct PageTrace {
    struct Step {
        var time: UInt64
        var signal: PageSignal
        /// The state of the app after the signal.
        var app: PPSStateMachine.AppState
        var isSuspended: Bool { app == .suspended }
        /// Whether nobody waits: the app is covered, or in the background.
        var isAway: Bool { app == .suspended || app == .resigned }
        /// Whether the user sees the app.
        var isAttended: Bool { app == .active || app == .entering }
        /// The page's name after the signal; `nil` for none.
        var page: String?
    }

    /// A visit as a range of steps, from the step that started it up to, but not including, the step that ended it.
    struct Visit {
        var number: Int
        var steps: Range<Int>
        /// Whether viewDidLoad or a change of pages started it.
        var isLoaded: Bool
        /// Whether a change of pages started it while the page was visible.
        var isVisibleFromStart: Bool
        /// The first step whose content, loaders and images belong to this page.
        var forgets: Int
        /// Whether the visit continues at the end of the trace.
        var goesOn: Bool
    }

    private(set) var steps: [Step] = []
    private(set) var visits: [Visit] = []

    init(page: String?, start: UInt64, app: PPSStateMachine.AppState = .active, _ signals: [PageSignal]) {
        // A step before all signals, so every signal has a previous step.
        steps = [
            Step(time: start, signal: .wait(0), app: app, page: Self.name(page))
        ]
        for signal in signals { append(signal) }
        findVisits()
    }

    private static func name(_ text: String?) -> String? {
        text?.contains { !$0.isWhitespace } ?? false ? text : nil
    }

    private mutating func append(_ signal: PageSignal) {
        var step = steps[steps.count - 1]
        step.signal = signal
        switch signal {
        case .wait(let duration): step.time += duration
        case .setClock(let reading): step.time = reading
        case .willEnter: if step.app != .active { step.app = .entering }
        case .willResign: if step.app != .suspended { step.app = .resigned }
        case .didSuspend: step.app = .suspended
        case .didResume: step.app = .active
        case .pageName(let text): step.page = Self.name(text)
        default: break
        }
        steps.append(step)
    }

    private mutating func findVisits() {
        var forgets = 0
        var isOpen: Bool { visits.last?.goesOn ?? false }
        for index in steps.indices.dropFirst() {
            switch steps[index].signal {
            case .didLoad where !isOpen:
                forgets = index
                open(at: index, isLoaded: true, forgets: forgets)
            case .willAppear where !isOpen, .didAppear where !isOpen:
                open(at: index, isLoaded: false, forgets: forgets)
            case .didDisappear: close(at: index)
            case .pageName where steps[index - 1].page != nil && steps[index].page != steps[index - 1].page:
                forgets = index
                guard isOpen, let former = visits.last else { continue }
                close(at: index)
                let isVisible = appearance(of: former, before: index) != nil
                open(at: index, isLoaded: true, isVisible: isVisible, forgets: forgets)
            default: break
            }
        }
    }

    private mutating func open(at index: Int, isLoaded: Bool, isVisible: Bool = false, forgets: Int) {
        visits.append(
            Visit(
                number: visits.count + 1, steps: index..<steps.count, isLoaded: isLoaded,
                isVisibleFromStart: isVisible, forgets: forgets, goesOn: true))
    }

    private mutating func close(at index: Int) {
        guard let visit = visits.last, visit.goesOn else { return }
        visits[visits.count - 1].steps = visit.steps.lowerBound..<index
        visits[visits.count - 1].goesOn = false
    }

    /// The step at which the page of a visit appeared; `nil` if it didn't appear before `end`.
    func appearance(of visit: Visit, before end: Int) -> Int? {
        if visit.isVisibleFromStart { return visit.steps.lowerBound }
        return (visit.steps.lowerBound..<end).first { steps[$0].signal == .didAppear }
    }

    /// The time from one step to a later one; `nil` if the user was away in between, or the clock went backwards.
    func duration(from first: Int, to last: Int) -> UInt64? {
        steps[first...last].contains(where: \.isAway) ? nil : life(from: first, to: last)
    }

    /// The same, also if the user was away; `nil` if the app was suspended.
    func life(from first: Int, to last: Int) -> UInt64? {
        guard !steps[first...last].contains(where: \.isSuspended) else { return nil }
        return steps[last].time >= steps[first].time ? steps[last].time - steps[first].time : nil
    }
}
