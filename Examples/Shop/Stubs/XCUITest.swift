import Foundation
import XCTest

// The part of XCUITest that the tests of the app use, which Linux lacks. It drives nothing: it records the requests.

@MainActor
final class XCUIApplication: XCUIElement {
    enum State {
        case runningBackground
    }

    /// The launches of this process, each with its variables and actions.
    static var launches: [(environment: [String: String], steps: [String])] = []

    var launchEnvironment: [String: String] = [:]

    init() {
        super.init(name: "app")
    }

    func launch() {
        Self.launches.append((launchEnvironment, []))
    }

    func terminate() {
        XCUIElement.note("end")
    }

    func wait(for state: State, timeout: TimeInterval) -> Bool {
        XCUIElement.note("wait")
        return true
    }
}

@MainActor
class XCUIElement {
    enum Kind {
        case any
    }

    let name: String

    init(name: String) {
        self.name = name
    }

    static func note(_ step: String) {
        XCUIApplication.launches[XCUIApplication.launches.count - 1].steps.append(step)
    }

    var tabBars: XCUIElement { XCUIElement(name: "") }
    var cells: XCUIElement { XCUIElement(name: "cell") }
    var navigationBars: XCUIElement { XCUIElement(name: "bar") }
    var buttons: XCUIElement { self }
    var firstMatch: XCUIElement { self }

    subscript(name: String) -> XCUIElement { XCUIElement(name: name) }
    func element(boundBy index: Int) -> XCUIElement { XCUIElement(name: "\(name) \(index)") }
    func descendants(matching kind: Kind) -> XCUIElement { self }
    func waitForExistence(timeout: TimeInterval) -> Bool { true }
    func tap() { Self.note("tap \(name)") }
    func swipeUp() { Self.note("swipe \(name)") }
}

@MainActor
final class XCUIDevice {
    enum Button: String {
        case home
    }

    static let shared = XCUIDevice()
    func press(_ button: Button) { XCUIElement.note("press \(button)") }
}

final class XCTAttachment {
    enum Lifetime {
        case keepAlways
    }

    let file: URL
    var name: String?
    var lifetime = Lifetime.keepAlways

    init(contentsOfFile file: URL) {
        self.file = file
    }
}

extension XCTestCase {
    /// The attachments of this process.
    nonisolated(unsafe) static var attached: [XCTAttachment] = []

    func add(_ attachment: XCTAttachment) {
        Self.attached.append(attachment)
    }
}
