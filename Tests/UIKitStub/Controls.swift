// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverUseImplicitlyUnwrappedOptionals
// Apple documents these; here they only stand in for it.

open class UIColor: NSObject, @unchecked Sendable {
    public class var white: UIColor { UIColor() }
    public class var black: UIColor { UIColor() }
    public override init() {}
    public init(hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat) {}
    public func withAlphaComponent(_ alpha: CGFloat) -> UIColor { self }
    public func setFill() {}
}

open class UIFont: NSObject, @unchecked Sendable {
    public struct Weight: Sendable {
        public static let medium = Weight()
    }

    open class func monospacedDigitSystemFont(ofSize size: CGFloat, weight: Weight) -> UIFont { UIFont() }
}

open class UIImage: NSObject, @unchecked Sendable {
    public override init() {}

    /// An image of an existing file with any content.
    public init?(contentsOfFile path: String) {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
    }

    public func pngData() -> Data? { Data([0x89, 0x50, 0x4E, 0x47]) }
}

@MainActor
public final class UIGraphicsImageRenderer {
    public init(size: CGSize) {}

    public func image(actions: (UIGraphicsImageRendererContext) -> Void) -> UIImage {
        actions(UIGraphicsImageRendererContext())
        return UIImage()
    }
}

@MainActor
open class UIGraphicsRendererContext: NSObject {
    open func fill(_ rect: CGRect) {}
}

@MainActor
open class UIGraphicsImageRendererContext: UIGraphicsRendererContext {}

@MainActor
open class UILabel: UIView {
    open var text: String?
    open var numberOfLines = 1
    open var font: UIFont!
    open var textColor: UIColor!
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
    open var contentInset = UIEdgeInsets()
    open var adjustedContentInset: UIEdgeInsets { contentInset }
    open var isDragging: Bool { moves }
    open var isDecelerating: Bool { false }
    /// Whether a finger moves it.
    @_spi(Stub) public var moves = false
}

@MainActor
public protocol UIScrollViewDelegate: AnyObject {
    func scrollViewDidScroll(_ scrollView: UIScrollView)
}

extension UIScrollViewDelegate {
    public func scrollViewDidScroll(_ scrollView: UIScrollView) {}
}

@MainActor
public protocol UITableViewDataSource: AnyObject {
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
}

@MainActor
public protocol UITableViewDelegate: UIScrollViewDelegate {
    func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath)
    func tableView(_ tableView: UITableView, didEndDisplaying cell: UITableViewCell, forRowAt indexPath: IndexPath)
    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath)
}

extension UITableViewDelegate {
    public func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath) {}
    public func tableView(
        _ tableView: UITableView, didEndDisplaying cell: UITableViewCell, forRowAt indexPath: IndexPath
    ) {}
    public func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
}

@MainActor
open class UITableViewCell: UIView {
    public enum CellStyle: Sendable {
        case `default`
    }

    public let contentView = UIView(frame: .zero)

    public required init(style: CellStyle, reuseIdentifier: String?) {
        super.init(frame: .zero)
        addSubview(contentView)
    }

    public required init?(coder: NSCoder) {
        nil
    }

    open func prepareForReuse() {}
}

/// A table with rows of equal height. With a data source it shows cells for the visible rows. A cell stays in place and
/// hidden when its row is scrolled away, until another row reuses it.
@MainActor
open class UITableView: UIScrollView {
    public enum Style: Sendable {
        case plain
    }

    public weak var dataSource: (any UITableViewDataSource)?
    public weak var delegate: (any UITableViewDelegate)?
    private var kinds: [String: UITableViewCell.Type] = [:]
    private var names: [ObjectIdentifier: String] = [:]
    private var shown: [IndexPath: UITableViewCell] = [:]
    private var spare: [String: [UITableViewCell]] = [:]

    public convenience init(frame: CGRect, style: Style) {
        self.init(frame: frame)
    }

    public func register(_ kind: AnyClass?, forCellReuseIdentifier name: String) {
        kinds[name] = kind as? UITableViewCell.Type
    }

    /// A reused cell, otherwise a new one.
    public func dequeueReusableCell(withIdentifier name: String, for indexPath: IndexPath) -> UITableViewCell {
        if let cell = spare[name]?.popLast() {
            cell.prepareForReuse()
            return cell
        }
        let cell = (kinds[name] ?? UITableViewCell.self).init(style: .default, reuseIdentifier: name)
        names[ObjectIdentifier(cell)] = name
        return cell
    }

    public func deselectRow(at indexPath: IndexPath, animated: Bool) {}

    public func reloadData() {
        guard let dataSource else { return }
        for path in shown.keys { hide(path) }
        sections = [dataSource.tableView(self, numberOfRowsInSection: 0)]
        contentSize.height = CGFloat(sections[0]) * rowHeight
        showRows()
    }

    open override var contentOffset: CGPoint {
        get { super.contentOffset }
        set {
            super.contentOffset = newValue
            showRows()
            delegate?.scrollViewDidScroll(self)
        }
    }

    open override func layoutSubviews() {
        super.layoutSubviews()
        showRows()
    }

    private func showRows() {
        guard let dataSource else { return }
        let paths = visiblePaths(of: sections, length: rowHeight, from: contentOffset.y, over: bounds.height)
        for path in shown.keys where !paths.contains(path) { hide(path) }
        for path in paths where shown[path] == nil {
            let cell = dataSource.tableView(self, cellForRowAt: path)
            let row = sections.prefix(path[0]).reduce(path[1], +)
            cell.frame = CGRect(x: 0, y: CGFloat(row) * rowHeight, width: bounds.width, height: rowHeight)
            shown[path] = cell
            if cell.superview !== self { addSubview(cell) }
            cell.isHidden = false
            delegate?.tableView(self, willDisplay: cell, forRowAt: path)
        }
    }

    private func hide(_ path: IndexPath) {
        guard let cell = shown.removeValue(forKey: path) else { return }
        cell.isHidden = true
        spare[names[ObjectIdentifier(cell)] ?? "", default: []].append(cell)
        delegate?.tableView(self, didEndDisplaying: cell, forRowAt: path)
    }

    /// The rows of each section.
    @_spi(Stub) public var sections = [0]
    public var rowHeight = CGFloat(50)
    /// The number of queries for the visible rows.
    @_spi(Stub) public private(set) var lookUps = 0
    open var numberOfSections: Int { sections.count }
    open func numberOfRows(inSection section: Int) -> Int { sections[section] }
    open var indexPathsForVisibleRows: [IndexPath]? {
        lookUps += 1
        return visiblePaths(of: sections, length: rowHeight, from: contentOffset.y, over: bounds.height)
    }
}

/// A collection with items of equal length, in a horizontal line.
@MainActor
open class UICollectionView: UIScrollView {
    /// The items of each section.
    @_spi(Stub) public var sections = [0]
    @_spi(Stub) public var itemWidth = CGFloat(50)
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

    @_spi(Stub) public init(timestamp: TimeInterval) {
        self.timestamp = timestamp
    }
}

@MainActor
public final class UIEvent: NSObject {}

@MainActor
open class UIActivity: NSObject {}

@MainActor
open class UIActivityViewController: UIViewController {
    @_spi(Stub) public let activityItems: [Any]

    public init(activityItems: [Any], applicationActivities: [UIActivity]?) {
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

    public var row: Int {
        get { self[1] }
        set { self[1] = newValue }
    }
}

@MainActor
public final class UILayoutGuide {
    public let topAnchor = NSLayoutYAxisAnchor()
    public let leadingAnchor = NSLayoutXAxisAnchor()
}

@MainActor
open class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
    open func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>) -> NSLayoutConstraint { NSLayoutConstraint() }
}

@MainActor
public final class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {}

@MainActor
public final class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {}

@MainActor
public final class NSLayoutConstraint {
    public static func activate(_ constraints: [NSLayoutConstraint]) {}
}
