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
#endif
