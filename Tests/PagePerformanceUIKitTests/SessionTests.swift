import Foundation
@_spi(Stub) import SwiftUI
import Testing
@_spi(Stub) import UIKit

@testable import PagePerformance
@testable import PagePerformanceUIKit

/// What a session writes, sends, listens to and undoes.
extension UserInterfaceTests {
    @Test func aDetectorIsReleasedWithItsLink() {
        Bench().session.stop()
        weak var released: FrameDropDetector?
        do {
            let detector = FrameDropDetector(FrameDropDetector.Configuration())
            released = detector
            let link = DetectorLink(detector)
            CADisplayLink.fire(timestamp: 1, duration: 0.01)
            withExtendedLifetime(link) {}
        }
        #expect(released == nil)
        #expect(CADisplayLink.running.isEmpty && MainRunLoop.observerCount == 0)
        NotificationCenter.default.post(name: UIApplication.willResignActiveNotification, object: nil)
    }

    @Test func aTestTakesEveryFrameAndTheFieldOnlyThoseOfScrolls() {
        func mode(_ variables: [String: String]) -> FrameMode {
            FrameMode(LaunchEnvironment({ variables[$0] }, time: .zero, process: 1))
        }
        #expect(mode([:]) == .scrolling)
        #expect(mode(["PERFGATE_RUN_ID": "r"]) == .always)
        #expect(mode(["XCTestConfigurationFilePath": "/a"]) == .always)
        #expect(mode(["ActivePrewarm": "1"]) == .scrolling)
    }

    @Test func aToolSeesPagesInTheIterationOfTheLog() {
        final class Tool: PageSignposting {
            var story: [String] = []
            let isEnabled = true

            func begin(_ interval: PageInterval, _ message: String) -> () -> Void {
                story.append("\(interval.rawValue) \(message)")
                return { self.story.append("end of \(interval.rawValue)") }
            }
        }
        PerformanceSession.current?.stop()
        let tool = Tool()
        let log = EventLog(LogEvent.Run(id: "r", part: "p"), to: ClosureSink { _ in })
        let session = PerformanceSession.start(PerformanceSession.Setup(log: log, signposter: tool))
        session.beginIteration(4)
        session.show(page: "Search")
        session.stop()
        let parts = tool.story.map { $0.split(separator: " ") }
        #expect(
            parts.map { $0[0] } == ["visit", "load", "first-layout", "end", "end", "end"], "\(tool.story)")
        #expect(parts.prefix(3).allSatisfy { $0[1] == "page=Search" && $0[3] == "iteration=4" }, "\(tool.story)")
        #expect(parts.suffix(3).map { $0[2] } == ["first-layout", "load", "visit"])
    }

    /// Nothing of the recorder holds a lock once the app is in the background, and its part can be sent.
    @Test func aLogHasNoLockAndIsSentInTheBackground() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        PerformanceSession.current?.stop()
        let sent = SentParts()
        let uploader = LogUploader(folder: folder) { await sent.take($0.path) }
        let session = PerformanceSession.start(
            app: AppFacts(), folder: .path(folder), tags: ["market": "de"], uploader: uploader)
        for round in 1...3 {
            session.show(page: "Product")?.handleDidRender(isLoading: false)
            await session.log.flush()
            try #expect(Self.lockedFiles(below: folder) == [])
            NotificationCenter.default.post(name: UIApplication.willResignActiveNotification, object: nil)
            NotificationCenter.default.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
            await Task.detached { ExpiringActivities.wait() }.value
            try #expect(Self.lockedFiles(below: folder) == [])
            let parts = await sent.parts
            #expect(parts.count == round)
            #expect(parts.last?.hasPrefix(#"{"type":"run""#) == true && parts.last?.contains(#""type":"end""#) == true)
            #expect(parts.last?.contains(#""tags":{"market":"de"}"#) == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            NotificationCenter.default.post(name: UIApplication.willEnterForegroundNotification, object: nil)
            NotificationCenter.default.post(name: UIApplication.didBecomeActiveNotification, object: nil)
        }
        session.stop()
    }

    private actor SentParts {
        private(set) var parts: [String] = []
        func take(_ path: String) -> Bool {
            parts.append((try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
            return true
        }
    }

    /// The files in a folder that this process holds a lock on, by the kernel's list.
    static func lockedFiles(below folder: String) throws -> [String] {
        let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
        let own = locks.map { $0.split(separator: " ") }.filter { $0.contains("\(getpid())") }
        let inodes = Set(
            own.flatMap { $0.filter { $0.contains(":") } }.compactMap { $0.split(separator: ":").last.map(String.init) }
        )
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            let number =
                try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.systemFileNumber] as? Int
            return number.map { inodes.contains("\($0)") } ?? false
        }
    }

    @Test func nothingIsWrittenWithoutConsentAndAllCanBeDeleted() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        PerformanceSession.current?.stop()
        let sent = SentParts()
        let session = PerformanceSession.start(
            app: AppFacts(), folder: .path(folder), uploader: LogUploader(folder: folder) { await sent.take($0.path) },
            options: EventLogOptions(hasConsent: false))
        func files() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }
        func visit() async {
            session.show(page: "Product")?.handleDidRender(isLoading: false)
            session.show(page: nil)
            await session.log.flush()
        }
        await visit()
        NotificationCenter.default.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
        await Task.detached { ExpiringActivities.wait() }.value
        NotificationCenter.default.post(name: UIApplication.didBecomeActiveNotification, object: nil)
        #expect(files().isEmpty)
        #expect(session.log.counts.withoutConsent > 0)
        session.hasConsent = true
        await visit()
        #expect(files().count == 1)
        session.hasConsent = false
        session.deleteLogs()
        await session.log.flush()
        #expect(files().isEmpty)
        await visit()
        #expect(files().isEmpty)
        #expect(await sent.parts.isEmpty)
        session.stop()
    }
}
