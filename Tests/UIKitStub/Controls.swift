// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverUseImplicitlyUnwrappedOptionals
// Apple documents these; here they only stand in for it.

public final class UIColor: @unchecked Sendable {
    public static let white = UIColor()
    public static let black = UIColor()
    public func withAlphaComponent(_ alpha: CGFloat) -> UIColor { self }
}

public final class UIFont: @unchecked Sendable {
    public struct Weight: Sendable {
        public static let medium = Weight()
    }

    public static func monospacedDigitSystemFont(ofSize size: CGFloat, weight: Weight) -> UIFont { UIFont() }
}

public final class UIImage: @unchecked Sendable {
    public init() {}
}

@MainActor
open class UILabel: UIView {
    open var text: String?
    open var numberOfLines = 1
    open var font: UIFont?
    open var textColor: UIColor?
}

@MainActor
open class UIImageView: UIView {
    open var image: UIImage?
}

public struct UIEdgeInsets: Sendable {
    public var top = CGFloat(0)
    public var bottom = CGFloat(0)
}

@MainActor
open class UIScrollView: UIView {
    open var contentOffset = CGPoint.zero
    open var contentSize = CGSize.zero
    open var adjustedContentInset = UIEdgeInsets()
}

/// A table of one section, whose rows all have one height.
@MainActor
open class UITableView: UIScrollView {
    public var rows = 0
    public var rowHeight = CGFloat(50)
    open var numberOfSections: Int { 1 }
    open func numberOfRows(inSection section: Int) -> Int { rows }
    open var indexPathsForVisibleRows: [IndexPath]? {
        (0..<rows).filter { row in
            let top = CGFloat(row) * rowHeight
            return top < contentOffset.y + bounds.height && top + rowHeight > contentOffset.y
        }.map { IndexPath(indexes: [0, $0]) }
    }
}

@MainActor
open class UICollectionView: UIScrollView {
    open var numberOfSections: Int { 0 }
    open func numberOfItems(inSection section: Int) -> Int { 0 }
    open var indexPathsForVisibleItems: [IndexPath] { [] }
}

extension IndexPath {
    public init(item: Int, section: Int) {
        self.init(indexes: [section, item])
    }
}

@MainActor
public final class UILayoutGuide {
    public let topAnchor = NSLayoutYAxisAnchor()
    public let leadingAnchor = NSLayoutXAxisAnchor()
}

@MainActor
public final class NSLayoutYAxisAnchor {
    public func constraint(equalTo anchor: NSLayoutYAxisAnchor) -> NSLayoutConstraint { NSLayoutConstraint() }
}

@MainActor
public final class NSLayoutXAxisAnchor {
    public func constraint(equalTo anchor: NSLayoutXAxisAnchor) -> NSLayoutConstraint { NSLayoutConstraint() }
}

@MainActor
public final class NSLayoutConstraint {
    public static func activate(_ constraints: [NSLayoutConstraint]) {}
}
