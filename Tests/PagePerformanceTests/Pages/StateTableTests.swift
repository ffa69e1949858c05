import Testing

@testable import PagePerformance

/// Every cell of every table in the article on states is executed.
struct StateTableTests {
    private static let start = Nanoseconds.seconds(1)
    private static let later = Nanoseconds.seconds(2)
    private static let early = RenderCycle(start: Nanoseconds.zero, end: later)
    private static let late = RenderCycle(start: later, end: later)

    /// Executes every cell. `play` brings a machine into a state, sends a signal, and returns the new state and whether
    /// it logged anything.
    private func check(
        _ heading: String, states: [String], play: (String, String) throws -> (next: String, logs: Bool)
    ) throws {
        let table = try StateTable(below: heading)
        #expect(table.states == states)
        for cell in table.cells {
            let result = try play(cell.state, cell.word)
            #expect(result.next == cell.next && result.logs == cell.logs, "\(heading): \(cell.testDescription)")
        }
    }

    private func unknown(_ word: String) -> any Error {
        Issue.record("unknown word \(word)")
        return CancellationError()
    }

    @Test func thePage() throws {
        let ways: [String: [PageSignal]] = ["absent": [], "prepared": [.didLoad], "visible": [.didLoad, .didAppear]]
        let words: [String: PageSignal] = [
            "did load": .didLoad, "will appear": .willAppear, "did lay out": .didLayout, "did appear": .didAppear,
            "did disappear": .didDisappear, "other name": .pageName("other"),
        ]
        try check("The page", states: PPSStateMachine.PageState.allCases.map(\.rawValue)) { state, word in
            let script = PageScript()
            script.play(try #require(ways[state]) + [try #require(words[word])])
            return (script.machine.pageState.rawValue, !script.events.isEmpty)
        }
    }

    @Test func theApp() throws {
        let words: [String: PageSignal] = [
            "will enter": .willEnter, "will resign": .willResign, "did suspend": .didSuspend, "did resume": .didResume,
        ]
        try check("The app", states: PPSStateMachine.AppState.allCases.map(\.rawValue)) { state, word in
            let script = PageScript(app: try #require(PPSStateMachine.AppState(rawValue: state)))
            script.play([.didLoad, .didAppear])
            let before = script.events.count
            script.play(try #require(words[word]))
            return (script.machine.appState.rawValue, script.events.count > before)
        }
    }

    @Test func theContent() throws {
        try check("The content", states: PageContent.allCases.map(\.rawValue)) { state, word in
            let content = try #require(PageContent(rawValue: state))
            func after(_ isLoading: Bool, _ isInitial: Bool? = nil, isError: Bool = false) -> (String, Bool) {
                let next = content.after(isLoading: isLoading, isInitialLoading: isInitial, isError: isError)
                return (next.rawValue, false)
            }
            switch word {
            case "error":
                #expect(after(true, true, isError: true) == after(false, isError: true))
                return after(false, isError: true)
            case "content":
                #expect(after(false, true) == after(false, false))
                return after(false)
            case "loading": return after(true)
            case "loading, initial": return after(true, true)
            case "loading, more": return after(true, false)
            default: throw unknown(word)
            }
        }
    }

    @Test func firstLayout() throws {
        try check("Time to first layout", states: ["running", "over"]) { state, word in
            var timer = FirstLayoutTimer(loadedAt: state == "running" ? Self.start : nil)
            switch word {
            case "layout": timer.layout(at: Self.later)
            case "user leaves": timer.spoil()
            default: throw unknown(word)
            }
            return (timer.isTimed ? "running" : "over", timer.time != nil)
        }
    }

    @Test func initialLoad() throws {
        let ways: [String: PageContent] = [
            "waiting": .nothing, "set": .nothing, "unbegun": .nothing, "shown": .nothing, "loaded": .loadingMore,
            "failed": .laterError,
        ]
        try check(
            "Time to initial load, and the outcome",
            states: ["waiting", "set", "unbegun", "shown", "loaded", "failed"]
        ) { state, word in
            var timer = InitialLoadTimer(loadedAt: Self.start, showing: try #require(ways[state]))
            if state == "set" { timer.render(.present, at: Self.start) }
            if state == "unbegun" || state == "shown" { timer.render(.unbegun, at: Self.start) }
            if state == "shown" { timer.renderCycle(Self.late) }
            switch word {
            case "awaits": timer.render(.initialLoading, at: Self.later)
            case "content": timer.render(.present, at: Self.later)
            case "error": timer.render(.initialError, at: Self.later)
            case "late cycle": timer.renderCycle(Self.late)
            case "early cycle": timer.renderCycle(Self.early)
            case "initial value": timer.render(.unbegun, at: Self.later)
            case "a second":
                var early = timer
                let isEarly = early.confirm(at: Self.later + .milliseconds(999))
                let hasEnded = timer.confirm(at: Self.later + .seconds(1))
                let endsAtTheEnd = early.confirm(at: Self.later, isEnd: true)
                #expect(!isEarly && endsAtTheEnd == hasEnded)
            default: throw unknown(word)
            }
            return (Self.name(timer.state), timer.time != nil)
        }
    }

    @Test func additionalLoads() throws {
        typealias Levels = AdditionalLoadTimer.Levels
        let unseen = Levels(content: .loadingMore)
        let seen = Levels(content: .loadingMore, isLoaderVisible: true)
        let gone = Levels(content: .present)
        let ways: [String: [Levels]] = [
            "none": [], "unseen": [unseen], "waiting": [seen], "ending": [seen, gone], "spoiled": [],
        ]
        try check("Additional load time", states: ["none", "unseen", "waiting", "ending", "spoiled"]) { state, word in
            var timer = AdditionalLoadTimer(levels: state == "spoiled" ? unseen : gone)
            for levels in try #require(ways[state]) { timer.update(levels, at: Self.start) }
            switch word {
            case "no content": timer.update(Levels(content: .initialLoading, isLoaderVisible: true), at: Self.later)
            case "gone": timer.update(gone, at: Self.later)
            case "loader comes": timer.update(Levels(content: .present, isLoaderVisible: true), at: Self.later)
            case "loader stays":
                // The only loader that remains without a wait is one from before the content.
                if state == "none" { timer.update(Levels(content: .nothing, isLoaderVisible: true), at: Self.start) }
                timer.update(Levels(content: .present, isLoaderVisible: true), at: Self.later)
            case "loading, unseen": timer.update(unseen, at: Self.later)
            case "loading, seen":
                timer.update(Levels(content: .loadingMore, isBottomVisible: true), at: Self.later)
            case "late cycle": timer.renderCycle(Self.late)
            case "early cycle": timer.renderCycle(Self.early)
            case "user leaves, loading": timer.spoil(unseen)
            case "user leaves": timer.spoil(gone)
            default: throw unknown(word)
            }
            return (Self.name(timer.state), !timer.times.entries.isEmpty)
        }
    }

    @Test func richContent() throws {
        let slot = ImageSlot(number: 1)
        let ways: [String: ImageStatus] = ["waiting": .placeholderVisible, "shown": .shown]
        try check("Rich content load time", states: ["empty", "waiting", "shown"]) { state, word in
            var timer = RichContentTimer()
            if let status = ways[state] {
                timer.update(slot, url: "a", status: status, at: Self.start, isTimed: true)
            }
            let before = timer.list.entries.count
            switch word {
            case "page left": timer.leave(at: Self.later)
            case "user leaves": timer.spoil()
            case "hidden": timer.update(slot, url: nil, status: .hidden, at: Self.later, isTimed: true)
            default:
                let isPlaceholder = word.hasPrefix("placeholder")
                if !isPlaceholder && !word.hasPrefix("image") { throw unknown(word) }
                timer.update(
                    slot, url: word.hasSuffix("same") ? "a" : "b", status: isPlaceholder ? .placeholderVisible : .shown,
                    at: Self.later, isTimed: true)
            }
            let next =
                switch timer.state(of: slot) {
                case nil: "empty"
                case .waiting: "waiting"
                case .shown: "shown"
                }
            return (next, timer.list.entries.count > before)
        }
    }

    @Test func threadHangs() throws {
        func tick(_ milliseconds: UInt64) -> FrameTick {
            FrameTick(timestamp: .milliseconds(milliseconds), target: .milliseconds(milliseconds + 10))
        }
        try check("Scroll thread hang", states: ["closed", "open"]) { state, word in
            var meter = ThreadHangMeter(clock: .vsync)
            if state == "open" { meter.add(tick(0), isTracking: true) }
            switch word {
            case "tick while tracking": meter.add(tick(50), isTracking: true)
            case "other tick": meter.add(tick(50), isTracking: false)
            case "interruption": meter.interrupt()
            default: throw unknown(word)
            }
            let logs = meter.hangs != nil
            // The next tick, which is far too late, shows whether the segment is open.
            let before = meter.hangs ?? []
            meter.add(tick(5_000), isTracking: true)
            return (meter.hangs ?? [] != before ? "open" : "closed", logs)
        }
    }

    private static func name(_ state: InitialLoadTimer.State) -> String {
        switch state {
        case .waiting: "waiting"
        case .set: "set"
        case .unbegun: "unbegun"
        case .shown: "shown"
        case .loaded: "loaded"
        case .failed: "failed"
        }
    }

    private static func name(_ state: AdditionalLoadTimer.State) -> String {
        switch state {
        case .none: "none"
        case .unseen: "unseen"
        case .waiting: "waiting"
        case .ending: "ending"
        case .spoiled: "spoiled"
        }
    }
}
