import PagePerformance
import PagePerformanceUIKit
import SwiftUI

/// The model of the page `Search`.
@MainActor
final class SearchModel: ObservableObject {
    @Published var text = ""
    @Published private(set) var results: [Product] = []
    @Published private(set) var isLoading = true
    private var search: Task<Void, Never>?

    /// Searches for the field's text; a newer search replaces an older one.
    func find() {
        search?.cancel()
        isLoading = true
        search = Task {
            let found = await Server.search(text)
            guard !Task.isCancelled else { return }
            results = found
            isLoading = false
        }
    }
}

/// The page `Search`: a field and a list in SwiftUI.
struct SearchView: View {
    @ObservedObject private var model: SearchModel
    private let onSelect: (Product) -> Void

    /// Makes the page; `onSelect` opens a product.
    init(onSelect: @escaping (Product) -> Void) {
        self.init(model: SearchModel(), onSelect: onSelect)
    }

    init(model: SearchModel, onSelect: @escaping (Product) -> Void) {
        self.model = model
        self.onSelect = onSelect
    }

    var body: some View {
        VStack(spacing: 8) {
            TextField("Search", text: $model.text)
                .onSubmit { model.find() }
                .accessibilityIdentifier("field")
            if model.isLoading {
                ProgressView().pageLoader()
            }
            List(model.results) { product in
                Button(action: { onSelect(product) }) {
                    ProductRow(product: product, picture: .loaded)
                }
                .pageEnd(product == model.results.last)
            }
            .accessibilityIdentifier("Search")
        }
        .onAppear { model.find() }
        .measurePage("Search", isLoading: model.isLoading)
    }
}

extension View {
    /// Reports to the page that this row is the last.
    @ViewBuilder
    fileprivate func pageEnd(_ isLast: Bool) -> some View {
        if isLast { pageBottom() } else { self }
    }
}
