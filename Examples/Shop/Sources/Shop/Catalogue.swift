import PagePerformance
import PagePerformanceUIKit
import SwiftUI

/// A price in the form that every page shows.
struct PriceTag: View {
    let product: Product
    var isLarge = false

    static func text(_ product: Product) -> String {
        if product.isSoldOut { return "Sold out" }
        let (whole, cents) = (product.cents / 100, product.cents % 100)
        return "\(whole).\(cents < 10 ? "0" : "")\(cents)" + (product.isOnSale ? " sale" : "")
    }

    var body: some View {
        Text(Self.text(product))
            .font(isLarge ? .title : .body)
            .foregroundColor(product.isSoldOut ? .gray : product.isOnSale ? .red : .primary)
    }
}

/// A product in a list.
struct ProductRow: View {
    enum PictureState: CaseIterable {
        case none, loading, loaded
    }

    let product: Product
    let picture: PictureState

    var body: some View {
        HStack(spacing: 12) {
            switch picture {
            case .none: EmptyView()
            case .loading: ProgressView()
            case .loaded: Color.blue.frame(width: 44, height: 44)
            }
            VStack(spacing: 4) {
                Text(product.name)
                PriceTag(product: product)
            }
        }
    }
}

/// A component that the catalogue shows.
enum Component: String, CaseIterable, Identifiable {
    /// A price.
    case priceTag = "PriceTag"
    /// A product in a list.
    case productRow = "ProductRow"

    /// Its name.
    var id: String { rawValue }

    /// The name of its page.
    var page: String { "component/\(rawValue)" }

    /// One of the combinations of its states.
    struct Specimen: Identifiable {
        let id: String
        let view: AnyView
    }

    /// The component in every combination of its states, each once.
    @MainActor
    var specimens: [Specimen] {
        var specimens: [Specimen] = []
        let flags = [false, true]
        switch self {
        case .priceTag:
            for cents in [0, 5, 1_299, 1_000_000] {
                for isOnSale in flags {
                    for isSoldOut in flags {
                        for isLarge in flags {
                            let product = Product(
                                id: 0, name: "", cents: cents, isOnSale: isOnSale, isSoldOut: isSoldOut)
                            specimens.append(
                                Specimen(
                                    id: "\(cents) sale \(isOnSale) sold \(isSoldOut) large \(isLarge)",
                                    view: AnyView(PriceTag(product: product, isLarge: isLarge))))
                        }
                    }
                }
            }
        case .productRow:
            for name in ["Mug", "A chair with a name that takes more than one line on every phone there is"] {
                for isOnSale in flags {
                    for isSoldOut in flags {
                        for picture in ProductRow.PictureState.allCases {
                            let product = Product(
                                id: 0, name: name, cents: 1_299, isOnSale: isOnSale, isSoldOut: isSoldOut)
                            specimens.append(
                                Specimen(
                                    id: "\(name) sale \(isOnSale) sold \(isSoldOut) picture \(picture)",
                                    view: AnyView(ProductRow(product: product, picture: picture))))
                        }
                    }
                }
            }
        }
        return specimens
    }

    /// The rows of its page: all combinations, repeated until they take some seconds to scroll.
    @MainActor
    var rows: [Specimen] {
        let specimens = specimens
        let rounds = (119 + specimens.count) / specimens.count
        return (0..<rounds).flatMap { round in
            specimens.map { Specimen(id: "\(round) \($0.id)", view: $0.view) }
        }
    }
}

/// The page `component/…`: one component in every combination of its states.
///
/// A slower component is visible here alone, on whatever page it is used; no page has to be in the state that shows it.
struct CatalogueView: View {
    private let component: Component
    private let rows: [Component.Specimen]

    /// Makes the page of a component.
    init(component: Component) {
        self.component = component
        rows = component.rows
    }

    var body: some View {
        List(rows) { $0.view }
            .accessibilityIdentifier(component.page)
            .measurePage(component.page, isLoading: false)
    }
}
