#if canImport(UIKit)
import PagePerformance
import UIKit

/// A child of a page's view controller, without a visible view, that reports the page's life to its machine. A child is
/// loaded, appears and disappears with its parent, and its view is laid out after the parent's subviews are placed. So
/// no class of the app needs another superclass, and no method is swizzled.
@MainActor
final class PageProbe: UIViewController {
    let machine: any PPSStateMachineProtocol
    private let start: Nanoseconds?
    private var render: PageRender?
    private var hasAppeared = false

    /// Makes the probe of a page; its times begin at `start` if that was before its view is loaded.
    init(_ machine: any PPSStateMachineProtocol, startedAt start: Nanoseconds? = nil) {
        (self.machine, self.start) = (machine, start)
        super.init(nibName: nil, bundle: nil)
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) { nil }

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
        PerformanceSession.current?.join(machine, viewIfLoaded?.window)
        machine.handleDidLayoutSubviews()
    }

    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        hasAppeared = true
        PerformanceSession.current?.join(machine, viewIfLoaded?.window)
        machine.handleDidAppear()
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        machine.handleDidDisappear(hasAppeared: hasAppeared)
        hasAppeared = false
    }

    /// The page has another name, and shows its content as if for the first time.
    func forgetRender() { render = nil }

    /// The page was rendered; a repetition of the last state is no render.
    func show(_ next: PageRender?) {
        guard next != render else { return }
        let isFirst = render == nil
        render = next
        guard let next else { return }
        // Most models don't load before their page's task runs.
        if isFirst, !next.isLoading, !next.isError, let page = machine as? PPSStateMachine {
            return page.handleInitialValue()
        }
        machine.handleDidRender(
            isLoading: next.isLoading, isInitialLoading: next.isInitialLoading, isError: next.isError)
    }
}

/// The kind of probe that reports a view controller's life to its page.
public enum PageProbeKind: Hashable, Sendable {
    /// A child view controller, which is loaded, is laid out, appears and disappears like its parent.
    case child
    /// A view of no size, for view controllers whose code expects only its own `children`. A view only receives changes
    /// of its window: the page appears with the first commit in a window outside of a transition, and disappears with
    /// the commit without a window.
    case view
}

/// A view without a size that reports the life of its view controller to a page's machine.
@MainActor
final class ProbeView: UIView {
    let machine: any PPSStateMachineProtocol
    private var stage = Stage.gone
    private var awaitsCommit = false

    private enum Stage { case gone, appearing, shown }

    /// Makes the probe of a page whose view was just loaded.
    init(_ machine: any PPSStateMachineProtocol) {
        self.machine = machine
        super.init(frame: .zero)
        isUserInteractionEnabled = false
        isAccessibilityElement = false
        backgroundColor = nil
        machine.handleDidLoad()
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) { nil }

    override func layoutSubviews() {
        super.layoutSubviews()
        machine.handleDidLayoutSubviews()
    }

    override func didMoveToWindow() {
        super.didMoveToWindow()
        PerformanceSession.current?.join(machine, window)
        if window != nil, stage == .gone {
            stage = .appearing
            machine.handleWillAppear()
        }
        awaitCommit()
    }

    /// A transition may take the view out of its window and back in one turn; the view lives until that is over. A page
    /// that leaves is reported before the next page.
    private func awaitCommit() {
        guard !awaitsCommit else { return }
        awaitsCommit = true
        RunLoopWatch.afterCommit(order: window == nil ? .max - 1 : .max) { self.settle() }
    }

    private func settle() {
        awaitsCommit = false
        // An interactive transition may be cancelled: the page is visible if the view is in a window at its end.
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

struct PageRender: Hashable {
    var isLoading: Bool
    /// Whether the first content is being loaded; `nil`: as before.
    var isInitialLoading: Bool?
    var isError: Bool
}

/// A view controller that treats every child as a screen, a tab or a page. Measure its content, or report its life to a
/// machine from the app.
@MainActor
protocol ChildlessPage: UIViewController {}

/// A view controller whose children SwiftUI manages.
@MainActor
protocol HostingPage: UIViewController {}

extension UINavigationController: ChildlessPage {}
extension UITabBarController: ChildlessPage {}
extension UISplitViewController: ChildlessPage {}
extension UIPageViewController: ChildlessPage {}

extension UIViewController {
    /// Measures this view controller as a page; call it first in `viewDidLoad`, because times begin there.
    ///
    /// Another call gives the page another name, and so begins another page. A navigation, tab, split or page controller
    /// gets no child: the app reports its life (`handleDidLoad()`, `handleDidAppear()`, `handleDidDisappear()`), or measures
    /// its content instead. A hosting controller, whose children SwiftUI manages, gets a view.
    /// - Parameters:
    ///   - name: The page's name; `nil`: a second call provides it later.
    ///   - probe: The kind of probe that reports its life.
    /// - Returns: The page, to report its content to; `nil` without a session.
    @discardableResult
    public func measurePage(_ name: PageName, probe: PageProbeKind = .child) -> PPSStateMachine? {
        measurePage(name.rawValue, probe: probe)
    }

    /// The same with a text, or without a name.
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

    /// Measures this view controller by an existing machine: the team's own, or a machine that several view controllers
    /// share under one name, shown one after the other.
    public func measurePage(by machine: any PPSStateMachineProtocol, probe: PageProbeKind = .child) {
        guard ownMachine == nil else { return }
        guard !(self is any ChildlessPage) else { return sharePage(machine) }
        guard probe == .child, !(self is any HostingPage) else {
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

    /// Shares a machine with all views and view controllers below this controller that have none. It adds no child: the
    /// machine's owner, such as a coordinator, reports to it when its series of screens begins, appears and ends.
    public func sharePage(_ machine: any PPSStateMachineProtocol) {
        PerformanceSession.current?.share(machine, below: self)
    }

    /// Whether this is the child that measures its parent, for code that walks through `children`.
    public var isPerformanceProbe: Bool { self is PageProbe }

    /// The machine of this view controller itself; `nil` if it isn't measured.
    fileprivate var ownMachine: (any PPSStateMachineProtocol)? {
        pageProbe?.machine ?? probeView?.machine ?? PerformanceSession.current?.sharedMachine(of: self)
    }

    /// The probe of this view controller's page; `nil` if it has none.
    var pageProbe: PageProbe? { children.lazy.compactMap { $0 as? PageProbe }.first }

    private var probeView: ProbeView? { viewIfLoaded?.subviews.lazy.compactMap { $0 as? ProbeView }.first }
}

extension UIResponder {
    /// The machine of this responder's page: that of the nearest view controller with a machine up the responder chain,
    /// or else of the router's screen (`PerformanceSession.show(page:)`); `nil` without one, and for a view outside a
    /// window's hierarchy.
    public var performanceMachine: (any PPSStateMachineProtocol)? {
        var responder: UIResponder? = self
        var isInHierarchy = false
        var window: UIWindow?
        while let next = responder {
            if let machine = (next as? UIViewController)?.ownMachine { return machine }
            isInHierarchy = isInHierarchy || next is UIWindow || next is UIViewController
            window = next as? UIWindow ?? window
            responder = next.next
        }
        return isInHierarchy ? PerformanceSession.current?.routedPage(in: window) : nil
    }

    /// The page of this responder, if its machine is a `PPSStateMachine`.
    public var performancePage: PPSStateMachine? { performanceMachine as? PPSStateMachine }
}
#endif
