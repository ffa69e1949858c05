import PagePerformance
import Synchronization
import Testing
@_spi(Stub) import UIKit

@testable import PagePerformanceUIKit

/// All tests share the app's only session, so they run sequentially.
@Suite(.serialized)
@MainActor
struct UserInterfaceTests {}

/// A session that writes to memory, a window, and manual frames at 100 Hz.
@MainActor
final class Bench {
    private final class Lines: Sendable {
        let texts = Mutex<[String]>([])
    }

    let session: PerformanceSession
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 400, height: 800))
    private let written: Lines
    /// The time of frames and visits, which only the test advances.
    let clock = ManualClock(start: .seconds(1_000))

    init(
        mode: FrameMode = .always, hasUpdateLinks: Bool = false, isPrewarmed: Bool = false, folder: String? = nil
    ) {
        let lines = Lines()
        written = lines
        PerformanceSession.current?.stop()
        let log = EventLog(
            LogEvent.Run(id: "r", part: "p"),
            to: TeeSink(ClosureSink { text in lines.texts.withLock { $0.append(text) } }, folder: folder))
        CommitWatch.hasUpdateLinks = hasUpdateLinks
        session = PerformanceSession.start(
            PerformanceSession.Setup(
                log: log, frames: FrameDropDetector.Configuration(maxFPS: 100), mode: mode, clock: clock,
                isPrewarmed: isPrewarmed))
    }

    /// Makes frames of this many intervals of 10 ms, each after the commit of the preceding work.
    func frames(_ intervals: [Double], committed: Bool = true) {
        for interval in intervals {
            if committed { MainRunLoop.turn() }
            clock.advance(by: Nanoseconds(UInt64(interval * 1e7)))
            CADisplayLink.fire(timestamp: Double(clock.now.count) / 1e9, duration: 0.01)
        }
    }

    /// Makes the frame 10 ms later.
    func tick() {
        clock.advance(by: .milliseconds(10))
        frame()
    }

    /// Makes a frame at the clock's time, with a commit before it, or since iOS 18 after it.
    func frame() {
        let time = Double(clock.now.count) / 1e9
        if CommitWatch.hasUpdateLinks {
            MainRunLoop.update(timestamp: time, duration: 0.01)
        } else {
            MainRunLoop.turn()
            CADisplayLink.fire(timestamp: time, duration: 0.01)
        }
    }

    /// Puts a view controller into the window, like UIKit.
    func show(_ controller: UIViewController) {
        window.addSubview(controller.view)
        Appearance.begin(controller)
    }

    /// Removes it.
    func hide(_ controller: UIViewController) {
        Appearance.end(controller)
    }

    /// The written lines of a type, or of all; ends the session.
    func lines(_ type: String? = nil) async -> [String] {
        await session.log.flush()
        session.stop()
        let start = type.map { #"{"type":"\#($0)""# } ?? ""
        return written.texts.withLock { $0 }.filter { $0.hasPrefix(start) }
    }
}

/// Writes to memory, and into a folder if there is one.
private struct TeeSink: LogSink {
    private let memory: ClosureSink
    private var file: FileSink?

    init(_ memory: ClosureSink, folder: String?) {
        self.memory = memory
        file = folder.map { FileSink(folder: $0) }
    }

    mutating func begin(run: String, part: String) throws(LogSinkError) -> Bool {
        try file?.begin(run: run, part: part) ?? true
    }

    mutating func write(_ lines: [UInt8]) throws(LogSinkError) {
        memory.write(lines)
        try file?.write(lines)
    }

    mutating func end() {
        file?.end()
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

/// A team's own machine, which records the names of its calls.
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
