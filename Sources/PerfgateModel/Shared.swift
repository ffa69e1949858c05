/// A value behind a reference, so that copying it counts one reference instead of each of its parts.
///
/// A change makes a new reference, so values that are read more often than they are changed belong here.
@propertyWrapper
package struct Shared<Value: Sendable>: Sendable {
    @usableFromInline
    final class Box: Sendable {
        @usableFromInline let value: Value

        @inlinable
        init(_ value: Value) { self.value = value }
    }

    @usableFromInline var box: Box

    /// Puts a value behind a reference.
    @inlinable
    package init(wrappedValue: Value) { box = Box(wrappedValue) }

    /// The value.
    @inlinable package var wrappedValue: Value {
        _read { yield box.value }
        set { box = Box(newValue) }
    }
}

extension Shared: Equatable where Value: Equatable {
    /// Whether the values are equal.
    @inlinable
    package static func == (lhs: Shared, rhs: Shared) -> Bool {
        lhs.box === rhs.box || lhs.box.value == rhs.box.value
    }
}

extension Shared: Hashable where Value: Hashable {
    /// Feeds the value.
    @inlinable
    package func hash(into hasher: inout Hasher) { hasher.combine(box.value) }
}
