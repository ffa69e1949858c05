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
