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
#endif
