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
    public var left = CGFloat(0)
    public var right = CGFloat(0)
}

@MainActor
open class UIScrollView: UIView {
    open var contentOffset: CGPoint {
        get { bounds.origin }
        set { bounds.origin = newValue }
    }
    open var contentSize = CGSize.zero
    open var adjustedContentInset = UIEdgeInsets()
}

@MainActor
open class UITableViewCell: UIView {
    open func prepareForReuse() {}
}

@MainActor
public protocol UITableViewDataSource: AnyObject {
    func tableView(_ tableView: UITableView, cellForRowAt path: IndexPath) -> UITableViewCell
}

/// A table whose rows all have one height. A cell whose row is scrolled away stays where it is, hidden, until another row
/// takes it.
@MainActor
open class UITableView: UIScrollView {
    open weak var dataSource: (any UITableViewDataSource)?
    private var shown: [IndexPath: UITableViewCell] = [:]
    private var spare: [UITableViewCell] = []

    /// A cell that a row left, or `nil` where every cell has one.
    open func dequeueReusableCell() -> UITableViewCell? {
        let cell = spare.popLast()
        cell?.prepareForReuse()
        return cell
    }

    open override func layoutSubviews() {
        super.layoutSubviews()
        guard let dataSource else { return }
        let paths = visiblePaths(of: sections, length: rowHeight, from: contentOffset.y, over: bounds.height)
        for (path, cell) in shown where !paths.contains(path) {
            shown[path] = nil
            cell.isHidden = true
            spare.append(cell)
        }
        for path in paths where shown[path] == nil {
            let cell = dataSource.tableView(self, cellForRowAt: path)
            let row = sections.prefix(path[0]).reduce(path[1], +)
            cell.frame = CGRect(x: 0, y: CGFloat(row) * rowHeight, width: bounds.width, height: rowHeight)
            if cell.superview !== self { addSubview(cell) }
            cell.isHidden = false
            shown[path] = cell
        }
    }

    /// The rows of each section.
    public var sections = [0]
    public var rowHeight = CGFloat(50)
    /// How often somebody asked which rows are visible.
    public private(set) var lookUps = 0
    open var numberOfSections: Int { sections.count }
    open func numberOfRows(inSection section: Int) -> Int { sections[section] }
    open var indexPathsForVisibleRows: [IndexPath]? {
        lookUps += 1
        return visiblePaths(of: sections, length: rowHeight, from: contentOffset.y, over: bounds.height)
    }
}

/// A collection whose items all have one length, in a line to the side.
@MainActor
open class UICollectionView: UIScrollView {
    /// The items of each section.
    public var sections = [0]
    public var itemWidth = CGFloat(50)
    open var numberOfSections: Int { sections.count }
    open func numberOfItems(inSection section: Int) -> Int { sections[section] }
    open var indexPathsForVisibleItems: [IndexPath] {
        visiblePaths(of: sections, length: itemWidth, from: contentOffset.x, over: bounds.width)
    }
}

private func visiblePaths(of sections: [Int], length: CGFloat, from start: CGFloat, over viewport: CGFloat)
    -> [IndexPath]
{
    var place = CGFloat(0)
    var paths: [IndexPath] = []
    for (section, count) in sections.enumerated() {
        for item in 0..<count {
            if place < start + viewport, place + length > start {
                paths.append(IndexPath(item: item, section: section))
            }
            place += length
        }
    }
    return paths
}

@MainActor
public final class UITouch: NSObject {
    public let timestamp: TimeInterval

    public init(timestamp: TimeInterval) {
        self.timestamp = timestamp
    }
}

@MainActor
public final class UIEvent: NSObject {}

@MainActor
open class UIActivityViewController: UIViewController {
    public let activityItems: [Any]
    public let popoverPresentationController: UIPopoverPresentationController? = UIPopoverPresentationController()

    public init(activityItems: [Any], applicationActivities: [Any]?) {
        self.activityItems = activityItems
        super.init(nibName: nil, bundle: nil)
    }

    public required init?(coder: NSCoder) {
        nil
    }
}

@MainActor
public final class UIPopoverPresentationController {
    public weak var sourceView: UIView?
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
