import PagePerformance

/// A page of the simulated app: the content of a visit and its average durations.
package struct SimulatedPage: Hashable, Sendable {
    /// When a list requests more content.
    package enum Paging: Hashable, Sendable {
        /// Never: everything is there.
        case none
        /// While it is scrolled, early enough to arrive in time.
        case prefetched
        /// When its bottom is visible.
        case atBottom
    }

    package var name: String
    /// From view did load to the end of the first layout, during which the main thread is busy.
    package var layout: Milliseconds
    /// From view did load to the content.
    package var load: Milliseconds
    /// When more content is requested.
    package var paging: Paging
    /// The duration of loading more content.
    package var append: Milliseconds
    /// The number of images in the content, 0 or more.
    package var images: Int
    /// The duration of loading an image.
    package var imageLoad: Milliseconds
    /// The number of scrolls per visit, 0 or more.
    package var scrolls: Int
    /// The fraction of scrolls with one dropped frame, from 0 to 1.
    package var dropRate: Double

    /// The page with a name; its times only depend on the name, so they are the same in every simulation.
    package init(name: String) {
        var noise = NamedRandom(seed: 0, name)
        self.name = name
        layout = .milliseconds(noise.number(in: 20...60))
        load = .milliseconds(noise.number(in: 250...600))
        paging = [.none, .prefetched, .atBottom][Int(noise.number(in: 0...2.999))]
        append = .milliseconds(noise.number(in: 120...250))
        images = Int(noise.number(in: 0...4.999))
        imageLoad = .milliseconds(noise.number(in: 90...220))
        scrolls = 2
        dropRate = noise.number(in: 0...0.15)
    }

    /// The first pages of the simulated shop.
    package static func shop(_ count: Int) -> [SimulatedPage] {
        (0..<max(0, count)).map { index in
            SimulatedPage(name: index < names.count ? names[index] : "Page \(index + 1)")
        }
    }

    private static let names = [
        "Home", "Search", "Product", "Cart", "Checkout", "Orders", "Order", "Profile", "Settings", "Messages",
        "Message", "Favorites", "Reviews", "Review", "Categories", "Category", "Brands", "Brand", "Deals", "Deal",
        "Stores", "Store", "Map", "Help", "Article", "Login", "Address", "Payment", "Coupons", "History",
    ]
}
