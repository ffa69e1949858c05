// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverUseImplicitlyUnwrappedOptionals
// Apple documents these; here they only stand in for it.

import UIKit

/// The part of SwiftUI that PagePerformanceUIKit uses; only for systems without SwiftUI.
@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

@resultBuilder
public struct ViewBuilder {
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
}

extension Never: View {
    public var body: Never { fatalError("a view without a body") }
}

public struct EmptyView: View {
    public init() {}
    public var body: Never { fatalError("a view without a body") }
}

/// A view with another one behind it.
struct BackedView<Front: View, Back: View>: View, Parted {
    let front: Front
    let back: Back
    var body: Never { fatalError("a view without a body") }
    var parts: [any View] { [front, back] }
}

extension View {
    public func background<Back: View>(_ back: Back) -> some View {
        BackedView(front: self, back: back)
    }

    public func modifier<Modifier: ViewModifier>(_ modifier: Modifier) -> some View {
        ModifiedView(content: self, modifier: modifier)
    }
}

@MainActor @preconcurrency
public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = _ViewModifier_Content<Self>
    @ViewBuilder @MainActor @preconcurrency func body(content: Content) -> Body
}

/// The content of a modifier.
public struct _ViewModifier_Content<Modifier: ViewModifier>: View, Parted {
    let view: any View
    public var body: Never { fatalError("a view without a body") }
    var parts: [any View] { [view] }
}

struct ModifiedView<Inner: View, Modifier: ViewModifier>: View, Stateful {
    let content: Inner
    let modifier: Modifier
    var body: some View { modifier.body(content: Modifier.Content(view: content)) }
    var states: [any StateBox] { Mirror(reflecting: modifier).children.compactMap { ($0.value as? any Boxed)?.box } }
}

@propertyWrapper
public struct State<Value>: Boxed {
    final class Box: StateBox {
        var value: Any
        init(_ value: Any) { self.value = value }
    }

    let storage: Box
    var box: any StateBox { storage }

    public init(wrappedValue: Value) {
        storage = Box(wrappedValue)
    }

    public var wrappedValue: Value {
        get { storage.value as? Value ?? { fatalError("a state of another type") }() }
        nonmutating set { storage.value = newValue }
    }
}

protocol Boxed {
    var box: any StateBox { get }
}

protocol StateBox: AnyObject {
    var value: Any { get set }
}

@MainActor
protocol Stateful {
    var states: [any StateBox] { get }
}

@MainActor
protocol Parted {
    var parts: [any View] { get }
}

public struct Image: View {
    @_spi(Stub) public init() {}
    public var body: Never { fatalError("a view without a body") }
}

public enum AsyncImagePhase {
    case empty
    case success(Image)
    case failure(any Error)

    public var image: Image? {
        if case .success(let image) = self { image } else { nil }
    }
}

/// An image with a phase that a test sets.
public struct AsyncImage<Content: View>: View {
    let content: (AsyncImagePhase) -> Content

    public init(url: URL?, scale: CGFloat = 1, @ViewBuilder content: @escaping (AsyncImagePhase) -> Content) {
        self.content = content
    }

    public var body: some View { content(AsyncImageStub.phase) }
}

@MainActor
@_spi(Stub) public enum AsyncImageStub {
    public static var phase = AsyncImagePhase.empty
}

/// The context for creating and updating a representable view.
@MainActor
public struct UIViewControllerRepresentableContext<Representable: UIViewControllerRepresentable> {
    @_spi(Stub) public init() {}
}

@MainActor
public struct UIViewRepresentableContext<Representable: UIViewRepresentable> {
    @_spi(Stub) public init() {}
}

@MainActor @preconcurrency
public protocol UIViewControllerRepresentable: View where Body == Never {
    associatedtype UIViewControllerType: UIViewController
    typealias Context = UIViewControllerRepresentableContext<Self>
    @MainActor @preconcurrency func makeUIViewController(context: Context) -> UIViewControllerType
    @MainActor @preconcurrency func updateUIViewController(_ controller: UIViewControllerType, context: Context)
}

extension UIViewControllerRepresentable {
    public var body: Never { fatalError("a view without a body") }
}

@MainActor @preconcurrency
public protocol UIViewRepresentable: View where Body == Never {
    associatedtype UIViewType: UIView
    typealias Context = UIViewRepresentableContext<Self>
    @MainActor @preconcurrency func makeUIView(context: Context) -> UIViewType
    @MainActor @preconcurrency func updateUIView(_ view: UIViewType, context: Context)
}

extension UIViewRepresentable {
    public var body: Never { fatalError("a view without a body") }
}
