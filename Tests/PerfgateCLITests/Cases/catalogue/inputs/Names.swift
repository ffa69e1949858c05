import PagePerformance

extension PageName {
    static let home: Self = "Home"
    static let search = PageName("Search \"new\"")
    // static let gone: Self = "Gone"
    static let product: PageName = "Product"
    static let wishlist = Self(rawValue: "Wishlist") /* static let other: Self = "Other" */
    static let brace: Self = "{"
    static func detail(_ name: String) -> Self { "Detail \(name)" }
}

let title: String = "No page"
extension Tab { static let search: Self = "No page either" }
