import Testing

@testable import PagePerformance

struct PageRecorderTests {
    /// A recorder with stored records, fed with frames of a 100 Hz display.
    private final class Bench {
        let clock = ManualClock(start: .seconds(100))
        let recorder: PageRecorder
        private let log = Log()
        var records: [PageRecord] { log.records }

        private final class Log { var records: [PageRecord] = [] }

        init(keptTicks: Int = 0) {
            let log = log
            recorder = PageRecorder(
                frames: FrameDropDetector.Configuration(maxFPS: 100, keptTicks: keptTicks), clock: clock,
                emit: { log.records.append($0) })
        }

        func open(_ name: String?) -> PPSStateMachine {
            let page = recorder.makePage(named: name)
            page.handleDidLoad()
            page.handleWillAppear()
            page.handleDidAppear()
            return page
        }

        /// Passes frames; each lasts as many intervals of 10 ms as given.
        func frames(_ intervals: [UInt64], isTracking: Bool = false) {
            for interval in intervals {
                clock.advance(by: .milliseconds(interval * 10))
                let now = clock.now
                recorder.tick(FrameTick(timestamp: now, target: now + .milliseconds(10)), isTracking: isTracking)
            }
        }

        var scrolls: [String] {
            records.compactMap {
                if case .scroll(let scroll) = $0.content {
                    "\($0.page) \(scroll.number): \(scroll.drops.total)"
                } else {
                    nil
                }
            }
        }

        var screens: [ScreenRecord] {
            records.compactMap { if case .screen(let screen) = $0.content { screen } else { nil } }
        }

        var visits: [PageVisitEvent] {
            records.compactMap { if case .visit(let visit) = $0.content { visit } else { nil } }
        }
    }

    @Test func aScrollLastsAsLongAsTheRunLoopTracks() {
        let bench = Bench()
        let page = bench.open("Search")
        bench.frames([1, 1, 9])
        bench.frames([1, 1, 3, 1], isTracking: true)
        bench.frames([7, 1])
        bench.frames([5, 1, 1], isTracking: true)
        bench.frames([1])
        #expect(bench.scrolls == ["Search 0: 2", "Search 1: 0"])
        #expect(
            bench.records.first?.content
                == .drop(
                    FrameDrop(
                        framesDropped: 2, cumulativeFramesDropped: 2, cumulativeFrameDropEvents: 1, scroll: 0,
                        counting: .exact, lost: .milliseconds(20))))
        page.handleDidDisappear()
        #expect(bench.visits.map(\.threadHangs) == [[.milliseconds(20)]])
        #expect(bench.screens.map(\.screen) == ["Search"])
        #expect(bench.screens.first?.frameCount == 12)
    }

    @Test func aFrameIsARenderCycle() {
        let bench = Bench()
        let page = bench.open("Search")
        bench.frames([1])
        page.handleDidRender(isLoading: false)
        bench.frames([1])
        page.handleDidDisappear()
        #expect(bench.visits.map(\.isCheckpoint) == [true, false])
        #expect(bench.visits.map(\.initialLoad) == [.milliseconds(20), .milliseconds(20)])
        #expect(bench.visits.map(\.outcome) == [.loaded, .loaded])
    }

    @Test func framesBelongToThePageOnTop() {
        let bench = Bench(keptTicks: 16)
        let list = bench.open("List")
        bench.frames([1, 1, 1], isTracking: true)
        let detail = bench.open("Detail")
        #expect(bench.recorder.currentPage === detail)
        list.handleDidDisappear()
        bench.frames([1, 1])
        bench.frames([1, 1], isTracking: true)
        detail.handleDidDisappear()
        #expect(bench.recorder.currentPage == nil)
        #expect(bench.recorder.isIdle)
        #expect(bench.scrolls == ["List 0: 0", "Detail 1: 0"])
        #expect(bench.screens.map(\.screen) == ["List", "Detail"])
        let segments = bench.records.compactMap {
            if case .segment(let segment) = $0.content { ($0.page, segment) } else { nil }
        }
        #expect(segments.map(\.0) == ["List", "Detail"])
        #expect(segments.map(\.1.timestamps.count) == [3, 2])
    }

    @Test func aCoveredPageHasNoPartInTheScrollsAboveIt() {
        let bench = Bench()
        let list = bench.open("List")
        let sheet = bench.open("Sheet")
        bench.frames([1, 1, 5, 1], isTracking: true)
        sheet.handleDidDisappear()
        list.handleDidDisappear()
        #expect(bench.visits.map(\.threadHangs) == [[.milliseconds(40)], nil])
        #expect(bench.recorder.counts.emitted == 2)
    }

    @Test func aPageThatIsCoveredIsRecordedAgainWhenItIsUncovered() {
        let bench = Bench()
        let list = bench.open("List")
        bench.frames([1, 1])
        let sheet = bench.open("Sheet")
        bench.frames([1, 1, 1])
        sheet.handleDidDisappear()
        bench.frames([1, 1, 1, 1])
        list.handleDidDisappear()
        #expect(bench.screens.map(\.screen) == ["List", "Sheet", "List"])
        #expect(bench.screens.map(\.frameCount) == [1, 2, 3])
    }

    @Test func aPageThatShowsAnotherEndsItsScroll() {
        let bench = Bench()
        let page = bench.open("Tab 1")
        bench.frames([1, 1, 1], isTracking: true)
        page.handlePageName("Tab 2")
        bench.frames([1, 1, 1], isTracking: true)
        page.handleDidDisappear()
        #expect(bench.scrolls == ["Tab 1 0: 0"])
        #expect(bench.screens.map(\.screen) == ["Tab 1", "Tab 2"])
        #expect(bench.visits.map(\.page) == ["Tab 1", "Tab 2"])
    }

    @Test func aGapEndsAScroll() {
        let bench = Bench()
        let page = bench.open("Search")
        bench.frames([1, 1, 1], isTracking: true)
        bench.recorder.interrupt()
        bench.frames([50, 1])
        bench.frames([1, 1, 1], isTracking: true)
        bench.recorder.interrupt()
        bench.frames([50, 1], isTracking: true)
        page.handleDidDisappear()
        #expect(bench.scrolls == ["Search 0: 0", "Search 1: 0", "Search 2: 0"])
        #expect(bench.screens.map(\.hitch) == [.zero])
    }

    @Test func framesOfAPageWithoutNameAreNobodys() {
        let bench = Bench()
        let page = bench.open(nil)
        bench.frames([1, 5, 1], isTracking: true)
        page.handleDidDisappear()
        #expect(bench.records.isEmpty)
        #expect(bench.recorder.counts.withoutName == 1)
        #expect(bench.recorder.counts.emitted == 0)
    }

    @Test func aPageThatIsFreedEndsItsVisitAndIsCounted() {
        let bench = Bench()
        bench.recorder.conditions = { VisitConditions(isLowPowerModeOn: true, network: .cellular) }
        var page: PPSStateMachine? = bench.open("Search")
        bench.frames([1, 1])
        page?.handleDidRender(isLoading: false)
        page = nil
        #expect(page == nil)
        #expect(bench.visits.map(\.outcome) == [.abandoned])
        #expect(bench.visits.map(\.duration) == [.milliseconds(20)])
        #expect(bench.screens.map(\.screen) == ["Search"])
        #expect(bench.records.map(\.conditions.network) == [.cellular, .cellular])
        #expect(bench.recorder.counts.emitted == 1)
        #expect(bench.recorder.counts.freed == 1)
    }

    @Test func aCycleBeforeTheCommitShowsNothing() {
        let bench = Bench()
        bench.recorder.followsCommits = true
        let page = bench.open("Search")
        bench.frames([1])
        page.handleDidRender(isLoading: false)
        #expect(bench.recorder.awaitsCommit && bench.recorder.awaitsRenderCycle)
        bench.frames([1])
        #expect(bench.visits.isEmpty)
        bench.recorder.didCommit()
        bench.frames([1])
        #expect(bench.visits.map(\.initialLoad) == [.milliseconds(30)])
        // A committed change waits for no further commit.
        page.handleDidRender(isLoading: false)
        #expect(!bench.recorder.awaitsCommit && !bench.recorder.awaitsRenderCycle)
    }

    @Test func aPageWhoseOwnerIsGoneIsGone() {
        let bench = Bench()
        var page: PPSStateMachine? = bench.open("Search")
        bench.frames([1, 1])
        #expect(page != nil)
        page = nil
        bench.frames([1, 1])
        #expect(bench.recorder.isIdle)
        #expect(bench.screens.map(\.frameCount) == [1])
    }

    @Test func aScriptedScrollIsNoFingers() {
        let bench = Bench()
        _ = bench.recorder
        let page = bench.open("Search")
        bench.recorder.beginScroll()
        bench.frames([1, 1])
        bench.frames([1], isTracking: true)
        bench.frames([2, 1])
        bench.recorder.endScroll()
        bench.frames([5])
        #expect(bench.scrolls == ["Search 0: 1"])
        #expect(page.pageName == "Search")
    }

    @Test func theAppsLifeReachesEveryPageAndSplitsFrames() {
        let bench = Bench()
        let page = bench.open("Search")
        bench.frames([1, 1], isTracking: true)
        bench.recorder.appWillResign()
        bench.recorder.appDidSuspend()
        bench.frames([30, 30], isTracking: true)
        let late = bench.recorder.makePage(named: "Widget")
        late.handleDidAppear()
        late.handleDidDisappear()
        bench.recorder.appDidResume()
        bench.frames([1, 1], isTracking: true)
        page.handleDidDisappear()
        #expect(bench.visits.map(\.page) == ["Search", "Widget", "Search"])
        #expect(bench.visits.map(\.isCheckpoint) == [true, false, false])
        #expect(bench.visits.map(\.duration) == [.milliseconds(20), nil, nil])
        #expect(bench.visits.map(\.isInactive) == [false, true, false])
        #expect(bench.visits.last?.threadHangs == [])
        #expect(bench.screens.map(\.frameCount) == [1, 1])
    }

    @Test func bodyEvaluationsAreCountedByVisit() {
        let bench = Bench()
        for count in [3, 1] {
            let page = bench.open("Search")
            for _ in 0..<count { bench.recorder.countBodyEvaluation(of: "Row", on: "Search") }
            bench.recorder.countBodyEvaluation(of: "Header", on: "Search")
            bench.recorder.countBodyEvaluation(of: "Map", on: "Other")
            page.handleCheckpoint()
            page.handleDidDisappear()
        }
        let counts = bench.records.compactMap {
            if case .bodyEvaluations(let count, let view) = $0.content { "\($0.page) \(view) \(count)" } else { nil }
        }
        #expect(counts == ["Search Header 1", "Search Row 3", "Search Header 1", "Search Row 1"])
        #expect(Set(bench.records.map(\.visitID)) == Set(bench.visits.map(\.visitID)))
    }

    @Test func everyRecordBelongsToItsVisit() {
        let bench = Bench(keptTicks: 4)
        var visits: [String] = []
        for _ in 0..<2 {
            let page = bench.open("Search")
            bench.frames([1, 1, 3], isTracking: true)
            bench.recorder.countBodyEvaluation(of: "Row", on: "Search")
            page.handleDidDisappear()
            visits.append(bench.visits.last?.visitID ?? "")
            #expect(bench.records.filter { $0.visitID == visits.last }.count == 6)
        }
        #expect(visits[0] != visits[1])
        #expect(bench.records.count == 12)
    }

    @Test func liveFiguresAreOfTheLastSecondAndVisit() {
        let bench = Bench()
        bench.recorder.live = LiveFigures()
        #expect(bench.recorder.live?.lines == ["– fps · hitches – ms · dropped 0"])
        let page = bench.open("Search")
        page.handleDidLayoutSubviews()
        page.handleDidRender(isLoading: false)
        bench.frames(Array(repeating: 1, count: 81) + [20])
        #expect(bench.recorder.live?.framesPerSecond == 81)
        page.handleDidDisappear()
        #expect(
            bench.recorder.live?.lines == [
                "81 fps · hitches 190 ms · dropped 19", "drops ▾19", "Search: loaded",
                "layout 0 · load 10 · more – · images – ms",
                "hangs – ms",
            ])
        bench.open(" ").handleDidDisappear()
        #expect(bench.recorder.live?.lines.last == "visits without a page name: 1")
    }
}
