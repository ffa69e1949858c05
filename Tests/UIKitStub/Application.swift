// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverUseImplicitlyUnwrappedOptionals
// Apple documents these; here they only stand in for it.

/// The options of an app's launch. Nothing here launches an app.
@MainActor
public protocol UIApplicationDelegate: AnyObject {
    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    func application(
        _ application: UIApplication, configurationForConnecting session: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration
}

extension UIApplicationDelegate {
    public static func main() {}
}

@MainActor
open class UIScene: UIResponder {
    public enum ActivationState: Sendable {
        case unattached, foregroundActive, foregroundInactive, background
    }

    public nonisolated static let willEnterForegroundNotification = Notification.Name("sceneWillEnterForeground")
    public nonisolated static let didActivateNotification = Notification.Name("sceneDidActivate")
    public nonisolated static let willDeactivateNotification = Notification.Name("sceneWillDeactivate")
    public nonisolated static let didEnterBackgroundNotification = Notification.Name("sceneDidEnterBackground")
    public nonisolated static let didDisconnectNotification = Notification.Name("sceneDidDisconnect")

    open var activationState: ActivationState { state }
    @_spi(Stub) public var state = ActivationState.foregroundActive

    /// Changes the state, and posts UIKit's notification.
    @_spi(Stub) public func post(_ name: Notification.Name, _ next: ActivationState) {
        state = next
        NotificationCenter.default.post(name: name, object: self)
    }

    @MainActor
    public final class ConnectionOptions: NSObject {
        @_spi(Stub) public override init() {}
    }
}

@MainActor
open class UIWindowScene: UIScene {
    public let screen: UIScreen

    @_spi(Stub) public init(screen: UIScreen = .main) {
        self.screen = screen
    }
}

@MainActor
public final class UISceneSession {
    public struct Role: Hashable, Sendable {}
    public let role = Role()
    @_spi(Stub) public init() {}
}

@MainActor
public final class UISceneConfiguration {
    public var delegateClass: AnyClass?
    public init(name: String?, sessionRole: UISceneSession.Role) {}
}

@MainActor
public protocol UISceneDelegate: AnyObject {
    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions)
}

@MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {}

extension UIWindow {
    public convenience init(windowScene: UIWindowScene) {
        self.init(frame: windowScene.screen.bounds)
        self.windowScene = windowScene
    }

    /// Puts the root into the window, like UIKit.
    public func makeKeyAndVisible() {
        guard let rootViewController else { return }
        addSubview(rootViewController.view)
        Appearance.begin(rootViewController)
    }
}
