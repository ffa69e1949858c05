import PagePerformance
import PagePerformanceUIKit
import SwiftUI

/// The page `Product`: pictures that load one after another, and a text.
struct ProductView: View {
    private let product: Product

    /// Makes the page of a product.
    init(product: Product) {
        self.product = product
    }

    var body: some View {
        ScrollView {
            VStack(spacing: 16) {
                Text(product.name).font(.headline)
                PriceTag(product: product, isLarge: true)
                ForEach(Array(0..<12), id: \.self) { number in
                    MeasuredAsyncImage(url: Pictures.url(of: product, number: number)) { phase in
                        Picture(image: phase.image)
                    }
                }
                Text("The end").pageBottom()
            }
        }
        .accessibilityIdentifier("Product")
        .measurePage("Product", isLoading: false)
    }
}

/// A picture, or a grey placeholder.
struct Picture: View {
    let image: Image?

    var body: some View {
        if let image {
            image.resizable().frame(width: 240, height: 240)
        } else {
            Color.gray.frame(width: 240, height: 240)
        }
    }
}
