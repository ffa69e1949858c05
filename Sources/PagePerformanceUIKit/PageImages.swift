#if canImport(UIKit)
import PagePerformance
import UIKit

/// A view that reports to its page when it comes into sight and when it leaves it.
@MainActor
protocol SightedView: UIView {
    /// Whether it needs to observe changes of its visibility.
    var followsSight: Bool { get }
    /// Checks its visibility, and reports changes.
    func updateSight()
}

extension UIView {
    /// Whether a user can see it: in a window, not hidden, not transparent, and within its ancestors' visible parts.
    var isInSight: Bool {
        guard let window else { return false }
        var view: UIView? = self
        while let next = view {
            if next.isHidden || next.alpha < 0.01 { return false }
            if next is UIScrollView || next === window {
                // A marker may be as thin as a point.
                let place = convert(bounds, to: next).insetBy(dx: -0.5, dy: -0.5)
                if !next.bounds.intersects(place) { return false }
            }
            view = next.superview
        }
        return true
    }
}

/// An image view that reports to its page how long its placeholder was visible.
///
///     imageView.placeholder = gray
///     imageView.image = nil            // or gray: an image is awaited
///     imageView.image = loaded         // it is there
///
/// While `image` is `nil` or the placeholder, an image is awaited; any other image is the awaited one. Setting `nil` or
/// the placeholder again, as a reused cell does, awaits another image. A wait ends when the view is no longer visible:
/// hidden, transparent, scrolled away, or out of its window. It finds its page through the responder chain.
open class MeasuredImageView: UIImageView, SightedView {
    /// The placeholder while an image is awaited; `nil`: none.
    public var placeholder: UIImage?

    private var awaitedURL: String?
    private weak var machine: (any PPSStateMachineProtocol)?
    private var told = ImageStatus.hidden
    /// Whether reports stop until another image is awaited.
    private var isSilent = false

    /// Shows a placeholder while an image is awaited. Its URL is logged if the wait was long.
    public func awaitImage(from url: String, placeholder: UIImage? = nil) {
        tell(.hidden)
        isSilent = false
        awaitedURL = url
        self.placeholder = placeholder
        image = placeholder
    }

    /// Goes out of sight, as in a cell that is about to be reused; a wait in progress ends here as `hidden`.
    public func endAwaiting() {
        tell(.hidden)
        awaitedURL = nil
        isSilent = true
    }

    open override var image: UIImage? {
        didSet {
            // A placeholder in place of a placeholder is the wait for another image.
            if isAwaiting {
                isSilent = false
                if told == .placeholderVisible, image === oldValue, awaitedURL == nil { tell(.hidden) }
            }
            updateSight()
        }
    }

    open override var isHidden: Bool { didSet { updateSight() } }

    open override var alpha: CGFloat { didSet { updateSight() } }

    open override func didMoveToWindow() {
        super.didMoveToWindow()
        if window != nil { machine = performanceMachine }
        updateSight()
    }

    open override func layoutSubviews() {
        super.layoutSubviews()
        updateSight()
    }

    private var isAwaiting: Bool { image == nil || image === placeholder }

    /// A loaded image can leave sight and come back without a report: only waits are timed.
    var followsSight: Bool { window != nil && isAwaiting }

    func updateSight() {
        if followsSight { PerformanceSession.current?.follow(self) }
        tell(!isInSight ? .hidden : isAwaiting ? .placeholderVisible : .shown)
    }

    private func tell(_ status: ImageStatus) {
        guard status != told, !isSilent else { return }
        told = status
        let page = machine ?? performanceMachine
        if let page = page as? PPSStateMachine {
            page.handleImageLoad(slot: ImageSlot(self), url: awaitedURL, status: status)
        } else {
            page?.handleImageLoad(imageView: self, url: awaitedURL.flatMap { URL(string: $0) }, status: status)
        }
    }
}

/// An invisible view behind a part of a page, which reports to the page whether that part is visible.
@MainActor
final class PageMarker: UIView, SightedView {
    enum Part: Hashable {
        case loader(isShown: Bool)
        /// The end of a list.
        case bottom
        /// The place of an image, which is loaded or awaited.
        case image(url: String?, isLoaded: Bool)
    }

    /// The part in front of it; another image in its place ends the wait for the previous image.
    var part: Part {
        didSet {
            guard part != oldValue else { return }
            if case (.image(let url, _), .image(let former, _)) = (part, oldValue), url != former {
                tell(false, of: oldValue)
            }
            updateSight()
        }
    }

    private weak var page: PPSStateMachine?
    private var told: Bool?
    private var toldStatus = ImageStatus.hidden

    init(_ part: Part) {
        self.part = part
        super.init(frame: .zero)
        isUserInteractionEnabled = false
        isAccessibilityElement = false
        backgroundColor = nil
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) { nil }

    override func didMoveToWindow() {
        super.didMoveToWindow()
        if window != nil { page = performancePage }
        updateSight()
    }

    override func layoutSubviews() {
        super.layoutSubviews()
        updateSight()
    }

    /// An image that is loaded, and a loader that isn't shown, can leave sight and come back without a report.
    var followsSight: Bool {
        guard window != nil else { return false }
        return switch part {
        case .loader(let isShown): isShown
        case .bottom: true
        case .image(_, let isLoaded): !isLoaded
        }
    }

    func updateSight() {
        if followsSight { PerformanceSession.current?.follow(self) }
        tell(isInSight, of: part)
    }

    private func tell(_ isSeen: Bool, of part: Part) {
        switch part {
        case .loader(let isShown):
            guard told != (isSeen && isShown) else { return }
            told = isSeen && isShown
            page?.handleLoaderVisibility(isVisible: isSeen && isShown)
        case .bottom:
            guard told != isSeen else { return }
            told = isSeen
            page?.handleListBottomVisibility(isVisible: isSeen)
        case .image(let url, let isLoaded):
            let status: ImageStatus = !isSeen ? .hidden : isLoaded ? .shown : .placeholderVisible
            guard status != toldStatus else { return }
            toldStatus = status
            page?.handleImageLoad(slot: ImageSlot(self), url: url, status: status)
        }
    }
}
#endif
