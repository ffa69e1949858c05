// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Views that `@Equatable` must get right, compiled in each isolation mode and run by main.swift.

import PerfgateViews
import SwiftUI

struct Item: Equatable { var id = 1 }
final class Model: ObservableObject {}
final class Plain {}
final class Named: Equatable {
    let name: String
    init(_ name: String) { self.name = name }
    nonisolated static func == (l: Named, r: Named) -> Bool { l.name == r.name }
}
typealias Pair = (Int, String)
typealias Labelled = (x: Int, y: String, z: [Int])

@propertyWrapper
struct Custom: DynamicProperty {
    var wrappedValue: Plain
}

@propertyWrapper
struct Clamped: Equatable {
    var wrappedValue: Int
}

@propertyWrapper
struct Boxed {
    var wrappedValue: String
}

nonisolated(unsafe) var counter = 0
func random() -> Int {
    counter += 1
    return counter
}

@Equatable
struct Plainly: View {
    let title: String
    var body: some View { Text(title) }
}

@Equatable
struct Several: View {
    let a, b: Int
    var (c, d): (Int, String) = (1, "")
    var e = "e", f = 2
    init(a: Int = 0, b: Int = 0, c: Int = 1, d: String = "", e: String = "e", f: Int = 2) {
        self.a = a
        self.b = b
        (self.c, self.d) = (c, d)
        self.e = e
        self.f = f
    }
    var body: some View { Text(e) }
}

@Equatable
struct Observed: View {
    var x: Int { didSet { print(oldValue) } }
    var name: String = "" { willSet {} }
    private var hidden = 1
    init(x: Int, hidden: Int = 1) {
        self.x = x
        self.hidden = hidden
    }
    var computed: Plain { Plain() }
    var explicit: Plain {
        get { Plain() }
        set { _ = newValue }
    }
    lazy var later = Plain()
    static var shared: Int { 1 }
    let id = random()
    let object = Plain()
    var body: some View { Text("") }
}

@Equatable
struct Conditional: View {
    let a: String
    #if DEBUG
    let debug: Int
    #elseif RELEASE
    let release: Int
    #else
    let other: Int
    #endif
    #if NEVER
    let never: Missing
    #endif
    var body: some View { Text(a) }
}

@Equatable
struct Wrapped: View {
    @State private var state = Plain()
    @SwiftUI.State private var qualified = Plain()
    @StateObject private var owned = Model()
    @Environment(\.isEnabled) private var isEnabled
    @FocusState private var isFocused: Bool
    @Custom var custom: Plain
    @Binding var bound: Int
    @FocusState.Binding var focus: Bool
    @ObservedObject var observed: Model
    @Bindable var bindable: Plain
    @Clamped var clamped: Int
    @Boxed var boxed: String
    let stored: Binding<String>
    var body: some View { Text("") }

    init(
        custom: Plain = Plain(), bound: Int = 0, focus: Bool = false, observed: Model, bindable: Plain,
        clamped: Int = 0, boxed: String = "", stored: String = ""
    ) {
        _custom = Custom(wrappedValue: custom)
        _bound = .constant(bound)
        _focus = FocusState<Bool>.Binding(wrappedValue: focus)
        _observed = ObservedObject(wrappedValue: observed)
        _bindable = Bindable(wrappedValue: bindable)
        _clamped = Clamped(wrappedValue: clamped)
        _boxed = Boxed(wrappedValue: boxed)
        self.stored = .constant(stored)
    }
}

@Equatable
struct Skipping: View {
    let title: String
    @SkipEquatable let action: () -> Void
    @SkipEquatable var optional: (() -> Void)?
    @SkipEquatable let object: Plain
    var body: some View { Text(title) }
}

@Equatable
struct Generic<Value: Equatable, Content: View & Equatable>: View {
    let value: Value
    let content: Content
    var body: some View { content }
}

@Equatable
struct Tuples: View {
    let pair: (Int, String)
    let labelled: (x: Int, y: [String])
    let aliased: Pair
    let aliasedLabels: Labelled
    let maybe: Int?
    var body: some View { Text("") }
}

@Equatable
struct NotSendable: View {
    let named: Named
    let list: [Named]
    var `class`: String
    let l: Int, r: Int
    var body: some View { Text("") }
}

@Equatable
struct Declared: View, Equatable {
    let title: String
    var body: some View { Text(title) }
}

@Equatable
fileprivate struct InFile: View {
    let title: String
    var body: some View { Text(title) }
}

@Equatable
private struct Private: View {
    let title: String
    var body: some View { Text(title) }
}

func privateOnes() -> [Bool] {
    [
        InFile(title: "a") == InFile(title: "a"), InFile(title: "a") == InFile(title: "b"),
        Private(title: "a") == Private(title: "a"), Private(title: "a") == Private(title: "b"),
    ]
}

public enum Outer {
    @Equatable
    private struct Inner: View, Equatable {
        let title: String
        var body: some View { Text(title) }
    }

    @Equatable
    fileprivate struct Nested: View {
        let title: String
        var body: some View { Text(title) }
    }

    static func inner() -> [Bool] {
        [
            Inner(title: "a") == Inner(title: "a"), Inner(title: "a") == Inner(title: "b"),
            Nested(title: "a") == Nested(title: "a"), Nested(title: "a") == Nested(title: "b"),
        ]
    }
}

public extension Outer {
    @Equatable
    struct Extended: View {
        let title: String
        public var body: some View { Text(title) }
    }
}

@Equatable
public struct Public: View {
    let title: String
    public var body: some View { Text(title) }
}

@Equatable
package struct Packaged: View {
    let title: String
    package var body: some View { Text(title) }
}

@CountBodies
struct Counted: View {
    let title: String
    var body: some View {
        let greeting = "Hello " + title
        Text(greeting)
        if title.isEmpty { Text("empty") }
        if title == "a" { Text("a") } else { EmptyView() }
    }
}

@CountBodies
struct CountedGeneric<Content: View>: View {
    let content: Content
    var body: some View { content }
}
