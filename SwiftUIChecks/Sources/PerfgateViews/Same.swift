import SwiftUI

// What `@Equatable` writes calls these. The overloads decide by a property's type; the one that isn't available is the
// message of a build that breaks. Nothing else calls them.

/// Compares two views by a function that the main actor isolates, as it isolates the properties that it reads.
///
/// `==` is called wherever SwiftUI compares, and reads copies: that needs no actor. The function's type is a parameter of
/// its own, because Swift 5 and Swift 6 spell it differently.
public nonisolated func _sameView<V, F>(_ l: V, _ r: V, _ isSame: F) -> Bool {
    unsafeBitCast(isSame, to: ((V, V) -> Bool).self)(l, r)
}

/// Values that know how they compare.
public nonisolated func _same<V: Equatable>(_ l: V, _ r: V) -> Bool { l == r }

/// Tuples, part by part.
@_disfavoredOverload
public nonisolated func _same<each V: Equatable>(_ l: (repeat each V), _ r: (repeat each V)) -> Bool {
    for (l, r) in repeat (each l, each r) {
        guard l == r else { return false }
    }
    return true
}

/// A binding that is stored as it is, by its value.
public nonisolated func _same<V: Equatable>(_ l: Binding<V>, _ r: Binding<V>) -> Bool {
    l.wrappedValue == r.wrappedValue
}

/// Everything else.
@available(
    *, unavailable,
    message: "make its type Equatable, or mark it @SkipEquatable if it doesn't change what body shows"
)
public nonisolated func _same<V>(_ l: V, _ r: V) -> Bool { false }

// MARK: Wrapped properties, with the wrapper before the value

/// A wrapper that SwiftUI updates by itself.
@MainActor
public func _same<W: DynamicProperty, V>(
    _ l: W, _ r: W, _: @autoclosure @MainActor () -> V, _: @autoclosure @MainActor () -> V
) -> Bool { true }

/// An object that the parent supplies, by its identity.
@MainActor
public func _same<V>(
    _ l: ObservedObject<V>, _ r: ObservedObject<V>, _: @autoclosure @MainActor () -> V,
    _: @autoclosure @MainActor () -> V
) -> Bool { l.wrappedValue === r.wrappedValue }

/// An observable object that the parent supplies, by its identity.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor
public func _same<V>(
    _ l: Bindable<V>, _ r: Bindable<V>, _: @autoclosure @MainActor () -> V, _: @autoclosure @MainActor () -> V
) -> Bool where V: AnyObject { l.wrappedValue === r.wrappedValue }

/// Any other wrapper, by the wrapped value.
@_disfavoredOverload
@MainActor
public func _same<W, V: Equatable>(
    _: W, _: W, _ l: @autoclosure @MainActor () -> V, _ r: @autoclosure @MainActor () -> V
) -> Bool { l() == r() }

/// Any other wrapper of a value that can't be compared.
@available(
    *, unavailable,
    message: "make its type Equatable, or mark it @SkipEquatable if it doesn't change what body shows"
)
@MainActor
public func _same<W, V>(
    _: W, _: W, _ l: @autoclosure @MainActor () -> V, _ r: @autoclosure @MainActor () -> V
) -> Bool { false }
