#if canImport(UIKit)
import PagePerformance
import UIKit

extension UIViewController {
    /// Measures this view controller as a page; called first in `viewDidLoad`, because times begin there.
    ///
    /// Called again it gives the page another name, and so begins another page.
    ///
    /// - Parameter name: The page's name; `nil`: it follows later, with a second call.
    /// - Returns: The page, to tell it of its content; `nil` without a session.
    @discardableResult
    public func measurePage(_ name: String?) -> PPSStateMachine? {
        if let probe = pageProbe {
            probe.rename(to: name)
            return probe.page
        }
        guard let session = PerformanceSession.current else { return nil }
        let probe = PageProbe(page: session.recorder.makePage(named: name), session: session)
        addChild(probe)
        probe.view.frame = .zero
        view.addSubview(probe.view)
        probe.didMove(toParent: self)
        return probe.page
    }

    /// The probe of the page that this view controller is; `nil` if it isn't measured.
    var pageProbe: PageProbe? {
        children.lazy.compactMap { $0 as? PageProbe }.first
    }
}

extension UIResponder {
    /// The page that this responder is part of: that of the nearest view controller up the responder chain which is
    /// measured; `nil` without one, and for a view that isn't in a window's hierarchy.
    public var performancePage: PPSStateMachine? {
        var responder: UIResponder? = self
        while let next = responder {
            if let probe = (next as? UIViewController)?.pageProbe { return probe.page }
            responder = next.next
        }
        return nil
    }
}
#endif
