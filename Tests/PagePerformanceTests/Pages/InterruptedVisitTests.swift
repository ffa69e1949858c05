import Testing

@testable import PagePerformance

/// Visits that are interrupted because the app is suspended or becomes inactive.
struct InterruptedVisitTests {
    private static let away: [PageSignal] = [
        .willResign, .didSuspend, .milliseconds(3_600_000), .didResume, .milliseconds(16),
    ]

    @Test func nothingThatSpansASuspensionKeepsItsTime() throws {
        let events = PageScript.events(
            [.didLoad, .loading, .didAppear, .placeholder("a"), .milliseconds(100)] + Self.away + [
                .didLayout, .content, .cycle, .shown("a"), .didDisappear,
            ])
        let event = try #require(events.last)
        #expect(event.isInactive && event.outcome == nil)
        #expect(event.firstLayout == nil)
        #expect(event.initialLoad == nil)
        #expect(event.duration == nil)
        #expect(event.richContent == nil)
    }

    @Test func whatWasOverBeforeASuspensionStays() throws {
        let events = PageScript.events(
            [
                .didLoad, .milliseconds(5), .didLayout, .didAppear, .content, .milliseconds(5), .cycle,
                .placeholder("a"), .milliseconds(10), .shown("a"), .loadingMore, .loader(true), .milliseconds(20),
            ] + Self.away + [
                .content, .loader(false), .cycle, .loadingMore, .loader(true), .milliseconds(30), .content,
                .loader(false), .cycle, .didDisappear,
            ])
        let event = try #require(events.last)
        #expect(event.firstLayout == .milliseconds(5))
        #expect(event.initialLoad == .milliseconds(10))
        #expect(event.richContent?.map(\.duration) == [.milliseconds(10)])
        #expect(event.additionalLoads == [.milliseconds(30)])
        #expect(event.duration == nil)
    }

    @Test func nothingStartsInASuspension() throws {
        let events = PageScript.events([
            .didSuspend, .didLoad, .didAppear, .placeholder("a"), .shown("b", slot: 2), .milliseconds(500), .didResume,
            .didLayout, .shown("a"), .content, .cycle, .didDisappear,
        ])
        let event = try #require(events.last)
        #expect(event.isInactive && event.outcome == nil)
        #expect([event.firstLayout, event.initialLoad, event.duration] == [nil, nil, nil])
        #expect(event.richContent == nil)
    }

    @Test func aLoadThatBeganBeforeTheVisitIsNotMeasured() throws {
        let events = PageScript.events([
            .didLoad, .bottom(false), .didAppear, .content, .cycle, .loadingMore, .didDisappear, .milliseconds(50),
            .willAppear, .didAppear, .loader(true), .milliseconds(50), .loader(false), .content, .cycle, .didDisappear,
        ]).filter { !$0.isCheckpoint }
        #expect(events.map(\.additionalLoads) == [[], []])
    }

    @Test func framesOfAnInactiveAppAreNobodys() throws {
        func tick(_ milliseconds: UInt64) -> PageSignal {
            .tick(timestamp: milliseconds * 1_000_000, target: (milliseconds + 10) * 1_000_000, isTracking: true)
        }
        let events = PageScript.events([
            .didLoad, .didAppear, tick(0), tick(10), .willResign, tick(90), .didResume, tick(900), tick(910),
            .didDisappear,
        ])
        #expect(events.last?.threadHangs == [])
    }

    @Test func aCheckpointIsReplacedByTheEventOfItsVisit() throws {
        let events = PageScript.events([
            .didLoad, .loading, .didAppear, .milliseconds(10), .placeholder("a"), .checkpoint, .milliseconds(5),
            .content,
            .cycle, .shown("a"), .didSuspend, .didResume, .didDisappear,
        ])
        #expect(events.map(\.isCheckpoint) == [true, true, true, false])
        #expect(events.map(\.visitID) == ["v1", "v1", "v1", "v1"])
        #expect(events.map(\.outcome) == [.abandoned, .loaded, .loaded, .loaded])
        #expect(events.map(\.duration) == [.milliseconds(10), .milliseconds(15), nil, nil])
        #expect(events.map { $0.richContent?.count } == [0, 0, 1, 1])
    }

    @Test func aCheckpointThatSaysNothingNewIsLeftOut() {
        let events = PageScript.events([
            .didLoad, .didAppear, .content, .cycle, .milliseconds(500), .checkpoint, .checkpoint, .willResign,
            .didSuspend,
            .didResume, .willResign, .didDisappear,
        ])
        #expect(events.map(\.isCheckpoint) == [true, false])
    }

    @Test func contentOfAnInactiveAppIsNobodys() {
        let events = PageScript.events([
            .didLoad, .loading, .didLayout, .didAppear, .milliseconds(400), .willResign, .milliseconds(10), .content,
            .milliseconds(8_000), .didResume, .cycle, .didSuspend, .didDisappear,
        ])
        #expect(events.map(\.isCheckpoint) == [true, false])
        #expect(events.map(\.isInactive) == [true, true])
        #expect(events.map(\.initialLoad) == [nil, nil])
        #expect(events.map(\.outcome) == [nil, nil])
    }

    @Test func aPlaceholderFromBeforeTheVisitIsNotTimed() {
        let events = PageScript.events([
            .didLoad, .didAppear, .placeholder("a"), .placeholder("b", slot: 2), .milliseconds(10), .didDisappear,
            .milliseconds(500), .shown("b", slot: 2), .willAppear, .milliseconds(70), .shown("a"),
            .shown("b", slot: 2), .placeholder("c"), .milliseconds(5), .shown("c"), .didAppear, .didDisappear,
        ])
        #expect(
            events.map { $0.richContent?.map(\.duration) } == [
                [.milliseconds(10), .milliseconds(10)], [.milliseconds(5)],
            ])
    }

    @Test func aPageThatNeverAppearedOrHasNoNameGivesNoEventAndIsCounted() {
        let script = PageScript(page: " \n\u{3000}")
        script.play([.didLoad, .didDisappear, .willAppear, .checkpoint, .didAppear, .checkpoint, .didDisappear])
        #expect(script.events.isEmpty)
        #expect(script.machine.counts.neverAppeared == 1)
        #expect(script.machine.counts.withoutName == 1)
        #expect(script.machine.counts.emitted == 0)
    }

    @Test func aVisitMayGetItsNameLate() {
        let events = PageScript.events(page: nil, [.didLoad, .didAppear, .pageName("Home"), .didDisappear])
        #expect(events.map(\.page) == ["Home"])
        #expect(events.map(\.visitID) == ["v1"])
    }

    @Test func oneMachineServesSeveralPages() {
        let script = PageScript(page: "List")
        script.play([
            .didLoad, .didAppear, .content, .milliseconds(20), .cycle, .bottom(true), .milliseconds(80),
            .pageName("Map"), .milliseconds(7), .didLayout, .content, .milliseconds(23), .cycle, .pageName("Map"),
            .milliseconds(70), .didDisappear, .pageName("List"), .didAppear, .didDisappear,
        ])
        let events = script.events.filter { !$0.isCheckpoint }
        #expect(events.map(\.page) == ["List", "Map", "List"])
        #expect(events.map(\.visitID) == ["v1", "v2", "v3"])
        #expect(events.map(\.duration) == [.milliseconds(100), .milliseconds(100), .zero])
        #expect(events.map(\.initialLoad) == [.milliseconds(20), .milliseconds(30), nil])
        #expect(events.map(\.firstLayout) == [nil, .milliseconds(7), nil])
        #expect(events.map(\.outcome) == [.loaded, .loaded, nil])
        #expect(script.machine.counts.emitted == 3)
    }

    @Test func losingTheNameEndsTheVisitAndCountsTheNext() {
        let script = PageScript(page: "List")
        script.play([.didLoad, .didAppear, .pageName(""), .didDisappear])
        #expect(script.events.map(\.page) == ["List"])
        #expect(script.machine.counts.withoutName == 1)
    }

    @Test func anEventMayCallBack() {
        final class Box { var machine: PPSStateMachine?; var pages: [String] = [] }
        let box = Box()
        box.machine = PPSStateMachine(pageName: "A", clock: ManualClock()) { [unowned box] event in
            box.pages.append(event.page)
            if event.page == "A" { box.machine?.handlePageName("B") }
            if event.page == "C" { box.machine?.handleDidDisappear() }
        }
        box.machine?.handleDidLoad()
        box.machine?.handleDidAppear()
        box.machine?.handlePageName("C")
        box.machine?.handleDidDisappear()
        #expect(box.pages == ["A", "C", "B"])
    }
}
