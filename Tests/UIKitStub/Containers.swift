// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverUseImplicitlyUnwrappedOptionals
// Apple documents these; here they only stand in for it.

/// The containers of UIKit; their children are screens, tabs and pages.
@MainActor
open class UINavigationController: UIViewController {
    open var viewControllers: [UIViewController] {
        get { children }
        set { setChildren(newValue) }
    }

    public convenience init(rootViewController root: UIViewController) {
        self.init(nibName: nil, bundle: nil)
        addChild(root)
    }

    /// The visible screen is the last child: an added child is pushed.
    open func pushViewController(_ controller: UIViewController, animated: Bool) {
        let former = children.last
        addChild(controller)
        if isInWindow { Transition(from: former, to: controller, in: view).finish() }
    }

    @discardableResult
    open func popViewController(animated: Bool) -> UIViewController? {
        guard children.count > 1, let top = children.last else { return nil }
        if isInWindow { Transition(from: top, to: children[children.count - 2], in: view).finish() }
        top.removeFromParent()
        return top
    }

    @discardableResult
    open func popToRootViewController(animated: Bool) -> [UIViewController]? {
        var popped: [UIViewController] = []
        while let top = popViewController(animated: animated) { popped.append(top) }
        return popped
    }

    private var swipe: Transition?
    open override var transitionCoordinator: (any UIViewControllerTransitionCoordinator)? {
        swipe ?? super.transitionCoordinator
    }

    /// A finger begins a back swipe: from now on both screens are in the window.
    @_spi(Stub) public func beginSwipeBack() {
        guard children.count > 1 else { return }
        swipe = Transition(from: children.last, to: children[children.count - 2], in: view)
    }

    /// The finger is lifted, and the screen is popped or stays.
    @_spi(Stub) public func endSwipeBack(isCancelled: Bool) {
        guard let swipe else { return }
        if isCancelled { swipe.cancel() } else { swipe.finish() }
        self.swipe = nil
        if !isCancelled { children.last?.removeFromParent() }
    }

    override var appearingChildren: [UIViewController] { children.suffix(1) }
}

@MainActor
open class UIBarItem: NSObject {
    open var title: String?
}

@MainActor
open class UITabBarItem: UIBarItem {
    public init(title: String?, image: UIImage?, tag: Int) {
        super.init()
        self.title = title
    }
}

@MainActor
open class UITabBarController: UIViewController {
    open var viewControllers: [UIViewController]? {
        get { children }
        set { setViewControllers(newValue, animated: false) }
    }

    open func setViewControllers(_ controllers: [UIViewController]?, animated: Bool) {
        setChildren(controllers ?? [])
    }

    /// The visible tab; a new selection enters the window if this controller is in one.
    open var selectedIndex = 0 {
        didSet {
            guard isInWindow, selectedIndex != oldValue, children.indices.contains(selectedIndex) else { return }
            if children.indices.contains(oldValue) { Appearance.end(children[oldValue]) }
            view.addSubview(children[selectedIndex].view)
            Appearance.begin(children[selectedIndex])
        }
    }
    override var appearingChildren: [UIViewController] {
        children.indices.contains(selectedIndex) ? [children[selectedIndex]] : []
    }
}

@MainActor
open class UISplitViewController: UIViewController {}

@MainActor
open class UIPageViewController: UIViewController {}

/// UIKit's calls when view controllers enter and leave a window.
@MainActor
@_spi(Stub) public enum Appearance {
    /// Loads, lays out and shows a view controller and its visible children.
    public static func begin(_ controller: UIViewController) {
        willBegin(controller)
        each(controller) { $0.viewDidAppear(false) }
    }

    /// Removes it.
    public static func end(_ controller: UIViewController) {
        each(controller) { $0.viewWillDisappear(false) }
        didEnd(controller)
    }

    static func willBegin(_ controller: UIViewController) {
        controller.loadViewIfNeeded()
        each(controller) { $0.viewWillAppear(false) }
        controller.view.layoutIfNeeded()
    }

    static func didEnd(_ controller: UIViewController) {
        controller.view.removeFromSuperview()
        each(controller) { $0.viewDidDisappear(false) }
    }

    static func each(_ controller: UIViewController, _ call: (UIViewController) -> Void) {
        call(controller)
        guard controller.shouldAutomaticallyForwardAppearanceMethods else { return }
        for child in controller.appearingChildren {
            if child.view.superview == nil { controller.view.addSubview(child.view) }
            each(child, call)
        }
    }
}

/// One screen replaces another. If that is cancelled, the old one never disappeared and the new one never appeared.
@MainActor
private final class Transition: NSObject, UIViewControllerTransitionCoordinator {
    private let former: UIViewController?
    private let next: UIViewController

    init(from former: UIViewController?, to next: UIViewController, in view: UIView) {
        (self.former, self.next) = (former, next)
        super.init()
        former.map { Appearance.each($0) { $0.viewWillDisappear(true) } }
        view.addSubview(next.view)
        Appearance.willBegin(next)
    }

    func finish() {
        former.map { Appearance.didEnd($0) }
        Appearance.each(next) { $0.viewDidAppear(true) }
    }

    func cancel() {
        Appearance.end(next)
        former.map { Appearance.each($0) { $0.viewWillAppear(true) } }
        former.map { Appearance.each($0) { $0.viewDidAppear(true) } }
    }
}
