// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverUseImplicitlyUnwrappedOptionals
// Apple documents these; here they only stand in for it.

/// The containers of UIKit, whose children are screens, tabs and pages.
@MainActor
open class UINavigationController: UIViewController {
    public var viewControllers: [UIViewController] { children }

    public convenience init(rootViewController root: UIViewController) {
        self.init(nibName: nil, bundle: nil)
        addChild(root)
    }

    /// The screen that is seen is the last child: whatever is added is pushed.
    open func pushViewController(_ controller: UIViewController, animated: Bool) {
        let former = children.last
        addChild(controller)
        guard isInWindow else { return }
        former.map { Appearance.end($0) }
        view.addSubview(controller.view)
        Appearance.begin(controller)
    }

    @discardableResult
    open func popViewController(animated: Bool) -> UIViewController? {
        guard children.count > 1, let top = children.last else { return nil }
        Appearance.end(top)
        top.removeFromParent()
        if isInWindow, let next = children.last {
            view.addSubview(next.view)
            Appearance.begin(next)
        }
        return top
    }

    @discardableResult
    open func popToRootViewController(animated: Bool) -> [UIViewController]? {
        var popped: [UIViewController] = []
        while let top = popViewController(animated: animated) { popped.append(top) }
        return popped
    }

    override var appearingChildren: [UIViewController] { children.suffix(1) }
}

@MainActor
public final class UITabBarItem {
    public var title: String?

    public init(title: String?, image: UIImage?, tag: Int) {
        self.title = title
    }
}

@MainActor
open class UITabBarController: UIViewController {
    open var viewControllers: [UIViewController]? { children }

    open func setViewControllers(_ controllers: [UIViewController]?, animated: Bool) {
        for controller in controllers ?? [] { addChild(controller) }
    }

    /// The tab that is seen; another one comes into the window where this is in one.
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

/// What UIKit does when view controllers come into a window and leave it.
@MainActor
public enum Appearance {
    /// Loads, lays out and shows a view controller, and those of its children that are seen with it.
    public static func begin(_ controller: UIViewController) {
        controller.loadViewIfNeeded()
        each(controller) { $0.viewWillAppear(false) }
        controller.view.layoutIfNeeded()
        each(controller) { $0.viewDidAppear(false) }
    }

    /// Takes it away.
    public static func end(_ controller: UIViewController) {
        each(controller) { $0.viewWillDisappear(false) }
        controller.view.removeFromSuperview()
        each(controller) { $0.viewDidDisappear(false) }
    }

    private static func each(_ controller: UIViewController, _ call: (UIViewController) -> Void) {
        call(controller)
        guard controller.shouldAutomaticallyForwardAppearanceMethods else { return }
        for child in controller.appearingChildren {
            if child.view.superview == nil { controller.view.addSubview(child.view) }
            each(child, call)
        }
    }
}
