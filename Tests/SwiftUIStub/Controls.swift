// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverUseImplicitlyUnwrappedOptionals
// Apple documents these; here they only stand in for it.

import UIKit

@MainActor
extension ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }

    public static func buildBlock<First: View, Second: View, each More: View>(
        _ first: First, _ second: Second, _ more: repeat each More
    ) -> Group {
        var views: [any View] = [first, second]
        repeat views.append(each more)
        return Group(views: views)
    }

    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }

    public static func buildEither<Content: View>(first: Content) -> Group { Group(views: [first]) }

    public static func buildEither<Content: View>(second: Content) -> Group { Group(views: [second]) }
}

/// Views beside each other, of any type; also the result of a builder here.
public struct Group: View, Parted {
    let views: [any View]
    public var body: Never { fatalError("a view without a body") }
    var parts: [any View] { views }
}

/// The result of an `if` without an `else`.
extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("a view without a body") }
}

extension Optional: Parted where Wrapped: View {
    var parts: [any View] { map { [$0] } ?? [] }
}

public struct AnyView: View, Parted {
    let view: any View
    public init<Content: View>(_ view: Content) { self.view = view }
    public var body: Never { fatalError("a view without a body") }
    var parts: [any View] { [view] }
}

public struct VStack<Content: View>: View, Parted {
    let content: Content
    public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) { self.content = content() }
    public var body: Never { fatalError("a view without a body") }
    var parts: [any View] { [content] }
}

public struct HStack<Content: View>: View, Parted {
    let content: Content
    public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) { self.content = content() }
    public var body: Never { fatalError("a view without a body") }
    var parts: [any View] { [content] }
}

public struct ScrollView<Content: View>: View, Parted {
    let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    public var body: Never { fatalError("a view without a body") }
    var parts: [any View] { [content] }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View, Parted {
    let parts: [any View]
    public init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {
        parts = data.map { content($0) }
    }
    public var body: Never { fatalError("a view without a body") }
}

/// A list that creates all its rows at once.
public struct List<SelectionValue, Content: View>: View, Parted {
    let parts: [any View]
    public init<Data: RandomAccessCollection, RowContent: View>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where SelectionValue == Never, Data.Element: Identifiable, Content == ForEach<Data, Data.Element.ID, RowContent> {
        parts = data.map { rowContent($0) }
    }
    public var body: Never { fatalError("a view without a body") }
}

public struct Text: View {
    let text: String
    public init<Content: StringProtocol>(_ content: Content) { text = String(content) }
    public var body: Never { fatalError("a view without a body") }
    public func font(_ font: Font?) -> Text { self }
    public func foregroundColor(_ color: Color?) -> Text { self }
}

public struct Font: Sendable {
    public static let body = Font()
    public static let headline = Font()
    public static let title = Font()
}

public struct Color: View, Sendable {
    public static let primary = Color()
    public static let gray = Color()
    public static let red = Color()
    public static let blue = Color()
    public static let clear = Color()
    public var body: Never { fatalError("a view without a body") }
}

public struct ProgressView: View {
    public init() {}
    public var body: Never { fatalError("a view without a body") }
}

public struct Button<Label: View>: View, Parted {
    let label: Label
    let action: () -> Void
    public init(action: @escaping () -> Void, @ViewBuilder label: () -> Label) {
        (self.action, self.label) = (action, label())
    }
    public var body: Never { fatalError("a view without a body") }
    var parts: [any View] { [label] }
}

public struct TextField<Label: View>: View {
    public init<Title: StringProtocol>(_ title: Title, text: Binding<String>) where Label == Text {}
    public var body: Never { fatalError("a view without a body") }
}

extension Image {
    public func resizable() -> Image { self }
}

/// A view with an action on appearance; here that is its first evaluation.
struct AppearingView: View, Parted {
    final class Once {
        var isDone = false
    }

    let content: any View
    let action: (() -> Void)?
    @State var once = Once()
    var body: Never { fatalError("a view without a body") }
    var parts: [any View] {
        if !once.isDone {
            once.isDone = true
            action?()
        }
        return [content]
    }
}

extension AppearingView: Stateful {
    var states: [any StateBox] { [_once.box] }
}

extension View {
    public func frame(width: CGFloat? = nil, height: CGFloat? = nil) -> some View { self }
    public func accessibilityIdentifier(_ name: String) -> some View { self }
    public func onSubmit(_ action: @escaping () -> Void) -> some View { self }
    public func onAppear(perform action: (() -> Void)? = nil) -> some View {
        AppearingView(content: self, action: action)
    }
}

@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
    let get: () -> Value
    let set: (Value) -> Void
    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }
    public subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Binding<Member> {
        Binding<Member>(get: { get()[keyPath: path] }, set: { wrappedValue[keyPath: path] = $0 })
    }
}

/// A stand-in for Combine: changes notify no view, so a test evaluates its views again.
public protocol ObservableObject: AnyObject {}

@propertyWrapper
public struct Published<Value> {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

@MainActor @propertyWrapper
public struct ObservedObject<ObjectType: ObservableObject> {
    @dynamicMemberLookup
    public struct Wrapper {
        let object: ObjectType
        public subscript<Value>(dynamicMember path: ReferenceWritableKeyPath<ObjectType, Value>) -> Binding<Value> {
            Binding(get: { object[keyPath: path] }, set: { object[keyPath: path] = $0 })
        }
    }

    public var wrappedValue: ObjectType
    public init(wrappedValue: ObjectType) { self.wrappedValue = wrappedValue }
    public var projectedValue: Wrapper { Wrapper(object: wrappedValue) }
}
