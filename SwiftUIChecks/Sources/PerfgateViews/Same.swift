import SwiftUI

// The expansion of `@Equatable` calls these functions. The overloads select by a property's type. The unavailable
// overload provides the compile error. Nothing else calls them.

/// Compares two views with a function that is isolated to the main actor, like the properties that it reads.
///
/// SwiftUI can call `==` on any thread. It reads copies, which needs no actor. The function's type is a separate
/// parameter, because Swift 5 and Swift 6 spell it differently.
public nonisolated func _sameView<V, F>(_ l: V, _ r: V, _ isSame: F) -> Bool {
    unsafeBitCast(isSame, to: ((V, V) -> Bool).self)(l, r)
}

/// Values of `Equatable` types.
public nonisolated func _same<V: Equatable>(_ l: V, _ r: V) -> Bool { l == r }

/// A tuple whose type has a name, with or without labels, up to the standard library's number of parts. A pack
/// would not match labels.
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

/// A binding that is stored directly, by its value.
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

/// A wrapper that SwiftUI updates itself.
@MainActor
public func _same<W: DynamicProperty, V>(
    _ l: W, _ r: W, _: @autoclosure @MainActor () -> V, _: @autoclosure @MainActor () -> V
) -> Bool { true }

/// An object from the parent, by its identity.
@MainActor
public func _same<V>(
    _ l: ObservedObject<V>, _ r: ObservedObject<V>, _: @autoclosure @MainActor () -> V,
    _: @autoclosure @MainActor () -> V
) -> Bool { l.wrappedValue === r.wrappedValue }

/// An observable object from the parent, by its identity.
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

/// Any other wrapper, with a value that can't be compared.
@available(
    *, unavailable,
    message: "make its type Equatable, or mark it @SkipEquatable if it doesn't change what body shows"
)
@MainActor
public func _same<W, V>(
    _: W, _: W, _ l: @autoclosure @MainActor () -> V, _ r: @autoclosure @MainActor () -> V
) -> Bool { false }
