#if canImport(UIKit) && canImport(SwiftUI)
import PagePerformance
import SwiftUI
import UIKit

extension View {
    /// Measures this view as a page, and counts how often the body that says so is evaluated.
    ///
    ///     List(model.results) { Row($0) }
    ///         .measurePage("Search", isLoading: model.isLoading, isError: model.error != nil)
    ///
    /// - Parameters:
    ///   - name: The page's name.
    ///   - isLoading: Whether something is being loaded; `nil`: the page doesn't tell, and has no time to initial load.
    ///   - isInitialLoading: Whether that is the first content; `nil`: as before, and the first load is.
    ///   - isError: Whether an error is shown.
    @MainActor
    public func measurePage(
        _ name: String, isLoading: Bool? = nil, isInitialLoading: Bool? = nil, isError: Bool = false
    ) -> some View {
        let render = isLoading.map { PageRender(isLoading: $0, isInitialLoading: isInitialLoading, isError: isError) }
        return countBodyEvaluations(of: "page", on: name)
            .background(PageProbeView(name: name, render: render))
    }

    /// Counts how often the body that says so is evaluated, into the metric `body_evaluations_<view>` of a page.
    @MainActor
    public func countBodyEvaluations(of view: String, on page: String) -> Self {
        PerformanceSession.current?.recorder.countBodyEvaluation(of: view, on: page)
        return self
    }
}

/// Puts a page's probe among the children of the view controller that hosts the view.
private struct PageProbeView: UIViewControllerRepresentable {
    let name: String
    let render: PageRender?

    func makeUIViewController(context: Context) -> UIViewController {
        guard let session = PerformanceSession.current else { return UIViewController() }
        return PageProbe(page: session.recorder.makePage(named: name), session: session)
    }

    func updateUIViewController(_ controller: UIViewController, context: Context) {
        guard let probe = controller as? PageProbe else { return }
        probe.rename(to: name)
        probe.loadViewIfNeeded()
        probe.show(render)
    }
}
#endif
