import Foundation
import PagePerformance
import PagePerformanceUIKit
@_spi(Stub) import SwiftUI
@_spi(Stub) import UIKit
import XCTest

@testable import Shop
@testable import ShopApp

/// The app, started and driven on stand-ins for UIKit and SwiftUI, which draw nothing.
final class ScreenTests: XCTestCase {
    /// Makes frames of 60 Hz while a body runs.
    @MainActor
    private func withFrames(_ body: @escaping @MainActor () async throws -> Void) async throws {
        var isOver = false
        let task = Task { @MainActor in
            defer { isOver = true }
            try await body()
        }
        var time = Double(MonotonicClock().now.count) / 1e9
        while !isOver {
            try await Task.sleep(nanoseconds: 500_000)
            time += 1.0 / 60
            MainRunLoop.update(timestamp: time, duration: 1.0 / 60)
        }
        try await task.value
    }

    @MainActor
    func testTheAppMeasuresEveryPageAndItsLogIsAttached() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shop-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (name, value) in [
            ("PERFGATE_LOG_FOLDER", folder), ("PERFGATE_RUN_ID", "r-shop"), ("PERFGATE_SHARD", "1/2"),
            ("SHOP_PAGES", "Feed"), ("SHOP_ITERATIONS", "2"),
        ] {
            setenv(name, value, 1)
        }
        XCTAssertTrue(AppDelegate().application(UIApplication(), didFinishLaunchingWithOptions: nil))
        let scene = SceneDelegate()
        scene.scene(UIWindowScene(), willConnectTo: UISceneSession(), options: UIScene.ConnectionOptions())
        let router = try XCTUnwrap(Router.current)

        try await withFrames {
            for page in Router.pages {
                XCTAssertTrue(router.show(page), page)
                for _ in 0..<8 {
                    try await Task.sleep(nanoseconds: 50_000_000)
                    self.evaluate(router.tabs)
                }
            }
            XCTAssertFalse(router.show("Basket"))
            try await ListScrollTests(name: "testScrolls") { _ in }.testScrolls()
        }

        let logs = Self.attached.map(\.file)
        XCTAssertEqual(logs.count, 1)
        // If a folder is given, the log stays there for perfgate to read.
        if let kept = ProcessInfo.processInfo.environment["SHOP_LOGS"], let log = logs.first {
            try FileManager.default.copyItem(
                at: log, to: URL(fileURLWithPath: kept).appendingPathComponent(log.lastPathComponent))
        }
        let lines = try String(contentsOf: XCTUnwrap(logs.first), encoding: .utf8).split(separator: "\n")
        XCTAssertTrue(lines[0].contains(#""run_id":"r-shop""#) && lines[0].contains(#""shard":"1/2""#), "\(lines[0])")
        for page in Router.pages {
            let loads = lines.filter {
                $0.hasPrefix(#"{"type":"pps","page":"\#(page)""#) && $0.contains(#""outcome":"loaded""#)
            }
            XCTAssertFalse(loads.isEmpty, "\(page) was not loaded in \(lines)")
        }
        // The listed pages alone are scrolled; opening the others above scrolls nothing.
        XCTAssertTrue(lines.allSatisfy { !$0.hasPrefix(#"{"type":"scroll""#) || $0.contains(#""page":"Feed""#) })
        for iteration in 0..<2 {
            let scrolls = lines.filter { $0.hasPrefix(#"{"type":"scroll","page":"Feed","iteration":\#(iteration)"#) }
            XCTAssertGreaterThan(scrolls.count, 5)
        }
    }

    /// SwiftUI evaluates a view when its model changes; the stand-in does so on request.
    @MainActor
    private func evaluate(_ controller: UIViewController) {
        (controller as? UIHostingController<SearchView>)?.update()
        for child in controller.children { evaluate(child) }
    }

    @MainActor
    func testACatalogueHoldsEveryCombinationOnce() async {
        for (component, count) in [(Component.priceTag, 4 * 2 * 2 * 2), (.productRow, 2 * 2 * 2 * 3)] {
            XCTAssertEqual(Set(component.specimens.map(\.id)).count, count)
            XCTAssertEqual(component.specimens.count, count)
            XCTAssertGreaterThanOrEqual(component.rows.count, 120)
            XCTAssertEqual(Set(component.rows.map(\.id)).count, component.rows.count)
        }
    }

    @MainActor
    func testTheUITestTellsEachLaunchWhereItBelongs() async throws {
        setenv("SHOP_PAGES", "Feed,Product,component/PriceTag", 1)
        setenv("SHOP_ITERATIONS", "3", 1)
        setenv("PERFGATE_RUN_ID", "r-ui", 1)
        setenv("PERFGATE_SHARD", "2/3", 1)
        XCUIApplication.launches = []
        try await ScrollUITests(name: "testScrolls") { _ in }.testScrolls()
        XCTAssertEqual(XCUIApplication.launches.map { $0.environment["PERFGATE_ITERATION"] }, ["0", "1", "2"])
        XCTAssertEqual(Set(XCUIApplication.launches.map { $0.environment["PERFGATE_PART"] }).count, 3)
        XCTAssertTrue(XCUIApplication.launches.allSatisfy { $0.environment["PERFGATE_RUN_ID"] == "r-ui" })
        for launch in XCUIApplication.launches {
            XCTAssertEqual(launch.steps.suffix(3), ["press home", "wait", "end"])
            XCTAssertEqual(launch.steps.filter { $0 == "swipe component/PriceTag" }.count, 6)
            XCTAssertTrue(launch.steps.contains("tap cell 1"))
            XCTAssertFalse(launch.steps.contains { $0.hasSuffix("Search") || $0.hasSuffix("component/ProductRow") })
        }
    }
}
