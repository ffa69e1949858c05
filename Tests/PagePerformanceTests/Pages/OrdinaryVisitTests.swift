import Testing

@testable import PagePerformance

/// Ordinary visits with exactly known times.
struct OrdinaryVisitTests {
    private static let opened: [PageSignal] = [
        .didLoad, .loading, .willAppear, .milliseconds(41), .didLayout, .milliseconds(9), .didAppear,
    ]
    private static let loaded: [PageSignal] = opened + [.milliseconds(450), .content, .milliseconds(16), .cycle]

    private static func event(_ signals: [PageSignal]) throws -> PageVisitEvent {
        let events = PageScript.events(signals).filter { !$0.isCheckpoint }
        try #require(events.count == 1)
        return events[0]
    }

    @Test func aPageThatLoads() throws {
        let event = try Self.event(
            Self.loaded + [.milliseconds(1_000), .didLayout, .content, .cycle, .milliseconds(484), .didDisappear])
        #expect(event.page == "Search")
        #expect(event.visitID == "v1")
        #expect(event.formula == "1")
        #expect(event.outcome == .loaded)
        #expect(!event.isCheckpoint)
        #expect(event.firstLayout == .milliseconds(41))
        #expect(event.initialLoad == .milliseconds(516))
        #expect(event.duration == .milliseconds(1_950))
        #expect(event.additionalLoads == nil)
        #expect(event.richContent == nil)
        #expect(event.threadHangs == nil)
    }

    @Test func aPageThatIsLeftWhileItLoads() throws {
        let event = try Self.event(Self.opened + [.milliseconds(100), .didDisappear])
        #expect(event.outcome == .abandoned)
        #expect(event.firstLayout == .milliseconds(41))
        #expect(event.initialLoad == nil)
    }

    @Test func aPageThatIsLeftBeforeItsContentWasDrawn() throws {
        let event = try Self.event(Self.opened + [.content, .didDisappear])
        #expect(event.outcome == .abandoned)
        #expect(event.initialLoad == nil)
    }

    @Test func aPageThatFailsAndIsTriedAgain() throws {
        let event = try Self.event(
            Self.opened + [.error, .cycle, .milliseconds(3_000), .loading, .content, .cycle, .didDisappear])
        #expect(event.outcome == .error)
        #expect(event.initialLoad == nil)
        #expect(event.visit.sample(of: .ttfl) == 41)
        #expect(event.visit.sample(of: .ttil) == nil)
    }

    @Test func anErrorAfterContentLeavesTheVisitLoaded() throws {
        let event = try Self.event(Self.loaded + [.bottom(false), .loadingMore, .error, .cycle, .didDisappear])
        #expect(event.outcome == .loaded)
        #expect(event.additionalLoads == [])
    }

    @Test func contentThatIsThereAtOnceStillTakesARenderCycle() throws {
        let event = try Self.event([
            .didLoad, .loadingMore, .milliseconds(10), .content, .milliseconds(6), .cycle, .didAppear, .didDisappear,
        ])
        #expect(event.initialLoad == .milliseconds(16))
    }

    @Test func aCycleThatBeganBeforeTheContentDoesNotShowIt() throws {
        let start: UInt64 = 100_000_000_000
        let event = try Self.event([
            .didLoad, .didAppear, .milliseconds(20), .content, .milliseconds(1),
            .renderCycle(startedAt: start + 19_999_999), .milliseconds(15), .renderCycle(startedAt: start + 20_000_000),
            .didDisappear,
        ])
        #expect(event.initialLoad == .milliseconds(36))
    }

    @Test func contentThatIsTakenBackBeforeItWasDrawn() throws {
        let event = try Self.event([
            .didLoad, .didAppear, .milliseconds(10), .content,
            .render(isLoading: true, isInitial: true, isError: false), .cycle, .milliseconds(10), .content,
            .milliseconds(5), .cycle, .didDisappear,
        ])
        #expect(event.initialLoad == .milliseconds(25))
    }

    @Test func additionalLoadsSeenAndUnseen() throws {
        let event = try Self.event(
            Self.loaded + [
                .loadingMore, .milliseconds(300), .content, .cycle,
                .loadingMore, .milliseconds(100), .loader(true), .milliseconds(200), .content, .milliseconds(30),
                .loader(false), .milliseconds(16), .cycle,
                .bottom(true), .milliseconds(5_000), .loadingMore, .milliseconds(84), .content, .milliseconds(16),
                .cycle, .didDisappear,
            ])
        #expect(event.additionalLoads == [.zero, .milliseconds(246), .milliseconds(100)])
        #expect(event.visit.sample(of: .altShown) == 173)
    }

    @Test func aSecondLoadWithoutAWordOfItsKindIsAdditional() throws {
        let event = try Self.event(
            Self.loaded + [
                .loader(true), .loading, .milliseconds(50), .content, .loader(false),
                .cycle, .didDisappear,
            ])
        #expect(event.additionalLoads == [.milliseconds(50)])
    }

    @Test func aLoaderBesideContentIsAWaitFromItsFirstSight() throws {
        let event = try Self.event(
            Self.loaded + [
                .loader(true), .milliseconds(40), .loadingMore, .milliseconds(60), .content, .loader(false), .cycle,
                .loader(true), .milliseconds(8), .loader(false), .milliseconds(8), .cycle, .didDisappear,
            ])
        #expect(event.additionalLoads == [.milliseconds(100), .milliseconds(16)])
    }

    @Test func aPageThatNeverReportedOfALoaderOrABottomHasNoAdditionalLoads() throws {
        let more: [PageSignal] = [.loadingMore, .milliseconds(300), .content, .cycle]
        #expect(try Self.event(Self.loaded + more + [.didDisappear]).additionalLoads == nil)
        #expect(try Self.event(Self.loaded + [.bottom(false)] + more + [.didDisappear]).additionalLoads == [.zero])
        let again = PageScript.events(
            Self.loaded + [.bottom(false), .didDisappear, .willAppear, .didAppear] + more + [.didDisappear])
        #expect(again.last?.additionalLoads == [.zero])
        let other = PageScript.events(
            Self.loaded + [.loader(false), .pageName("Map"), .content, .cycle] + more + [.didDisappear])
        #expect(other.last?.additionalLoads == nil)
    }

    @Test func theOutcomeIsReportedAsSoonAsItIsDecided() {
        func told(_ signals: [PageSignal], page: String? = "Search") -> [PageVisit.Outcome?] {
            PageScript.events(page: page, signals).filter(\.isCheckpoint).map(\.outcome)
        }
        #expect(told(Self.opened + [.content]) == [])
        #expect(told(Self.loaded + [.loadingMore, .content, .cycle, .error]) == [.loaded])
        #expect(told(Self.opened + [.error, .loading, .content, .cycle]) == [.error])
        #expect(told([.didLoad, .content, .cycle]) == [])
        #expect(told([.didLoad, .content, .cycle, .didAppear]) == [.loaded])
        #expect(told(Self.loaded, page: nil) == [])
        #expect(told(Self.loaded + [.pageName("Search"), .didDisappear, .willAppear], page: nil) == [.loaded])
        #expect(told(Self.loaded + [.didDisappear, .willAppear, .didAppear]) == [.loaded, .loaded])
    }

    @Test func aMachineThatIsLetGoEndsItsVisit() {
        final class Log { var events: [PageVisitEvent] = [] }
        let log = Log()
        let clock = ManualClock()
        var machine: PPSStateMachine? = PPSStateMachine(pageName: "Map", clock: clock) { log.events.append($0) }
        machine?.handleDidAppear()
        clock.advance(by: .milliseconds(5))
        #expect(log.events.isEmpty)
        machine = nil
        #expect(machine == nil)
        #expect(log.events.map(\.duration) == [.milliseconds(5)])
        #expect(log.events.map(\.isCheckpoint) == [false])
    }

    @Test func theLoaderOfTheInitialLoadIsNotAnAdditionalOne() throws {
        let event = try Self.event([
            .didLoad, .didAppear, .loading, .loader(true), .milliseconds(100), .content, .milliseconds(5), .cycle,
            .milliseconds(5), .loader(false), .cycle, .didDisappear,
        ])
        #expect(event.initialLoad == .milliseconds(105))
        #expect(event.additionalLoads == [])
    }

    @Test func images() throws {
        let event = try Self.event(
            Self.loaded + [
                .placeholder("a"), .placeholder("b", slot: 2), .milliseconds(180), .shown("a"), .shown("a"),
                .milliseconds(420), .shown("b", slot: 2), .shown("c", slot: 3), .placeholder("d", slot: 4),
                .milliseconds(20), .hidden(slot: 4), .placeholder("e", slot: 5), .milliseconds(700), .didDisappear,
            ])
        #expect(
            event.richContent == [
                RichContentLoad(duration: .milliseconds(180), outcome: .loaded),
                RichContentLoad(duration: .milliseconds(600), outcome: .loaded, url: "b"),
                RichContentLoad(duration: .zero, outcome: .loaded),
                RichContentLoad(duration: .milliseconds(20), outcome: .hidden),
                RichContentLoad(duration: .milliseconds(700), outcome: .hidden, url: "e"),
            ])
        #expect(event.visit.sample(of: .rclt) == 260)
        #expect(event.visit.sample(of: .rcltShown) == 390)
    }

    @Test func aReusedCellTakesNoAnswerForItsFormerImage() throws {
        let event = try Self.event(
            Self.loaded + [
                .placeholder("old"), .milliseconds(100), .placeholder("new"), .milliseconds(50), .shown("old"),
                .milliseconds(50), .shown("new"), .didDisappear,
            ])
        #expect(event.richContent?.map(\.outcome) == [.hidden, .loaded])
        #expect(event.richContent?.map(\.duration) == [.milliseconds(100), .milliseconds(100)])
    }

    @Test func hangsWhileTheUserScrolls() throws {
        func tick(_ milliseconds: UInt64, isTracking: Bool = true) -> PageSignal {
            let time = milliseconds * 1_000_000
            return .tick(timestamp: time, target: time + 10_000_000, isTracking: isTracking)
        }
        let event = try Self.event(
            Self.loaded
                + [
                    tick(0), tick(10), tick(40), tick(50), tick(200, isTracking: false), tick(210), tick(220),
                    tick(240),
                    .didDisappear,
                ])
        #expect(event.threadHangs == [.milliseconds(20), .milliseconds(10)])
        #expect(event.visit.sample(of: .scrollThreadHang) == 30)
    }

    @Test func aPageThatIsVisitedAgain() throws {
        let events = PageScript.events(
            Self.loaded + [
                .didDisappear, .milliseconds(60_000), .willAppear, .didLayout, .didAppear,
                .milliseconds(700), .didDisappear,
            ]
        ).filter { !$0.isCheckpoint }
        try #require(events.count == 2)
        #expect(events[1].visitID == "v2")
        #expect(events[1].outcome == .loaded)
        #expect(events[1].firstLayout == nil)
        #expect(events[1].initialLoad == nil)
        #expect(events[1].additionalLoads == nil)
        #expect(events[1].duration == .milliseconds(700))
    }
}
