#if canImport(UIKit)
import PagePerformance
import UIKit

/// A child of a page's view controller, without a visible view, that tells the page's life to the recorder.
///
/// A child is loaded, appears and disappears with its parent, and its view is laid out after the parent's subviews
/// were placed. So no class of the app needs another superclass, and no method is exchanged.
@MainActor
final class PageProbe: UIViewController {
    /// The page.
    let page: PPSStateMachine
    private let session: PerformanceSession
    private var render: PageRender?

    /// Makes the probe of a page.
    init(page: PPSStateMachine, session: PerformanceSession) {
        self.page = page
        self.session = session
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
        view.backgroundColor = nil
        session.recorder.didLoad(page)
        session.followPages()
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        session.recorder.willAppear(page)
        session.followPages()
    }

    override func viewDidLayoutSubviews() {
        super.viewDidLayoutSubviews()
        page.handleDidLayoutSubviews()
    }

    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        session.recorder.didAppear(page)
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        session.recorder.didDisappear(page)
        session.followPages()
    }

    /// The page has another name from now on.
    func rename(to name: String?) {
        session.recorder.rename(page, to: name)
    }

    /// The page was rendered; the repetition of the last state is no render.
    func show(_ next: PageRender?) {
        guard next != render else { return }
        render = next
        guard let next else { return }
        page.handleDidRender(
            isLoading: next.isLoading, isInitialLoading: next.isInitialLoading, isError: next.isError)
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
/// An image view that tells its page how long its placeholder was seen.
///
///     imageView.awaitImage(from: url.absoluteString, placeholder: .gray)
///     imageView.image = loaded
///     imageView.endAwaiting()      // in prepareForReuse
///
/// It finds its page through the responder chain, whenever it enters a window or its image changes.
open class MeasuredImageView: UIImageView {
    private var awaitedURL: String?
    private var placeholder: UIImage?
    private weak var page: PPSStateMachine?

    /// Shows a placeholder in wait for an image. Every other image that is set from now on is taken for it.
    public func awaitImage(from url: String, placeholder: UIImage? = nil) {
        awaitedURL = url
        self.placeholder = placeholder
        image = placeholder
    }

    /// Goes out of sight, as in a cell that is about to be reused; a wait that goes on ends here as `hidden`.
    public func endAwaiting() {
        tell(.hidden)
        awaitedURL = nil
    }

    open override var image: UIImage? {
        didSet { tellOfImage() }
    }

    open override func didMoveToWindow() {
        super.didMoveToWindow()
        if window == nil {
            tell(.hidden)
        } else {
            page = performancePage
            tellOfImage()
        }
    }

    private func tellOfImage() {
        guard window != nil else { return }
        tell(image == nil || image === placeholder ? .placeholderVisible : .shown)
    }

    private func tell(_ status: ImageStatus) {
        guard let awaitedURL else { return }
        page?.handleImageLoad(slot: ImageSlot(self), url: awaitedURL, status: status)
    }
}
#endif
