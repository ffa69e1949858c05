#if canImport(UIKit)
import PagePerformance
import UIKit

/// A child of a page's view controller, without a visible view, that tells the page's life to its machine.
///
/// A child is loaded, appears and disappears with its parent, and its view is laid out after the parent's subviews
/// were placed. So no class of the app needs another superclass, and no method is exchanged.
@MainActor
final class PageProbe: UIViewController {
    /// The page.
    let machine: any PPSStateMachineProtocol
    private let start: Nanoseconds?
    private var render: PageRender?
    private var hasAppeared = false

    /// Makes the probe of a page, whose times begin at `start` where that was before its view is loaded.
    init(_ machine: any PPSStateMachineProtocol, startedAt start: Nanoseconds? = nil) {
        self.machine = machine
        self.start = start
        super.init(nibName: nil, bundle: nil)
    }

    /// Not made from archives.
    @available(*, unavailable)
    required init?(coder: NSCoder) {
        nil
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        view.isUserInteractionEnabled = false
        view.isAccessibilityElement = false
        view.backgroundColor = nil
        if let page = machine as? PPSStateMachine {
            page.handleDidLoad(at: start)
        } else {
            machine.handleDidLoad()
        }
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        machine.handleWillAppear()
    }

    override func viewDidLayoutSubviews() {
        super.viewDidLayoutSubviews()
        machine.handleDidLayoutSubviews()
    }

    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        hasAppeared = true
        machine.handleDidAppear()
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        machine.handleDidDisappear(hasAppeared: hasAppeared)
        hasAppeared = false
    }

    /// The page was rendered; the repetition of the last state is no render.
    func show(_ next: PageRender?) {
        guard next != render else { return }
        render = next
        guard let next else { return }
        machine.handleDidRender(
            isLoading: next.isLoading, isInitialLoading: next.isInitialLoading, isError: next.isError)
    }
}

/// What tells a page of its view controller's life.
public enum PageProbeKind: Hashable, Sendable {
    /// A child view controller, which loads, is laid out, appears and disappears as its parent does.
    case child
    /// A view of no size, for view controllers whose `children` are walked through by code that expects its own. A view hears
    /// of windows only: the page appears with the first commit in a window outside of a transition, and disappears with the
    /// commit without a window.
    case view
}

extension PPSStateMachineProtocol {
    /// View did disappear; where it hadn't appeared, because a transition was cancelled, a visible page that shares the
    /// machine goes on.
    fileprivate func handleDidDisappear(hasAppeared: Bool) {
        guard hasAppeared || (self as? PPSStateMachine)?.pageState != .visible else { return }
        handleDidDisappear()
    }
}

/// A view without a size that tells the life of the view controller around it to a page's machine.
@MainActor
final class ProbeView: UIView {
    /// The page.
    let machine: any PPSStateMachineProtocol
    private var stage = Stage.gone
    private var awaitsCommit = false

    private enum Stage {
        case gone, appearing, shown
    }

    /// Makes the probe of a page whose view was loaded just now.
    init(_ machine: any PPSStateMachineProtocol) {
        self.machine = machine
        super.init(frame: .zero)
        isUserInteractionEnabled = false
        isAccessibilityElement = false
        backgroundColor = nil
        machine.handleDidLoad()
    }

    /// Not made from archives.
    @available(*, unavailable)
    required init?(coder: NSCoder) {
        nil
    }

    override func layoutSubviews() {
        super.layoutSubviews()
        machine.handleDidLayoutSubviews()
    }

    override func didMoveToWindow() {
        super.didMoveToWindow()
        if window != nil, stage == .gone {
            stage = .appearing
            machine.handleWillAppear()
        }
        awaitCommit()
    }

    /// A transition may take the view out of its window and back in one turn; the view lives until that is over. A page that
    /// leaves is told of before the next one.
    private func awaitCommit() {
        guard !awaitsCommit else { return }
        awaitsCommit = true
        RunLoopWatch.afterCommit(order: window == nil ? .max - 1 : .max) { self.settle() }
    }

    private func settle() {
        awaitsCommit = false
        // An interactive transition may be cancelled: the page is seen where the end of it leaves the view in a window.
        guard (superview?.next as? UIViewController)?.transitionCoordinator == nil else { return awaitCommit() }
        if window != nil, stage == .appearing {
            stage = .shown
            machine.handleDidAppear()
        } else if window == nil, stage != .gone {
            machine.handleDidDisappear(hasAppeared: stage == .shown)
            stage = .gone
        }
    }
}

/// What a page was rendered with.
struct PageRender: Hashable {
    /// Whether something is being loaded.
    var isLoading: Bool
    /// Whether that is the first content; `nil`: as before.
    var isInitialLoading: Bool?
    /// Whether an error is shown.
    var isError: Bool
}

/// A view controller whose children mean something: another one would be a screen, a tab, a page of it, or in the way
/// of SwiftUI. It is measured by its content, or by a machine that the app tells of its life.
@MainActor
protocol ChildlessPage: UIViewController {}

extension UINavigationController: ChildlessPage {}
extension UITabBarController: ChildlessPage {}
extension UISplitViewController: ChildlessPage {}
extension UIPageViewController: ChildlessPage {}

extension UIViewController {
    /// Measures this view controller as a page; called first in `viewDidLoad`, because times begin there.
    ///
    /// Called again it gives the page another name, and so begins another page. A navigation, tab, split, page or
    /// hosting controller gets no child: its page is told by the app (`handleDidLoad()`, `handleDidAppear()`,
    /// `handleDidDisappear()`), or its content is measured in its place.
    ///
    /// - Parameters:
    ///   - name: The page's name; `nil`: it follows later, with a second call.
    ///   - probe: What tells of its life.
    /// - Returns: The page, to tell it of its content; `nil` without a session.
    @discardableResult
    public func measurePage(_ name: String?, probe: PageProbeKind = .child) -> PPSStateMachine? {
        if let machine = ownMachine {
            let page = machine as? PPSStateMachine
            page?.handlePageName(name)
            return page
        }
        guard let session = PerformanceSession.current else { return nil }
        let page = session.recorder.makePage(named: name)
        measurePage(by: page, probe: probe)
        return ownMachine as? PPSStateMachine
    }

    /// Measures this view controller by a machine that was made elsewhere: one of the team's own, or one that several
    /// view controllers share under one name, of which one is seen after the other.
    public func measurePage(by machine: any PPSStateMachineProtocol, probe: PageProbeKind = .child) {
        guard ownMachine == nil else { return }
        guard !(self is any ChildlessPage) else { return sharePage(machine) }
        guard probe == .child else {
            // A view controller that is loaded here may measure itself meanwhile.
            loadViewIfNeeded()
            if ownMachine == nil { view.addSubview(ProbeView(machine)) }
            return
        }
        let probe = PageProbe(machine)
        addChild(probe)
        probe.view.frame = .zero
        view.addSubview(probe.view)
        probe.didMove(toParent: self)
    }

    /// Makes a machine that of all views and view controllers below this one which have none of their own. Nothing is
    /// added to it: whoever shares the machine, such as a coordinator, tells it when its series of screens begins,
    /// appears and ends.
    public func sharePage(_ machine: any PPSStateMachineProtocol) {
        PerformanceSession.current?.share(machine, below: self)
    }

    /// Whether this is the child that measures its parent, for code that walks through `children`.
    public var isPerformanceProbe: Bool { self is PageProbe }

    /// The machine of this very view controller; `nil` if it isn't measured.
    fileprivate var ownMachine: (any PPSStateMachineProtocol)? {
        pageProbe?.machine ?? probeView?.machine ?? PerformanceSession.current?.sharedMachine(of: self)
    }

    /// The probe of the page that this view controller is; `nil` if it has none.
    var pageProbe: PageProbe? {
        children.lazy.compactMap { $0 as? PageProbe }.first
    }

    private var probeView: ProbeView? {
        viewIfLoaded?.subviews.lazy.compactMap { $0 as? ProbeView }.first
    }
}

extension UIResponder {
    /// The machine of the page that this responder is part of: that of the nearest view controller up the responder
    /// chain which has one, or else of the screen that a router shows (`PerformanceSession.show(page:)`); `nil` without
    /// one, and for a view that isn't in a window's hierarchy.
    public var performanceMachine: (any PPSStateMachineProtocol)? {
        var responder: UIResponder? = self
        var isInHierarchy = false
        while let next = responder {
            if let machine = (next as? UIViewController)?.ownMachine { return machine }
            isInHierarchy = isInHierarchy || next is UIWindow || next is UIViewController
            responder = next.next
        }
        return isInHierarchy ? PerformanceSession.current?.routedPage : nil
    }

    /// The page that this responder is part of, where its machine is a `PPSStateMachine`.
    public var performancePage: PPSStateMachine? {
        performanceMachine as? PPSStateMachine
    }
}
#endif
