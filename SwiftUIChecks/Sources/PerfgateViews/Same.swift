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

/// A tuple whose type has a name of its own, labels or not: as many parts as the standard library compares. A pack would
/// match no labels.
@_disfavoredOverload
public nonisolated func _same<A: Equatable, B: Equatable>(_ l: (A, B), _ r: (A, B)) -> Bool { l == r }

/// A tuple of 3 parts.
@_disfavoredOverload
public nonisolated func _same<A: Equatable, B: Equatable, C: Equatable>(_ l: (A, B, C), _ r: (A, B, C)) -> Bool {
    l == r
}

/// A tuple of 4 parts.
@_disfavoredOverload
public nonisolated func _same<A: Equatable, B: Equatable, C: Equatable, D: Equatable>(
    _ l: (A, B, C, D), _ r: (A, B, C, D)
) -> Bool { l == r }

/// A tuple of 5 parts.
@_disfavoredOverload
public nonisolated func _same<A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable>(
    _ l: (A, B, C, D, E), _ r: (A, B, C, D, E)
) -> Bool { l == r }

/// A tuple of 6 parts.
@_disfavoredOverload
public nonisolated func _same<A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable>(
    _ l: (A, B, C, D, E, F), _ r: (A, B, C, D, E, F)
) -> Bool { l == r }

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
