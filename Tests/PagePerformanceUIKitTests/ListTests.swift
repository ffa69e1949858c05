import PagePerformance
import Testing
@_spi(Stub) import UIKit

@testable import PagePerformanceUIKit

extension UserInterfaceTests {
    private func table(rows: Int) -> UITableView {
        let table = UITableView(frame: CGRect(x: 0, y: 0, width: 400, height: 800))
        table.sections = [rows]
        table.contentSize.height = CGFloat(rows) * table.rowHeight
        return table
    }

    /// Scrolls a table on a visible page to its end repeatedly, with frames of these intervals.
    private func scroll(
        _ table: UIScrollView, plan: ScrollPlan = ScrollPlan(), intervals: [Double],
        _ prepare: (Bench, UIViewController) -> Void = { $0.show($1) }
    ) async -> (error: ListScrollError?, scrolls: Int) {
        let bench = Bench()
        let controller = SearchController()
        controller.view.addSubview(table)
        prepare(bench, controller)
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
            if intervals.isEmpty { try? await Task.sleep(nanoseconds: 1_000_000) }
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

    @Test func aScrollThatNobodyMeasuredFails() async {
        let unseen = await scroll(table(rows: 40), intervals: [1]) { _, _ in }
        #expect(unseen.error == .nothingMeasured("no page is visible"))
        let paused = await scroll(table(rows: 40), intervals: [1]) { bench, controller in
            bench.show(controller)
            bench.session.recorder.detector.pause()
        }
        #expect(paused.error == .nothingMeasured("the detector is paused"))
        let inactive = await scroll(table(rows: 40), intervals: [1, 1]) { bench, controller in
            bench.show(controller)
            bench.session.recorder.appWillResign()
        }
        #expect(inactive.error == .nothingMeasured("10 of 10 scrolls have no frame"))
    }

    @Test func aScrollWithoutFramesEndsInTime() async {
        let plan = ScrollPlan(timeLimit: .milliseconds(5))
        #expect(await scroll(table(rows: 40), plan: plan, intervals: []).error == .timeIsUp(seconds: 0.005))
    }

    @Test func rowsAreLookedUpBetweenScrollsOnly() async {
        let table = table(rows: 40)
        #expect(await scroll(table, intervals: [1, 1, 1]).error == nil)
        // One visible-row query per rest; there is one rest more than steps.
        #expect(table.lookUps == 11)
    }

    @Test func severalSectionsAndOtherListsAreScrolledToTheirEnds() async {
        let sections = table(rows: 40)
        sections.sections = [3, 0, 37, 0]
        #expect(await scroll(sections, intervals: [1, 1]).error == nil)
        #expect(sections.contentOffset.y == 1_200)

        let collection = UICollectionView(frame: CGRect(x: 0, y: 0, width: 400, height: 200))
        collection.sections = [10, 20]
        collection.contentSize = CGSize(width: 1_500, height: 200)
        #expect(await scroll(collection, intervals: [1, 1]).error == nil)
        // From 0 in steps of 60 until the item at 1,450 is visible.
        #expect(collection.contentOffset == CGPoint(x: 1_080, y: 0))

        let plain = UIScrollView(frame: CGRect(x: 0, y: 0, width: 400, height: 800))
        plain.contentSize = CGSize(width: 400, height: 1_000)
        #expect(await scroll(plain, intervals: [1, 1]).error == nil)
        #expect(plain.contentOffset.y == 200)
    }

    @Test func theLargestListOfAViewIsFound() throws {
        let bench = Bench()
        let view = UIView(frame: .zero)
        #expect(throws: ListScrollError.noList) { try ListScroller(largestListIn: view, in: bench.session) }
        let carousel = UIScrollView(frame: CGRect(x: 0, y: 0, width: 400, height: 100))
        let holder = UIView(frame: .zero)
        view.addSubview(holder)
        holder.addSubview(carousel)
        holder.addSubview(table(rows: 40))
        _ = try ListScroller(largestListIn: view, in: bench.session)
        bench.session.stop()
    }

    /// Runs a body within the run loop's tracking mode, like UIKit during a scroll by finger.
    func track(_ body: @escaping @MainActor @Sendable () -> Void) {
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

    /// A row with an image, reused as in apps: a placeholder until the image arrives.
    private final class PhotoCell: UITableViewCell {
        private static let gray = UIImage()
        let photo = MeasuredImageView(frame: CGRect(x: 0, y: 0, width: 40, height: 40))

        required init(style: CellStyle, reuseIdentifier: String?) {
            super.init(style: style, reuseIdentifier: reuseIdentifier)
            photo.placeholder = Self.gray
            photo.image = Self.gray
            contentView.addSubview(photo)
        }

        required init?(coder: NSCoder) {
            nil
        }

        override func prepareForReuse() {
            super.prepareForReuse()
            photo.image = photo.placeholder
        }
    }

    private final class Photos: UITableViewDataSource {
        private(set) var cells: [PhotoCell] = []

        func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 40 }

        func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
            let cell = tableView.dequeueReusableCell(withIdentifier: "photo", for: indexPath)
            if let photo = cell as? PhotoCell, !cells.contains(where: { $0 === photo }) { cells.append(photo) }
            return cell
        }
    }

    /// A cell's waits end when its row is scrolled away, and begin again for the next row in the cell.
    @Test func imagesInReusedCellsAreWaitedForRowByRow() async throws {
        let bench = Bench()
        let controller = SearchController()
        let table = table(rows: 40)
        table.frame.size.height = 100
        let photos = Photos()
        table.register(PhotoCell.self, forCellReuseIdentifier: "photo")
        table.dataSource = photos
        controller.view.addSubview(table)
        bench.show(controller)
        bench.frames([1])
        #expect(photos.cells.count == 2)
        photos.cells[0].photo.image = UIImage()  // row 0 loaded
        table.contentOffset.y = 100  // row 1 hidden; 2 and 3 take both cells
        bench.frames([1])
        #expect(photos.cells.count == 2 && photos.cells.allSatisfy { !$0.isHidden })
        for cell in photos.cells { cell.photo.image = UIImage() }  // rows 2 and 3 loaded
        table.contentOffset.y = 200  // rows 4 and 5
        bench.frames([1])
        bench.hide(controller)  // both hidden
        let line = try #require(await bench.lines("pps").last)
        let outcomes = line.split(separator: #""ms":"#).dropFirst().map { $0.contains("loaded") ? "loaded" : "hidden" }
        #expect(outcomes == ["loaded", "hidden", "loaded", "loaded", "hidden", "hidden"], "\(line)")
    }

    @Test func aListReportsItsPageOfItsBottom() async throws {
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
        table.contentInset.bottom = 100
        table.reportScrollPosition()
        page.handleDidRender(isLoading: false)
        page.handleDidRender(isLoading: true, isInitialLoading: false)
        table.contentOffset.y = 1_300
        table.reportScrollPosition()
        #expect(page.pageName == "Search")
        page.handleDidRender(isLoading: false)
        bench.frames([1])
        bench.hide(controller)
        let line = try #require(await bench.lines("pps").last)
        #expect(line.contains(#""alt_ms":[0,"#))
    }
}
