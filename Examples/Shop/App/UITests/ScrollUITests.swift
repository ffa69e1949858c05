import XCTest

/// Visits and scrolls every page, several times, from a process other than the app's.
///
/// The app measures. This test only drives it, and passes each launch its place in the run: measure.sh sets the
/// variables for the tests, and the tests set them for the app.
final class ScrollUITests: XCTestCase {
    @MainActor
    func testScrolls() async throws {
        let variables = ProcessInfo.processInfo.environment
        let pages = variables["SHOP_PAGES"]?.split(separator: ",").map(String.init) ?? ["Feed", "Search", "Product"]
        let iterations = variables["SHOP_ITERATIONS"].flatMap { Int($0) } ?? 5
        let run = variables["PERFGATE_RUN_ID"] ?? UUID().uuidString
        continueAfterFailure = true

        for iteration in 0..<iterations {
            let app = XCUIApplication()
            app.launchEnvironment["PERFGATE_RUN_ID"] = run
            app.launchEnvironment["PERFGATE_PART"] = "launch-\(iteration)"
            app.launchEnvironment["PERFGATE_ITERATION"] = "\(iteration)"
            app.launchEnvironment["PERFGATE_SHARD"] = variables["PERFGATE_SHARD"] ?? ""
            app.launchEnvironment["PERFGATE_TEST"] = "ShopUITests/ScrollUITests/testScrolls"
            app.launch()
            for page in pages { visit(page, in: app) }
            // In the background the app writes its measurements. Ending it immediately would lose the last of them.
            XCUIDevice.shared.press(.home)
            _ = app.wait(for: .runningBackground, timeout: 5)
            app.terminate()
        }
    }

    @MainActor
    private func visit(_ page: String, in app: XCUIApplication) {
        let tab = page == "Product" ? "Feed" : page
        app.tabBars.buttons[tab].tap()
        if page == "Product" {
            app.cells.element(boundBy: 1).tap()
        }
        let list = app.descendants(matching: .any)[page].firstMatch
        XCTAssertTrue(list.waitForExistence(timeout: 10), "the page \(page) isn't there")
        for _ in 0..<6 { list.swipeUp() }
        if page == "Product" {
            app.navigationBars.buttons.firstMatch.tap()
        }
    }
}
