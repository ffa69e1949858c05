import PagePerformance
import Synchronization
import Testing
@_spi(Stub) import UIKit

@testable import PagePerformanceUIKit

/// All tests share the app's one session, so they run one after the other.
@Suite(.serialized)
@MainActor
struct UserInterfaceTests {}

/// A session that writes into memory, a window, and frames of 100 Hz made by hand.
@MainActor
final class Bench {
    private final class Lines: Sendable {
        let texts = Mutex<[String]>([])
    }

    let session: PerformanceSession
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 400, height: 800))
    private let written: Lines
    private var time: Double

    init(mode: FrameMode = .always) {
        let lines = Lines()
        written = lines
        PerformanceSession.current?.stop()
        let log = EventLog(
            LogEvent.Run(id: "r", part: "p"), to: ClosureSink { text in lines.texts.withLock { $0.append(text) } })
        session = PerformanceSession.start(log: log, frames: FrameDropDetector.Configuration(maxFPS: 100), mode: mode)
        // Frames begin now, on the clock that visits are timed by.
        time = Double(MonotonicClock().now.count) / 1e9
    }

    /// Makes frames, each after as many intervals of 10 ms as given, and each after what was done before it is committed.
    func frames(_ intervals: [Double], committed: Bool = true) {
        for interval in intervals {
            time += interval * 0.01
            if committed { MainRunLoop.turn() }
            CADisplayLink.fire(timestamp: time, duration: 0.01)
        }
    }

    /// Puts a view controller into the window, as UIKit would.
    func show(_ controller: UIViewController) {
        window.addSubview(controller.view)
        Appearance.begin(controller)
    }

    /// Takes it out again.
    func hide(_ controller: UIViewController) {
        Appearance.end(controller)
    }

    /// The lines of a type that were written; ends the session.
    func lines(_ type: String) async -> [String] {
        await session.log.flush()
        session.stop()
        return written.texts.withLock { $0 }.filter { $0.hasPrefix(#"{"type":"\#(type)""#) }
    }
}

/// A view controller that measures itself as a page.
final class SearchController: UIViewController {
    private(set) var page: PPSStateMachine?

    override func viewDidLoad() {
        super.viewDidLoad()
        page = measurePage("Search")
    }
}

/// A machine of a team, which keeps the names of the calls that it gets.
final class TeamsMachine: PPSStateMachineProtocol {
    var told: [String] = []
    func handleDidLoad() { told.append("load") }
    func handleWillAppear() { told.append("will") }
    func handleDidLayoutSubviews() { told.append("layout") }
    func handleDidAppear() { told.append("appear") }
    func handleDidDisappear() { told.append("disappear") }
    func handleDidRender(isLoading: Bool, isInitialLoading: Bool?, isError: Bool) { told.append("render") }
    func handleImageLoad(imageView: UIImageView, url: URL?, status: LoadingStatus) {
        told.append("\(url?.absoluteString ?? "-") \(status.rawValue)")
    }
}
