import Foundation
import Testing

@testable import PagePerformance

/// A recording tool that keeps each interval with its begin and end, in ns after the test's start, and the order of both.
final class RecordingSignposter: PageSignposting {
    struct Interval {
        let kind: PageInterval
        let message: String
        let start: Nanoseconds
        /// The places of the begin and of each end among all of them.
        let begin: Int
        var ends: [Int] = []
        var end: Nanoseconds?

        func contains(_ other: Interval) -> Bool {
            begin <= other.begin && (other.ends.first ?? .max) <= (ends.first ?? .max)
        }

        var visit: Substring? { message.split(separator: " ").first { $0.hasPrefix("visit=") } }
    }

    let clock: ManualClock
    private let origin: Nanoseconds
    private var count = 0
    private(set) var intervals: [Interval] = []
    private(set) var questions = 0
    var isRecording = true
    var isEnabled: Bool {
        questions += 1
        return isRecording
    }

    init(_ clock: ManualClock) { (self.clock, origin) = (clock, clock.now) }

    func begin(_ interval: PageInterval, _ message: String) -> () -> Void {
        let index = intervals.count
        intervals.append(Interval(kind: interval, message: message, start: now, begin: next()))
        return { [self] in
            intervals[index].ends.append(next())
            intervals[index].end = now
        }
    }

    private var now: Nanoseconds { clock.now.since(origin) ?? .zero }

    private func next() -> Int {
        defer { count += 1 }
        return count
    }

    /// Each interval as `load Search 0–30`, in ms, in the order of their begins.
    var story: [String] {
        intervals.map { interval in
            let page = interval.message.split(separator: " ")[0].dropFirst("page=".count)
            let end = interval.end.map { "\($0.count / 1_000_000)" } ?? "…"
            return "\(interval.kind.rawValue) \(page) \(interval.start.count / 1_000_000)–\(end)"
        }
    }
}

/// The intervals of visits and scrolls that a recording tool shows.
struct SignpostTests {
    private final class Bench {
        let clock = ManualClock(start: .seconds(100))
        let tool: RecordingSignposter
        let recorder: PageRecorder
        private var visits = 0

        init() {
            let count = Count()
            tool = RecordingSignposter(clock)
            recorder = PageRecorder(
                frames: FrameDropDetector.Configuration(maxFPS: 100), clock: clock,
                makeVisitID: {
                    count.value += 1
                    return "v\(count.value)"
                }, emit: { _ in })
            recorder.signposter = tool
        }

        private final class Count { var value = 0 }

        func wait(_ milliseconds: UInt64 = 10) { clock.advance(by: .milliseconds(milliseconds)) }

        /// A page that is laid out after 10 ms, and appears after another 10.
        func open(_ name: String?) -> PPSStateMachine {
            let page = recorder.makePage(named: name)
            page.handleDidLoad()
            wait()
            page.handleDidLayoutSubviews()
            wait()
            page.handleDidAppear()
            return page
        }

        func frames(_ count: Int, isTracking: Bool = false) {
            for _ in 0..<count {
                wait()
                recorder.tick(
                    FrameTick(timestamp: clock.now, target: clock.now + .milliseconds(10)), isTracking: isTracking)
            }
        }
    }

    private func expectEachEndsOnce(_ bench: Bench) {
        #expect(bench.tool.intervals.allSatisfy { $0.ends.count == 1 }, "\(bench.tool.story)")
    }

    @Test func anOrdinaryVisit() {
        let bench = Bench()
        bench.recorder.iteration = { 3 }
        let page = bench.open("Search")
        page.handleDidRender(isLoading: true)
        bench.wait()
        page.handleDidRender(isLoading: false)
        bench.frames(1)
        bench.wait(60)
        page.handleDidDisappear()
        #expect(bench.tool.story == ["visit Search 0–100", "load Search 0–40", "first-layout Search 0–10"])
        #expect(Set(bench.tool.intervals.map(\.message)) == ["page=Search visit=v1 iteration=3"])
        // The page that is visited again has no time from view did load.
        page.handleWillAppear()
        page.handleDidAppear()
        bench.wait()
        page.handleDidDisappear()
        #expect(bench.tool.story.dropFirst(3) == ["visit Search 100–110"])
        #expect(bench.tool.intervals.last?.message == "page=Search visit=v2 iteration=3")
        expectEachEndsOnce(bench)
    }

    @Test func anError() {
        let bench = Bench()
        let page = bench.open("Search")
        page.handleDidRender(isLoading: false, isError: true)
        bench.wait()
        page.handleDidDisappear()
        #expect(bench.tool.story == ["visit Search 0–30", "load Search 0–20", "first-layout Search 0–10"])
        expectEachEndsOnce(bench)
    }

    @Test func aPageThatBecomesAnotherBeforeItsOutcome() {
        let bench = Bench()
        let page = bench.open("List")
        page.handleDidRender(isLoading: true)
        bench.wait()
        page.handlePageName("Map")
        bench.wait()
        page.handleDidDisappear()
        #expect(
            bench.tool.story == [
                "visit List 0–30", "load List 0–30", "first-layout List 0–10",
                "visit Map 30–40", "load Map 30–40", "first-layout Map 30–40",
            ])
        expectEachEndsOnce(bench)
    }

    @Test func aPageThatIsFreedDuringALoadAndAScroll() {
        let bench = Bench()
        var page: PPSStateMachine? = bench.open("Search")
        page?.handleDidRender(isLoading: true)
        bench.frames(2, isTracking: true)
        page = nil
        #expect(page == nil)
        #expect(
            bench.tool.story == [
                "visit Search 0–40", "load Search 0–40", "first-layout Search 0–10", "scroll Search 30–40",
            ])
        // The visit ends last.
        #expect(bench.tool.intervals[0].ends == [7])
        expectEachEndsOnce(bench)
    }

    @Test func aRecorderThatIsFreedFirst() {
        let tool = RecordingSignposter(ManualClock(start: .seconds(1)))
        var recorder: PageRecorder? = PageRecorder(clock: tool.clock) { _ in }
        recorder?.signposter = tool
        let page = recorder?.makePage(named: "Search")
        page?.handleDidLoad()
        page?.handleDidAppear()
        recorder?.beginScroll()
        recorder = nil
        tool.clock.advance(by: .milliseconds(5))
        page?.handleDidDisappear()
        #expect(tool.story.map { $0.hasSuffix(" 0–5") } == [true, true, true, true])
        #expect(tool.intervals.allSatisfy { $0.ends.count == 1 })
    }

    @Test(arguments: [PPSStateMachine.AppChange.willResignActive, .didEnterBackground])
    func aUserWhoLeavesDuringTheLoad(_ change: PPSStateMachine.AppChange) {
        let bench = Bench()
        let page = bench.recorder.makePage(named: "Search")
        page.handleDidLoad()
        page.handleDidAppear()
        page.handleDidRender(isLoading: true)
        bench.wait()
        bench.recorder.appDid(change)
        bench.wait(500)
        bench.recorder.appDid(.didBecomeActive)
        page.handleDidLayoutSubviews()
        page.handleDidRender(isLoading: false)
        bench.frames(1)
        page.handleDidDisappear()
        // Neither time is measured any longer.
        #expect(bench.tool.story == ["visit Search 0–520", "load Search 0–10", "first-layout Search 0–10"])
        expectEachEndsOnce(bench)
    }

    @Test func aPageThatBeginsInTheBackground() {
        let bench = Bench()
        bench.recorder.appDid(.didEnterBackground)
        let page = bench.open("Search")
        page.handleDidDisappear()
        #expect(bench.tool.story == ["visit Search 0–20"])
        expectEachEndsOnce(bench)
    }

    @Test func aPageThatNeverAppears() {
        let bench = Bench()
        let page = bench.recorder.makePage(named: "Search")
        page.handleDidLoad()
        bench.wait()
        page.handleDidDisappear()
        #expect(bench.tool.story == ["visit Search 0–10", "load Search 0–10", "first-layout Search 0–10"])
        expectEachEndsOnce(bench)
    }

    @Test func aPageThatIsNamedLateBeginsWithItsName() {
        let bench = Bench()
        let page = bench.open(nil)
        page.handlePageName(" ")
        #expect(bench.tool.intervals.isEmpty)
        page.handlePageName("Search")
        bench.frames(1)
        page.handleDidDisappear()
        // Its first layout was before.
        #expect(bench.tool.story == ["visit Search 20–30", "load Search 20–30"])
        expectEachEndsOnce(bench)
    }

    @Test func aPageWithoutANameHasNoInterval() {
        let bench = Bench()
        let page = bench.open(nil)
        bench.frames(3, isTracking: true)
        page.handleDidDisappear()
        #expect(bench.tool.intervals.isEmpty)
    }

    @Test func scrollsBelongToThePageOnTop() {
        let bench = Bench()
        let list = bench.open("List")
        bench.frames(2, isTracking: true)
        // A sheet covers the list in the middle of its scroll.
        let sheet = bench.open("Sheet")
        bench.frames(1)
        bench.frames(2, isTracking: true)
        bench.recorder.scrollDidRest()
        bench.recorder.beginScroll()
        bench.wait()
        bench.recorder.endScroll()
        bench.recorder.endScroll()
        sheet.handleDidDisappear()
        list.handleDidDisappear()
        let scrolls = bench.tool.story.filter { $0.hasPrefix("scroll") }
        #expect(scrolls == ["scroll List 30–60", "scroll Sheet 80–90", "scroll Sheet 90–100"])
        expectEachEndsOnce(bench)
    }

    @Test func aScrollEndsWhenTheAppIsCovered() {
        let bench = Bench()
        let page = bench.open("List")
        bench.frames(2, isTracking: true)
        bench.recorder.appWillResign()
        bench.wait()
        page.handleDidDisappear()
        #expect(bench.tool.story.last == "scroll List 30–40")
        expectEachEndsOnce(bench)
    }

    @Test func withoutAToolNothingIsAskedForOrMade() {
        let bench = Bench()
        bench.tool.isRecording = false
        bench.recorder.iteration = {
            Issue.record("a message was made")
            return 0
        }
        let page = bench.open("Search")
        page.handleDidRender(isLoading: false)
        bench.frames(3, isTracking: true)
        page.handleDidDisappear()
        #expect(bench.tool.intervals.isEmpty)
        // Once for the visit and once for the scroll.
        #expect(bench.tool.questions == 2)
    }

    @Test func aToolThatBeginsDuringAVisitSeesItsScrolls() {
        let bench = Bench()
        bench.tool.isRecording = false
        let page = bench.open("List")
        bench.tool.isRecording = true
        bench.frames(2, isTracking: true)
        bench.tool.isRecording = false
        page.handleDidDisappear()
        #expect(bench.tool.story == ["scroll List 30–40"])
        expectEachEndsOnce(bench)
    }

    @Test(arguments: [
        ("Search", "Search"), ("Suche nach Schuhen", "Suche%20nach%20Schuhen"), ("a=b 100%", "a%3Db%20100%25"),
        ("日本 語é👩‍👩‍👧", "日本%20語é👩%E2%80%8D👩%E2%80%8D👧"), ("a\u{202E}b\u{A0}c\n\u{7F}\u{2028}\u{0}", nil),
        ("page=x visit=y iteration=1", nil), ("%41", nil), ("", ""), ("<a href=\"b\">&amp;", nil),
        ("a/b;c,d:e", "a/b;c,d:e"),
    ])
    func aMessageCanBeReadBack(_ name: String, _ expected: String?) {
        let encoded = SignpostMessage.encoded(name)
        if let expected { #expect(encoded == expected) }
        #expect(encoded.removingPercentEncoding == name)
        let fields = SignpostMessage.text(page: name, visit: name, iteration: 7).split(separator: " ")
        #expect(fields == ["page=\(encoded)", "visit=\(encoded)", "iteration=7"])
        #expect(encoded.unicodeScalars.allSatisfy { !$0.properties.isWhitespace && $0 != "=" })
    }
}
