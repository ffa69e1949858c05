#if canImport(UIKit)
import PagePerformance
import UIKit

/// What a page tells of itself, as published; a machine of a team's own conforms to it, and so does `PPSStateMachine`.
///
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
    /// View did disappear: the event is emitted.
    func handleDidDisappear()
    /// The page was rendered in a new state; `isInitialLoading` is `nil` where it is as before.
    func handleDidRender(isLoading: Bool, isInitialLoading: Bool?, isError: Bool)
    /// An image, or its placeholder, became visible or went out of sight.
    func handleImageLoad(imageView: UIImageView, url: URL?, status: LoadingStatus)
}

/// What a page tells of an image, under its published name.
public typealias LoadingStatus = ImageStatus

extension PPSStateMachine: PPSStateMachineProtocol {
    /// Makes a machine that emits to the app's session; without one it emits nothing.
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
#endif
