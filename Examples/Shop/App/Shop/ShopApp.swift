import PagePerformance
import PagePerformanceUIKit
import Shop
import UIKit

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        // A bundle doesn't contain its commit: measure.sh passes it to the build, which writes it into Info.plist.
        let commit = Bundle.main.object(forInfoDictionaryKey: "ShopCommit") as? String
        PerformanceSession.start(app: .mainBundle(commit: commit?.isEmpty == false ? commit : nil))
        return true
    }

    func application(
        _ application: UIApplication, configurationForConnecting session: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let configuration = UISceneConfiguration(name: nil, sessionRole: session.role)
        configuration.delegateClass = SceneDelegate.self
        return configuration
    }
}

final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    private var router: Router?

    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
        guard let scene = scene as? UIWindowScene else { return }
        let router = Router()
        self.router = router
        let window = UIWindow(windowScene: scene)
        window.rootViewController = router.tabs
        window.makeKeyAndVisible()
        self.window = window
    }
}
