import PagePerformance
import PagePerformanceUIKit
import SwiftUI
import UIKit

/// The lines of the module's documentation, compiled.
@MainActor
enum Recipes {
    struct State {
        var isLoading = false
        var error: (any Error)?
    }

    static func app(sink: any LogSink, run: LogEvent.Run) {
        PerformanceSession.start(log: EventLog(run, to: sink))
    }

    static func scroll(_ tableView: UITableView) async throws {
        guard let session = PerformanceSession.current else { return }
        for iteration in 0..<5 {
            tableView.contentOffset = .zero
            session.beginIteration(iteration)
            try await ListScroller(tableView, in: session).run()
        }
    }

    static func overlay(_ window: UIWindow) {
        PerformanceSession.current?.showOverlay(in: window)
    }

    final class Page: UIViewController {
        override func viewDidLoad() {
            super.viewDidLoad()
            measurePage("Search")
        }

        func render(_ state: State) {
            performancePage?.handleDidRender(isLoading: state.isLoading, isError: state.error != nil)
        }

        func parts(_ scrollView: UIScrollView, _ imageView: MeasuredImageView, url: String, gray: UIImage) {
            performancePage?.handleLoaderVisibility(isVisible: true)
            scrollView.reportScrollPosition()
            imageView.awaitImage(from: url, placeholder: gray)
            imageView.endAwaiting()
            measurePage("Map")
            performancePage?.handleCandidate("ttil_v2", .milliseconds(498))
        }
    }

    struct Results: View {
        var model = State()
        var body: some View {
            EmptyView()
                .measurePage("Search", isLoading: model.isLoading, isError: model.error != nil)
        }
    }

    struct Row: View {
        var body: some View {
            EmptyView()
                .countBodyEvaluations(of: "Row", on: "Search")
        }
    }
}
