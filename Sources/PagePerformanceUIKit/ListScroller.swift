#if canImport(UIKit)
import PagePerformance
import UIKit

/// Scrolls a list from within the app's process, step by step at constant speed, until its last row is visible.
///
///     try await ListScroller(tableView, in: session).run()
///
/// Each step is a separate scroll, whose counts begin at 0. A test fails at the end, with every place that exceeded the
/// limits, so one run shows every bad place of the list.
@MainActor
public final class ListScroller {
    private let list: UIScrollView
    private let session: PerformanceSession
    private let limits: FrameDropLimits
    private let isHorizontal: Bool
    private var scroll: ScriptedScroll
    private var breaches: [FrameDropBreach] = []
    private var unmeasured = 0
    private var link: FrameLink?
    private var end: ((Result<Bool, ListScrollError>) -> Void)?

    /// Makes a scroller.
    /// - Parameters:
    ///   - list: The list on a visible page: a table, a collection, or any other scroll view.
    ///   - session: The measuring session.
    ///   - plan: The plan of the scroll.
    ///   - limits: The limits, beyond which it fails.
    ///   - isHorizontal: Whether it scrolls sideways; `nil`: if its content is wider than the list, and not higher.
    public init(
        _ list: UIScrollView, in session: PerformanceSession, plan: ScrollPlan = ScrollPlan(),
        limits: FrameDropLimits = .standard, isHorizontal: Bool? = nil
    ) {
        (self.list, self.session, self.limits) = (list, session, limits)
        let (content, view) = (list.contentSize, list.bounds.size)
        self.isHorizontal = isHorizontal ?? (content.width > view.width && content.height <= view.height)
        scroll = ScriptedScroll(plan)
    }

    /// Makes a scroller for the largest list within a view, such as that of a controller that hosts SwiftUI.
    public convenience init(
        largestListIn view: UIView, in session: PerformanceSession, plan: ScrollPlan = ScrollPlan(),
        limits: FrameDropLimits = .standard
    ) throws(ListScrollError) {
        guard let list = view.scrollViews.max(by: { $0.area < $1.area }) else { throw .noList }
        self.init(list, in: session, plan: plan, limits: limits)
    }

    /// Scrolls to the end; throws if it wasn't reached, if nothing was scrolled or measured, or beyond a limit.
    public func run() async throws(ListScrollError) {
        let detector = session.recorder.detector
        session.scriptedList = list
        defer { session.scriptedList = nil }
        let page = list.performancePage ?? session.recorder.currentPage
        guard page?.pageName != nil, page?.pageState == .visible else { throw .nothingMeasured("no page is visible") }
        guard !detector.isPaused else { throw .nothingMeasured("the detector is paused") }
        detector.setLimits(limits) { [weak self] in self?.breaches.append($0) }
        let result = await withCheckedContinuation { continuation in
            end = { [weak self] result in
                self?.end = nil
                continuation.resume(returning: result)
            }
            link = FrameLink { [weak self] tick, _ in self?.step(tick) }
            giveUpInTime()
        }
        link?.invalidate()
        link = nil
        session.recorder.endScroll()
        detector.removeLimits()
        if !breaches.isEmpty { throw .limitsBroken(breaches) }
        let hasEnded = try result.get()
        if unmeasured > 0 { throw .nothingMeasured("\(unmeasured) of \(scroll.steps) scrolls have no frame") }
        if !hasEnded { throw .endNotReached(steps: scroll.steps) }
        if scroll.steps == 0 { throw .nothingToScroll }
    }

    /// Ends when the time is up, even if no more frames come.
    private func giveUpInTime() {
        let limit = scroll.plan.timeLimit
        Task { [weak self] in
            try? await Task.sleep(nanoseconds: limit.count)
            self?.end?(.failure(.timeIsUp(seconds: Double(limit.count) / 1e9)))
        }
    }

    private func step(_ tick: FrameTick) {
        let action = scroll.advance(
            to: tick.timestamp, at: ScrollPosition(list, isHorizontal: isHorizontal),
            isLastRowVisible: list.isLastRowVisible)
        switch action {
        case .wait: break
        case .begin: session.recorder.beginScroll()
        case .move(let offset): move(to: offset)
        case .end(let offset):
            move(to: offset)
            if session.recorder.endScroll() == nil { unmeasured += 1 }
        case .finish: end?(.success(true))
        case .giveUp: end?(.success(false))
        }
    }

    private func move(to offset: Double) {
        if isHorizontal { list.contentOffset.x = CGFloat(offset) } else { list.contentOffset.y = CGFloat(offset) }
    }
}

/// The reason why a list's scrolling fails a test.
public enum ListScrollError: Error, Hashable, CustomStringConvertible {
    /// Frames were dropped beyond the limits, with all places of the drops.
    case limitsBroken([FrameDropBreach])
    /// The last row wasn't visible after this number of steps.
    case endNotReached(steps: Int)
    /// The end wasn't reached within the time, or no more frames came.
    case timeIsUp(seconds: Double)
    /// The list was at its end before the first step, so nothing was measured.
    case nothingToScroll
    /// The measurement is missing or incomplete, with the cause.
    case nothingMeasured(String)
    /// There is no list within the view.
    case noList

    /// The message of the failing test.
    public var description: String {
        switch self {
        case .limitsBroken(let breaches): breaches.map(\.description).joined(separator: "\n")
        case .endNotReached(let steps):
            "the list's last row isn't visible after \(steps) steps: allow more, or check that it scrolls"
        case .timeIsUp(let seconds):
            "the list's end wasn't reached within \(seconds) s: allow more, or check that the app is in the foreground"
        case .nothingToScroll: "the list fits on the screen, so nothing was measured: give it more rows"
        case .nothingMeasured(let cause):
            "nothing was measured (\(cause)): scroll a list on a page that is visible, named and measured"
        case .noList: "there is no list within the view: show it first, or name the scroll view"
        }
    }
}

extension ScrollPosition {
    /// The position of a scroll view, from top to bottom or from side to side.
    @MainActor
    public init(_ scrollView: UIScrollView, isHorizontal: Bool = false) {
        let (offset, size, inset, content) = (
            scrollView.contentOffset, scrollView.bounds.size, scrollView.adjustedContentInset, scrollView.contentSize
        )
        self.init(
            offset: Double(isHorizontal ? offset.x : offset.y),
            viewport: Double(isHorizontal ? size.width : size.height),
            endInset: Double(isHorizontal ? inset.right : inset.bottom),
            content: Double(isHorizontal ? content.width : content.height))
    }
}

extension UIScrollView {
    /// Reports to the page whether the list's bottom is visible; call it in `scrollViewDidScroll` and after a reload.
    public func reportScrollPosition() { performancePage?.handleScroll(to: ScrollPosition(self)) }

    fileprivate var area: CGFloat { bounds.width * bounds.height }

    /// Whether the last row of a table or collection is visible; other scroll views have no rows.
    var isLastRowVisible: Bool {
        switch self {
        case let table as UITableView:
            let last = Self.lastIndexPath(sections: table.numberOfSections) { table.numberOfRows(inSection: $0) }
            return last.map { table.indexPathsForVisibleRows?.contains($0) ?? false } ?? true
        case let collection as UICollectionView:
            let last = Self.lastIndexPath(sections: collection.numberOfSections) {
                collection.numberOfItems(inSection: $0)
            }
            return last.map { collection.indexPathsForVisibleItems.contains($0) } ?? true
        default: return false
        }
    }

    private static func lastIndexPath(sections: Int, rows: (Int) -> Int) -> IndexPath? {
        (0..<sections).last { rows($0) > 0 }.map { IndexPath(item: rows($0) - 1, section: $0) }
    }
}

extension UIView {
    /// The visible scroll views within it, including itself.
    fileprivate var scrollViews: [UIScrollView] {
        guard !isHidden else { return [] }
        return [self].compactMap { $0 as? UIScrollView } + subviews.flatMap(\.scrollViews)
    }
}
#endif
