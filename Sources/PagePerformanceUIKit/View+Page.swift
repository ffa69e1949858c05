#if canImport(UIKit) && canImport(SwiftUI)
import PagePerformance
import SwiftUI
import UIKit

extension View {
    /// Measures this view as a page, from the first evaluation of the body that contains it, and counts evaluations.
    ///
    ///     List(model.results) { Row($0) }
    ///         .measurePage("Search", isLoading: model.isLoading, isError: model.error != nil)
    ///
    /// - Parameters:
    ///   - name: The page's name.
    ///   - isLoading: Whether something is being loaded; `nil`: unknown, and the page has no time to initial load and no
    ///     outcome. If the first value is `false`, a load that begins within a second is the initial load, as in a model whose
    ///     `task` sets it; a page that loads nothing has its time from its first frame.
    ///   - isInitialLoading: Whether the first content is being loaded; `nil`: as before; the first load is initial.
    ///   - isError: Whether an error is shown.
    @MainActor
    public func measurePage(
        _ name: PageName, isLoading: Bool? = nil, isInitialLoading: Bool? = nil, isError: Bool = false
    ) -> some View {
        measurePage(name.rawValue, isLoading: isLoading, isInitialLoading: isInitialLoading, isError: isError)
    }

    /// The same with a text.
    @MainActor
    public func measurePage(
        _ name: String, isLoading: Bool? = nil, isInitialLoading: Bool? = nil, isError: Bool = false
    ) -> some View {
        let render = isLoading.map { PageRender(isLoading: $0, isInitialLoading: isInitialLoading, isError: isError) }
        return modifier(PageModifier(name: name, render: render, evaluation: BodyEvaluation.next()))
    }

    /// Counts the evaluations of the body that contains this call, into the metric `body_evaluations_<view>` of a page: of
    /// several visible pages with this name, the one that appeared last.
    @MainActor
    public func countBodyEvaluations(of view: String, on page: PageName) -> Self {
        countBodyEvaluations(of: view, on: page.rawValue)
    }

    /// The same with a text.
    @MainActor
    public func countBodyEvaluations(of view: String, on page: String) -> Self {
        PerformanceSession.current?.recorder.countBodyEvaluation(of: view, on: page)
        return self
    }

    /// Reports to the page that this view is a loader, the placeholder for further content, while it is visible. If a
    /// page has neither this nor `pageBottom()`, it is unknown whether a load was seen: the page has no additional load
    /// times.
    @MainActor
    public func pageLoader(isShown: Bool = true) -> some View {
        background(PageMarkerView(part: .loader(isShown: isShown)))
    }

    /// Reports to the page that this view is the end of its list, such as the last row or an empty view behind it.
    @MainActor
    public func pageBottom() -> some View { background(PageMarkerView(part: .bottom)) }

    /// Reports to the page that this view shows an image, or its placeholder until it is loaded: for your own views.
    /// - Parameters:
    ///   - url: The image's URL.
    ///   - isLoaded: Whether the image is loaded.
    @MainActor
    public func pageImage(from url: URL?, isLoaded: Bool) -> some View {
        background(PageMarkerView(part: .image(url: url?.absoluteString, isLoaded: isLoaded)))
    }

    /// Shows the live numbers of the app's session above this view's window, as `PerformanceSession.showOverlay(in:)`.
    @MainActor
    public func performanceOverlay() -> some View { background(OverlayView()) }
}

/// Shows the overlay in any window that it enters.
private struct OverlayView: UIViewRepresentable {
    final class Anchor: UIView {
        override func didMoveToWindow() {
            super.didMoveToWindow()
            if let window { PerformanceSession.current?.showOverlay(in: window) }
        }
    }

    func makeUIView(context: Context) -> Anchor { Anchor(frame: .zero) }

    func updateUIView(_ anchor: Anchor, context: Context) {}
}

/// An `AsyncImage` that reports to its page how long its placeholder was visible.
///
///     MeasuredAsyncImage(url: photo.url) { phase in
///         if let image = phase.image { image.resizable() } else { Color.gray }
///     }
public struct MeasuredAsyncImage<Content: View>: View {
    private let url: URL?
    private let scale: CGFloat
    private let content: (AsyncImagePhase) -> Content

    /// Makes the image; `content` shows each phase of its load.
    public init(url: URL?, scale: CGFloat = 1, @ViewBuilder content: @escaping (AsyncImagePhase) -> Content) {
        (self.url, self.scale, self.content) = (url, scale, content)
    }

    /// The image with a marker behind it.
    public var body: some View {
        AsyncImage(url: url, scale: scale) { phase in
            content(phase).pageImage(from: url, isLoaded: phase.image != nil)
        }
    }
}

extension UIHostingController: HostingPage {}

/// The time of a page's first body evaluation: SwiftUI keeps the first of its values.
@MainActor
private final class PageStart {
    let time = (PerformanceSession.current?.recorder.clock ?? MonotonicClock()).now
}

/// Numbers the evaluations of pages' bodies, so that each reaches its page's probe.
@MainActor
private enum BodyEvaluation {
    private static var last = 0

    /// Another number; 0 without a session, so that equal views stay equal.
    static func next() -> Int {
        guard PerformanceSession.current != nil else { return 0 }
        last += 1
        return last
    }
}

private struct PageModifier: ViewModifier {
    let name: String
    let render: PageRender?
    let evaluation: Int
    @State private var start = PageStart()

    func body(content: Content) -> some View {
        content.background(PageProbeView(name: name, render: render, evaluation: evaluation, start: start.time))
    }
}

/// Adds a page's probe to the children of the view controller that hosts the view.
private struct PageProbeView: UIViewControllerRepresentable {
    let name: String
    let render: PageRender?
    let evaluation: Int
    let start: Nanoseconds

    func makeUIViewController(context: Context) -> UIViewController {
        guard let session = PerformanceSession.current else { return UIViewController() }
        return PageProbe(session.recorder.makePage(named: name), startedAt: start)
    }

    func updateUIViewController(_ controller: UIViewController, context: Context) {
        guard let probe = controller as? PageProbe else { return }
        let page = probe.machine as? PPSStateMachine
        if page?.pageName != name { probe.forgetRender() }
        page?.handlePageName(name)
        probe.loadViewIfNeeded()
        probe.show(render)
        page?.countBodyEvaluation(evaluation, of: "page")
    }
}

/// Observes the visibility of a part of a page, from behind it.
private struct PageMarkerView: UIViewRepresentable {
    let part: PageMarker.Part

    func makeUIView(context: Context) -> PageMarker { PageMarker(part) }

    func updateUIView(_ marker: PageMarker, context: Context) { marker.part = part }
}
#endif
