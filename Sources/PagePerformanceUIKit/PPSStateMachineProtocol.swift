#if canImport(UIKit)
import PagePerformance
import UIKit

/// The published interface of a page's state machine; a team's own machine, like `PPSStateMachine`, conforms to it.
/// Source: N. Miller, *Airbnb's Page Performance Score on iOS*.
@MainActor
public protocol PPSStateMachineProtocol: AnyObject {
    /// Makes a machine for a page; a `PPSStateMachine` emits to `PerformanceSession.current`.
    init()
    /// View did load.
    func handleDidLoad()
    /// View will appear.
    func handleWillAppear()
    /// The view laid out its subviews.
    func handleDidLayoutSubviews()
    /// View did appear.
    func handleDidAppear()
    /// View did disappear: the machine emits the event.
    func handleDidDisappear()
    /// The page was rendered in a new state; `isInitialLoading` is `nil` if it is as before.
    func handleDidRender(isLoading: Bool, isInitialLoading: Bool?, isError: Bool)
    /// An image, or its placeholder, became visible or went out of sight.
    func handleImageLoad(imageView: UIImageView, url: URL?, status: LoadingStatus)
}

/// The status of an image on a page, under its published name.
public typealias LoadingStatus = ImageStatus

extension PPSStateMachine: PPSStateMachineProtocol {
    /// Makes a machine that emits to the app's session; without a session it emits nothing.
    @MainActor
    public convenience init() {
        if let recorder = PerformanceSession.current?.recorder {
            self.init(named: nil, of: recorder)
        } else {
            self.init { _ in }
        }
    }

    /// An image, or its placeholder, became visible in an image view or went out of sight.
    @MainActor
    public func handleImageLoad(imageView: UIImageView, url: URL?, status: LoadingStatus) {
        handleImageLoad(slot: ImageSlot(imageView), url: url?.absoluteString, status: status)
    }
}

extension PPSStateMachineProtocol {
    /// View did disappear; if it hadn't appeared, because a transition was cancelled, a visible page that shares the
    /// machine continues.
    func handleDidDisappear(hasAppeared: Bool) {
        guard hasAppeared || (self as? PPSStateMachine)?.pageState != .visible else { return }
        handleDidDisappear()
    }
}
#endif
