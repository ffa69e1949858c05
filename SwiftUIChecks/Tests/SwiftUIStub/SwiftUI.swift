// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents these; here they only stand in for it: the part that PerfgateViews and the views of its tests use. Only
// where there is no SwiftUI.

@MainActor
@preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("a view without a body") }
}

@MainActor
@preconcurrency
public protocol LeafView: View where Body == Never {}

extension LeafView {
    public var body: Never { fatalError("a view without a body") }
}

public struct EmptyView: LeafView {
    public nonisolated init() {}
}

public struct Text: LeafView, Equatable {
    let text: String
    public nonisolated init(_ text: String) { self.text = text }
}

public struct Color: LeafView, Equatable {
    public nonisolated init(red: Double, green: Double, blue: Double) {}
}

public struct AnyView: LeafView {
    public nonisolated init(_ view: some View) {}
}

public struct TupleView<Content>: LeafView {
    let content: Content
}

public struct _ConditionalContent<First: View, Second: View>: LeafView {
    let first: First?
    let second: Second?
}

public struct ModifiedContent<Content: View, Modifier>: LeafView {
    let content: Content
    let modifier: Modifier
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("a view without a body") }
}

extension View {
    public func background<Back: View>(_ back: Back) -> some View { ModifiedContent(content: self, modifier: back) }
}

@MainActor
@resultBuilder
public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { TupleView(content: (repeat each content)) }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> _ConditionalContent<First, Second> { _ConditionalContent(first: first, second: nil) }
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> _ConditionalContent<First, Second> { _ConditionalContent(first: nil, second: second) }
    public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView { AnyView(content) }
}
