import PagePerformance
import PagePerformanceUIKit
import UIKit

/// The page `Feed`: an endless list in UIKit, which loads a shelf of products whenever its end becomes visible.
final class FeedViewController: UIViewController, UITableViewDataSource, UITableViewDelegate {
    /// Opens a product.
    var onSelect: (Product) -> Void = { _ in }

    let tableView = UITableView(frame: .zero, style: .plain)
    private var products: [Product] = []
    private var nextShelf = 0
    private var isLoading = false

    override func viewDidLoad() {
        super.viewDidLoad()
        measurePage("Feed")
        title = "Feed"
        tableView.frame = view.bounds
        tableView.autoresizingMask = [.flexibleWidth, .flexibleHeight]
        tableView.rowHeight = 88
        tableView.dataSource = self
        tableView.delegate = self
        tableView.accessibilityIdentifier = "Feed"
        tableView.register(ProductCell.self, forCellReuseIdentifier: ProductCell.name)
        tableView.register(LoaderCell.self, forCellReuseIdentifier: LoaderCell.name)
        view.addSubview(tableView)
        loadShelf()
    }

    private func loadShelf() {
        guard !isLoading, nextShelf < Server.shelves else { return }
        isLoading = true
        performancePage?.handleDidRender(isLoading: products.isEmpty, isError: false)
        Task {
            products += await Server.shelf(nextShelf)
            nextShelf += 1
            isLoading = false
            tableView.reloadData()
            performancePage?.handleDidRender(isLoading: false, isError: false)
            tableView.reportScrollPosition()
        }
    }

    /// The row below the products is the loader, until every shelf is loaded.
    private var hasLoader: Bool { nextShelf < Server.shelves }

    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
        products.count + (hasLoader ? 1 : 0)
    }

    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        guard indexPath.row < products.count else {
            return tableView.dequeueReusableCell(withIdentifier: LoaderCell.name, for: indexPath)
        }
        let cell = tableView.dequeueReusableCell(withIdentifier: ProductCell.name, for: indexPath)
        (cell as? ProductCell)?.show(products[indexPath.row])
        return cell
    }

    func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath) {
        guard cell is LoaderCell else { return }
        performancePage?.handleLoaderVisibility(isVisible: true)
        loadShelf()
    }

    func tableView(
        _ tableView: UITableView, didEndDisplaying cell: UITableViewCell, forRowAt indexPath: IndexPath
    ) {
        if cell is LoaderCell { performancePage?.handleLoaderVisibility(isVisible: false) }
    }

    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        guard indexPath.row < products.count else { return }
        tableView.deselectRow(at: indexPath, animated: true)
        onSelect(products[indexPath.row])
    }

    func scrollViewDidScroll(_ scrollView: UIScrollView) {
        scrollView.reportScrollPosition()
    }
}

/// A row with the picture, name and price of a product.
final class ProductCell: UITableViewCell {
    static let name = "product"
    private let picture = MeasuredImageView(frame: CGRect(x: 16, y: 8, width: 72, height: 72))
    private let title = UILabel(frame: CGRect(x: 104, y: 16, width: 240, height: 24))
    private let price = UILabel(frame: CGRect(x: 104, y: 44, width: 240, height: 24))
    private var loading: Task<Void, Never>?

    func show(_ product: Product) {
        if picture.superview == nil { [picture, title, price].forEach(contentView.addSubview) }
        title.text = product.name
        price.text = PriceTag.text(product)
        accessibilityIdentifier = "product-\(product.id)"
        guard let url = Pictures.url(of: product) else { return }
        picture.awaitImage(from: url.absoluteString)
        loading = Task {
            let image = await Pictures.load(url)
            if !Task.isCancelled { picture.image = image }
        }
    }

    override func prepareForReuse() {
        super.prepareForReuse()
        loading?.cancel()
        picture.endAwaiting()
    }
}

/// The placeholder row for products that are being loaded.
final class LoaderCell: UITableViewCell {
    static let name = "loader"
}
