// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverUseImplicitlyUnwrappedOptionals
// Apple documents these; here they only stand in for it.

import UIKit

/// The part of SwiftUI that PagePerformanceUIKit uses. Only where there is no SwiftUI.
@MainActor
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

@resultBuilder
public enum ViewBuilder {
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
public struct BackedView<Front: View, Back: View>: View {
    public let front: Front
    public let back: Back
    public var body: Never { fatalError("a view without a body") }
}

extension View {
    public func background<Back: View>(_ back: Back) -> some View {
        BackedView(front: self, back: back)
    }
}

/// What a representable view is made and updated with.
public struct UIViewControllerRepresentableContext<Representable: UIViewControllerRepresentable> {
    public init() {}
}

@MainActor
public protocol UIViewControllerRepresentable: View where Body == Never {
    associatedtype UIViewControllerType: UIViewController
    typealias Context = UIViewControllerRepresentableContext<Self>
    func makeUIViewController(context: Context) -> UIViewControllerType
    func updateUIViewController(_ controller: UIViewControllerType, context: Context)
}

extension UIViewControllerRepresentable {
    public var body: Never { fatalError("a view without a body") }
}
