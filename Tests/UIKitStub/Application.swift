// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverUseImplicitlyUnwrappedOptionals
// Apple documents these; here they only stand in for it.

/// What an app is started with. Nothing here starts one.
@MainActor
public protocol UIApplicationDelegate: AnyObject {
    init()
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
    public final class ConnectionOptions {
        public init() {}
    }
}

@MainActor
open class UIWindowScene: UIScene {
    public let screen: UIScreen

    public init(screen: UIScreen = .main) {
        self.screen = screen
    }
}

@MainActor
public final class UISceneSession {
    public struct Role: Hashable, Sendable {}
    public let role = Role()
    public init() {}
}

@MainActor
public final class UISceneConfiguration {
    public var delegateClass: AnyClass?
    public init(name: String?, sessionRole: UISceneSession.Role) {}
}

@MainActor
public protocol UIWindowSceneDelegate: AnyObject {
    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions)
}

extension UIWindow {
    public convenience init(windowScene: UIWindowScene) {
        self.init(frame: windowScene.screen.bounds)
        self.windowScene = windowScene
    }

    /// Puts the root into the window, as UIKit does.
    public func makeKeyAndVisible() {
        guard let rootViewController else { return }
        addSubview(rootViewController.view)
        Appearance.begin(rootViewController)
    }
}
