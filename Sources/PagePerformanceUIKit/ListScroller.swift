#if canImport(UIKit)
import PagePerformance
import UIKit

/// Scrolls a list from within the app's process, step by step at constant speed, until its last row is visible.
///
///     try await ListScroller(tableView, in: session).run()
///
/// Each step is a scroll of its own, whose counts begin at 0. A test fails at the end, with all that was above the
/// limits, so that one run shows every bad place of the list.
@MainActor
public final class ListScroller {
    private let list: UIScrollView
    private let session: PerformanceSession
    private let limits: FrameDropLimits
    private var scroll: ScriptedScroll
    private var breaches: [FrameDropBreach] = []
    private var link: FrameLink?

    /// Makes a scroller.
    ///
    /// - Parameters:
    ///   - list: The list, of a page that is visible.
    ///   - session: What measures.
    ///   - plan: How it scrolls.
    ///   - limits: What fails.
    public init(
        _ list: UIScrollView, in session: PerformanceSession, plan: ScrollPlan = ScrollPlan(),
        limits: FrameDropLimits = .standard
    ) {
        self.list = list
        self.session = session
        self.limits = limits
        scroll = ScriptedScroll(plan)
    }

    /// Scrolls to the end; throws where it wasn't reached, where nothing was scrolled, or where a limit was broken.
    public func run() async throws(ListScrollError) {
        let detector = session.recorder.detector
        detector.setLimits(limits) { [weak self] in self?.breaches.append($0) }
        let hasEnded = await withCheckedContinuation { continuation in
            link = FrameLink { [weak self] tick, _ in
                guard let hasEnded = self?.step(tick) else { return }
                self?.link?.invalidate()
                continuation.resume(returning: hasEnded)
            }
        }
        link = nil
        detector.removeLimits()
        if !breaches.isEmpty { throw .limitsBroken(breaches) }
        if !hasEnded { throw .endNotReached(steps: scroll.steps) }
        if scroll.steps == 0 { throw .nothingToScroll }
    }

    /// Does what a frame asks for; whether the end was reached, or `nil` where it goes on.
    private func step(_ tick: FrameTick) -> Bool? {
        let action = scroll.advance(
            to: tick.timestamp, at: ScrollPosition(list), isLastRowVisible: list.isLastRowVisible)
        switch action {
        case .wait: break
        case .begin: session.recorder.beginScroll()
        case .move(let offset): list.contentOffset.y = CGFloat(offset)
        case .end(let offset):
            list.contentOffset.y = CGFloat(offset)
            session.recorder.endScroll()
        case .finish: return true
        case .giveUp: return false
        }
        return nil
    }
}
/// Why a list's scrolling fails a test.
public enum ListScrollError: Error, Hashable {
    /// Frames were dropped beyond the limits; all the places where it happened.
    case limitsBroken([FrameDropBreach])
    /// The last row wasn't visible after so many steps.
    case endNotReached(steps: Int)
    /// The list was at its end before the first step, so that nothing was measured.
    case nothingToScroll
}

extension ListScrollError: CustomStringConvertible {
    /// What the failing test says.
    public var description: String {
        switch self {
        case .limitsBroken(let breaches):
            breaches.map(\.description).joined(separator: "\n")
        case .endNotReached(let steps):
            "the list's last row isn't visible after \(steps) steps: allow more, or check that it scrolls"
        case .nothingToScroll:
            "the list fits on the screen, so nothing was measured: give it more rows"
        }
    }
}
extension ScrollPosition {
    /// Where a scroll view stands, from top to bottom.
    @MainActor
    public init(_ scrollView: UIScrollView) {
        self.init(
            offset: Double(scrollView.contentOffset.y), viewport: Double(scrollView.bounds.height),
            endInset: Double(scrollView.adjustedContentInset.bottom), content: Double(scrollView.contentSize.height))
    }
}

extension UIScrollView {
    /// Tells the page whether the list's bottom is visible; called in `scrollViewDidScroll` and after a reload.
    public func reportScrollPosition() {
        performancePage?.handleScroll(to: ScrollPosition(self))
    }

    /// Whether the last row of a table or collection is visible; another scroll view has no rows.
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
        default:
            return false
        }
    }

    private static func lastIndexPath(sections: Int, rows: (Int) -> Int) -> IndexPath? {
        (0..<sections).last { rows($0) > 0 }.map { IndexPath(item: rows($0) - 1, section: $0) }
    }
}
#endif
