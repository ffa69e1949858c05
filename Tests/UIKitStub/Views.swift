// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverUseImplicitlyUnwrappedOptionals
// Apple documents these; here they only stand in for it.

@_exported import Foundation

/// The part of UIKit that PagePerformanceUIKit uses, with the behaviour that its tests need: a hierarchy, windows, and
/// the responder chain. Only for systems without UIKit.
@MainActor
open class UIResponder: NSObject {
    open var next: UIResponder? { nil }
    open func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent?) {}
    open func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {}
}

@MainActor
open class UIView: UIResponder {
    open var frame: CGRect {
        didSet { if frame.size != bounds.size { bounds.size = frame.size } }
    }
    open var bounds: CGRect {
        didSet { if bounds != oldValue { setNeedsLayout() } }
    }
    open var isHidden = false
    open var alpha = CGFloat(1)
    open var backgroundColor: UIColor?
    open var isUserInteractionEnabled = true
    open var isAccessibilityElement = true
    open var translatesAutoresizingMaskIntoConstraints = true
    open var accessibilityIdentifier: String?
    open var autoresizingMask: AutoresizingMask = []
    public private(set) weak var superview: UIView?
    public private(set) var subviews: [UIView] = []
    weak var controller: UIViewController?
    private var needsLayout = true
    public let safeAreaLayoutGuide = UILayoutGuide()
    public let topAnchor = NSLayoutYAxisAnchor()
    public let leadingAnchor = NSLayoutXAxisAnchor()

    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let flexibleWidth = AutoresizingMask(rawValue: 2)
        public static let flexibleHeight = AutoresizingMask(rawValue: 16)
    }

    public init(frame: CGRect) {
        self.frame = frame
        bounds = CGRect(origin: .zero, size: frame.size)
    }

    public required init?(coder: NSCoder) {
        nil
    }

    open override var next: UIResponder? { controller ?? superview }

    open var window: UIWindow? { self as? UIWindow ?? superview?.window }

    open func didMoveToWindow() {}

    open func addSubview(_ view: UIView) {
        view.removeFromSuperview()
        subviews.append(view)
        view.superview = self
        setNeedsLayout()
        if window != nil { view.windowChanged() }
    }

    open func setNeedsLayout() {
        needsLayout = true
    }

    /// Lays out views that need it, from the outside in: a view, then its view controller is notified, then its
    /// subviews.
    open func layoutIfNeeded() {
        if needsLayout {
            needsLayout = false
            layoutSubviews()
            controller?.viewDidLayoutSubviews()
        }
        for view in subviews { view.layoutIfNeeded() }
    }

    open func layoutSubviews() {}

    open func removeFromSuperview() {
        guard let superview else { return }
        let hadWindow = window != nil
        superview.subviews.removeAll { $0 === self }
        self.superview = nil
        if hadWindow { windowChanged() }
    }

    /// A rectangle of this view in the coordinates of one of its ancestors.
    open func convert(_ rect: CGRect, to ancestor: UIView?) -> CGRect {
        var (rect, view) = (rect, self as UIView?)
        while let next = view, next !== ancestor {
            rect = rect.offsetBy(dx: next.frame.minX - next.bounds.minX, dy: next.frame.minY - next.bounds.minY)
            view = next.superview
        }
        return rect
    }

    private func windowChanged() {
        didMoveToWindow()
        for view in subviews { view.windowChanged() }
    }
}

@MainActor
open class UIWindow: UIView {
    private struct Entry {
        weak var window: UIWindow?
    }

    private static var entries: [Entry] = []
    /// The existing windows.
    static var all: [UIWindow] { entries.compactMap(\.window) }

    open override var window: UIWindow? { self }
    open var rootViewController: UIViewController?
    open var windowScene: UIWindowScene?

    public override init(frame: CGRect) {
        super.init(frame: frame)
        Self.entries = Self.entries.filter { $0.window != nil } + [Entry(window: self)]
    }

    public required init?(coder: NSCoder) {
        nil
    }
}

@MainActor
public protocol UIViewControllerTransitionCoordinator: NSObjectProtocol {}

@MainActor
open class UIViewController: UIResponder {
    open var title: String?
    open var tabBarItem: UITabBarItem! = UITabBarItem(title: nil, image: nil, tag: 0)
    open var popoverPresentationController: UIPopoverPresentationController? { nil }
    open var navigationController: UINavigationController? {
        parent as? UINavigationController ?? parent?.navigationController
    }
    /// The current transition between screens; `nil` without one.
    open var transitionCoordinator: (any UIViewControllerTransitionCoordinator)? { parent?.transitionCoordinator }
    public private(set) var children: [UIViewController] = []
    public private(set) weak var parent: UIViewController?
    private var loaded: UIView?

    public init(nibName: String?, bundle: Bundle?) {}

    public convenience override init() {
        self.init(nibName: nil, bundle: nil)
    }

    public required init?(coder: NSCoder) {
        nil
    }

    open override var next: UIResponder? { loaded?.superview ?? parent }

    open var view: UIView! {
        get {
            loadViewIfNeeded()
            return loaded
        }
        set {
            newValue.controller = self
            loaded = newValue
        }
    }

    open func loadViewIfNeeded() {
        guard loaded == nil else { return }
        view = UIView(frame: CGRect(x: 0, y: 0, width: 400, height: 800))
        viewDidLoad()
    }

    open func viewDidLoad() {}
    open func viewWillAppear(_ animated: Bool) {}
    open func viewDidLayoutSubviews() {}
    open func viewDidAppear(_ animated: Bool) {}
    open func viewWillDisappear(_ animated: Bool) {}
    open func viewDidDisappear(_ animated: Bool) {}
    open var shouldAutomaticallyForwardAppearanceMethods: Bool { true }

    /// The children that are visible with it.
    var appearingChildren: [UIViewController] { children }

    var isInWindow: Bool { loaded?.window != nil }

    public var isViewLoaded: Bool { loaded != nil }
    public var viewIfLoaded: UIView? { loaded }

    /// The last presented controller.
    public private(set) var presentedViewController: UIViewController?

    open func present(_ controller: UIViewController, animated: Bool, completion: (() -> Void)?) {
        presentedViewController = controller
    }

    open func removeFromParent() {
        parent?.children.removeAll { $0 === self }
        parent = nil
    }

    open func addChild(_ child: UIViewController) {
        children.append(child)
        child.parent = self
    }

    func setChildren(_ controllers: [UIViewController]) {
        for child in children { child.removeFromParent() }
        for child in controllers { addChild(child) }
    }

    open func didMove(toParent parent: UIViewController?) {}
}
