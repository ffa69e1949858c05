import SwiftUI
import UIKit

/// The screens of the app, and the transitions between them.
@MainActor
public final class Router {
    /// The app's router, for tests that run within it.
    public private(set) static weak var current: Router?

    /// The content of the window: a tab for the feed, the search, and each component of the catalogue.
    public let tabs = UITabBarController()

    /// Makes the screens; each is loaded when it is first shown.
    public init() {
        let feed = FeedViewController()
        let catalogues = Component.allCases.map { component in
            tab(component.page, UIHostingController(rootView: CatalogueView(component: component)))
        }
        feed.onSelect = { [weak self, weak feed] in self?.open($0, over: feed) }
        tabs.setViewControllers([tab("Feed", feed), tab("Search", search())] + catalogues, animated: false)
        Self.current = self
    }

    /// The names of all pages, in the order of the tabs.
    public static var pages: [String] { ["Feed", "Search", "Product"] + Component.allCases.map(\.page) }

    /// Shows a page immediately, as a link into the app does; an unknown name shows none.
    ///
    /// - Returns: Whether there is such a page.
    @discardableResult
    public func show(_ page: String) -> Bool {
        let names = tabs.viewControllers?.map { $0.tabBarItem.title ?? "" } ?? []
        if page == "Product" {
            tabs.selectedIndex = 0
            let feed = tabs.viewControllers?.first as? UINavigationController
            feed?.popToRootViewController(animated: false)
            open(Server.product(1), over: feed?.viewControllers.first)
            return true
        }
        guard let index = names.firstIndex(of: page) else { return false }
        (tabs.viewControllers?[index] as? UINavigationController)?.popToRootViewController(animated: false)
        tabs.selectedIndex = index
        return true
    }

    private func search() -> UIViewController {
        var open: (Product) -> Void = { _ in }
        let controller = UIHostingController(rootView: SearchView { open($0) })
        open = { [weak self, weak controller] in self?.open($0, over: controller) }
        return controller
    }

    private func open(_ product: Product, over controller: UIViewController?) {
        let page = UIHostingController(rootView: ProductView(product: product))
        controller?.navigationController?.pushViewController(page, animated: false)
    }

    private func tab(_ name: String, _ controller: UIViewController) -> UIViewController {
        controller.title = name
        let navigation = UINavigationController(rootViewController: controller)
        navigation.tabBarItem = UITabBarItem(title: name, image: nil, tag: 0)
        return navigation
    }
}
