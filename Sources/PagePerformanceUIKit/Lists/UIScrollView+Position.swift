#if canImport(UIKit)
import PagePerformance
import UIKit

extension ScrollPosition {
    /// Where a scroll view stands, from top to bottom.
    @MainActor
    public init(_ scrollView: UIScrollView) {
        self.init(
            offset: Double(scrollView.contentOffset.y), viewport: Double(scrollView.bounds.height),
            endInset: Double(scrollView.adjustedContentInset.bottom), content: Double(scrollView.contentSize.height))
    }
}

extension UIScrollView {
    /// Tells the page whether the list's bottom is visible; called in `scrollViewDidScroll` and after a reload.
    public func reportScrollPosition() {
        performancePage?.handleScroll(to: ScrollPosition(self))
    }

    /// Whether the last row of a table or collection is visible; another scroll view has no rows.
    var isLastRowVisible: Bool {
        switch self {
        case let table as UITableView:
            let last = Self.lastIndexPath(sections: table.numberOfSections) { table.numberOfRows(inSection: $0) }
            return last.map { table.indexPathsForVisibleRows?.contains($0) ?? false } ?? true
        case let collection as UICollectionView:
            let last = Self.lastIndexPath(sections: collection.numberOfSections) {
                collection.numberOfItems(inSection: $0)
            }
            return last.map { collection.indexPathsForVisibleItems.contains($0) } ?? true
        default:
            return false
        }
    }

    private static func lastIndexPath(sections: Int, rows: (Int) -> Int) -> IndexPath? {
        (0..<sections).last { rows($0) > 0 }.map { IndexPath(item: rows($0) - 1, section: $0) }
    }
}
#endif
