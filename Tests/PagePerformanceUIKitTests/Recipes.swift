import PagePerformance
import PagePerformanceUIKit
import SwiftUI
import UIKit

/// The code of the module's documentation, compiled.
@MainActor
enum Recipes {
    struct State {
        var isLoading = false
        var error: (any Error)?
    }

    static func app(sink: any LogSink, run: LogEvent.Run) {
        PerformanceSession.start(log: EventLog(run, to: sink))
        PerformanceSession.current?.show(page: "Product")
    }

    @MainActor
    final class Alone: FrameDropDetectorDelegate {
        var link: DetectorLink?

        init() {
            let detector = FrameDropDetector(FrameDropDetector.Configuration(counting: .published))
            detector.delegate = self
            link = DetectorLink(detector)
        }
    }

    static func scroll(_ tableView: UITableView) async throws {
        guard let session = PerformanceSession.current else { return }
        for iteration in 0..<5 {
            tableView.contentOffset = .zero
            session.beginIteration(iteration)
            try await ListScroller(tableView, in: session).run()
        }
    }

    static func prepare(_ view: UIView, in session: PerformanceSession) async throws -> ListScroller {
        try await DeviceReader.requireCalm(cpu: 20)
        let scroller = try ListScroller(largestListIn: view, in: session)
        return scroller
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

        func machines(_ machine: any PPSStateMachineProtocol, navigationController: UINavigationController?) {
            measurePage(by: machine)
            measurePage("Search", probe: .view)
            navigationController?.sharePage(machine)
        }
    }

    struct Results: View {
        var model = State()
        var body: some View {
            EmptyView()
                .measurePage("Search", isLoading: model.isLoading, isError: model.error != nil)
        }
    }

    struct Spinner: View {
        var body: some View { EmptyView() }
    }

    struct More: View {
        var body: some View {
            Spinner().pageLoader()
        }
    }

    struct Parts: View {
        var body: some View {
            EmptyView()
                .pageLoader().background(EmptyView().pageBottom()).background(
                    EmptyView().pageImage(from: nil, isLoaded: false)
                ).performanceOverlay()
        }
    }

    struct Row: View {
        var body: some View {
            EmptyView()
                .countBodyEvaluations(of: "Row", on: "Search")
        }
    }
}
