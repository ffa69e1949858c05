import PagePerformance
import Testing
import UIKit

@testable import PagePerformanceUIKit

extension UserInterfaceTests {
    private func table(rows: Int) -> UITableView {
        let table = UITableView(frame: CGRect(x: 0, y: 0, width: 400, height: 800))
        table.rows = rows
        table.contentSize.height = CGFloat(rows) * table.rowHeight
        return table
    }

    /// Scrolls a table on a visible page to its end, with frames of these intervals, over and over.
    private func scroll(_ table: UITableView, plan: ScrollPlan = ScrollPlan(), intervals: [Double]) async -> (
        error: ListScrollError?, scrolls: Int
    ) {
        let bench = Bench()
        let controller = SearchController()
        controller.view.addSubview(table)
        bench.show(controller)
        var error: ListScrollError?
        var isOver = false
        let task = Task {
            do throws(ListScrollError) {
                try await ListScroller(table, in: bench.session, plan: plan).run()
            } catch let thrown {
                error = thrown
            }
            isOver = true
        }
        while !isOver {
            await Task.yield()
            bench.frames(intervals)
        }
        await task.value
        bench.hide(controller)
        return (error, await bench.lines("scroll").count)
    }

    @Test func aListIsScrolledUntilItsLastRowIsVisible() async {
        let table = table(rows: 40)
        let result = await scroll(table, intervals: [1, 1, 1])
        #expect(result.error == nil)
        // From 0 in steps of 120 until the row at 1,950 is visible.
        #expect(table.contentOffset.y == 1_200)
        #expect(result.scrolls == 10)
    }

    @Test func droppedFramesFailTheTestAtItsEnd() async throws {
        let table = table(rows: 40)
        let result = await scroll(table, intervals: [1, 1, 1, 1, 1, 1, 1, 1, 4])
        guard case .limitsBroken(let breaches)? = result.error else {
            Issue.record("\(String(describing: result.error))")
            return
        }
        #expect(table.contentOffset.y == 1_200)
        #expect(breaches.contains { $0.limit == .framesDropped && $0.drop.framesDropped == 3 })
        #expect(Set(breaches.map(\.drop.scroll)).count > 3)
    }

    @Test func whatWasNotMeasuredFailsToo() async {
        #expect(await scroll(table(rows: 3), intervals: [1]).error == .nothingToScroll)
        let endless = await scroll(table(rows: 1_000), plan: ScrollPlan(longest: 2), intervals: [1])
        #expect(endless.error == .endNotReached(steps: 2))
        #expect(endless.scrolls == 2)
    }

    /// Does something from within the run loop in its tracking mode, as UIKit does while a finger scrolls.
    private func track(_ body: @escaping @MainActor @Sendable () -> Void) {
        RunLoop.current.perform(inModes: [.tracking]) { MainActor.assumeIsolated(body) }
        #expect(RunLoop.current.run(mode: .tracking, before: .distantPast))
    }

    @Test func aScrollLastsAsLongAsTheRunLoopIsInItsTrackingMode() async {
        let bench = Bench()
        let controller = SearchController()
        bench.show(controller)
        bench.frames([1, 1, 5])
        for _ in 0..<2 {
            track { bench.frames([1, 1, 3]) }
            bench.frames([7])
        }
        bench.hide(controller)
        #expect(await bench.lines("scroll").count == 2)
        let drops = await bench.lines("frame_drop")
        #expect(drops.map { $0.contains(#""frames_dropped":2,"#) } == [true, true])
    }

    @Test func anIterationBeginsWithTheDevicesState() async throws {
        let bench = Bench()
        let controller = SearchController()
        for iteration in 0..<2 {
            bench.session.beginIteration(iteration)
            bench.show(controller)
            bench.hide(controller)
        }
        let states = await bench.lines("state")
        #expect(states.map { $0.contains(#""iteration":1"#) } == [false, true])
        #expect(states.allSatisfy { $0.contains(#""charging":false"#) })
        #expect(await bench.lines("pps").map { $0.contains(#""iteration":1"#) } == [false, true])
    }

    @Test func aListTellsItsPageOfItsBottom() async throws {
        let bench = Bench()
        let controller = SearchController()
        let table = table(rows: 40)
        controller.view.addSubview(table)
        bench.show(controller)
        let page = try #require(controller.page)
        page.handleDidRender(isLoading: false)
        bench.frames([1])
        page.handleDidRender(isLoading: true, isInitialLoading: false)
        table.contentOffset.y = 1_299
        table.adjustedContentInset.bottom = 100
        table.reportScrollPosition()
        page.handleDidRender(isLoading: false)
        page.handleDidRender(isLoading: true, isInitialLoading: false)
        table.contentOffset.y = 1_300
        table.reportScrollPosition()
        #expect(page.pageName == "Search")
        page.handleDidRender(isLoading: false)
        bench.frames([1])
        bench.hide(controller)
        let line = try #require(await bench.lines("pps").first)
        #expect(line.contains(#""alt_ms":[0,"#))
    }
}
