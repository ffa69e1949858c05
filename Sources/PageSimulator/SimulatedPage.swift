import PagePerformance

/// A page of the simulated app: what a visit of it does, and how long that takes on average.
package struct SimulatedPage: Hashable, Sendable {
    /// When a list asks for what comes below.
    package enum Paging: Hashable, Sendable {
        /// Never: it is all there.
        case none
        /// While it is scrolled, early enough to be there in time.
        case prefetched
        /// When its bottom is in sight.
        case atBottom
    }

    /// The name.
    package var name: String
    /// From view did load to the end of the first layout, in which the main thread does nothing else.
    package var layout: Milliseconds
    /// From view did load to the content.
    package var load: Milliseconds
    /// When more content is asked for.
    package var paging: Paging
    /// How long more content takes.
    package var append: Milliseconds
    /// How many images come with the content, 0 or more.
    package var images: Int
    /// How long an image takes.
    package var imageLoad: Milliseconds
    /// How often a visit scrolls, 0 or more.
    package var scrolls: Int
    /// The share of scrolls in which one frame is dropped, from 0 to 1.
    package var dropRate: Double

    /// The page of a name, whose times are the same in every simulation: they come from the name alone.
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

    /// The first pages of the simulated shop, as many as asked for.
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
