#if canImport(UIKit)
import PagePerformance
import UIKit

/// An image view that tells its page how long its placeholder was seen.
///
///     imageView.awaitImage(from: url.absoluteString, placeholder: .gray)
///     imageView.image = loaded
///     imageView.endAwaiting()      // in prepareForReuse
///
/// It finds its page through the responder chain, whenever it enters a window or its image changes.
open class MeasuredImageView: UIImageView {
    private var awaitedURL: String?
    private var placeholder: UIImage?
    private weak var page: PPSStateMachine?

    /// Shows a placeholder in wait for an image. Every other image that is set from now on is taken for it.
    public func awaitImage(from url: String, placeholder: UIImage? = nil) {
        awaitedURL = url
        self.placeholder = placeholder
        image = placeholder
    }

    /// Goes out of sight, as in a cell that is about to be reused; a wait that goes on ends here as `hidden`.
    public func endAwaiting() {
        tell(.hidden)
        awaitedURL = nil
    }

    open override var image: UIImage? {
        didSet { tellOfImage() }
    }

    open override func didMoveToWindow() {
        super.didMoveToWindow()
        if window == nil {
            tell(.hidden)
        } else {
            page = performancePage
            tellOfImage()
        }
    }

    private func tellOfImage() {
        guard window != nil else { return }
        tell(image == nil || image === placeholder ? .placeholderVisible : .shown)
    }

    private func tell(_ status: ImageStatus) {
        guard let awaitedURL else { return }
        page?.handleImageLoad(slot: ImageSlot(self), url: awaitedURL, status: status)
    }
}
#endif
