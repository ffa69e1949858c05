import XCTest

/// Visits and scrolls every page, several times over, from another process than the app's.
///
/// The app measures. What is here only drives it, and tells each launch where it belongs: measure.sh hands the variables
/// to the tests, and these to the app.
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
            // In the background the app writes what it has measured. Ending it at once would lose the last of it.
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
