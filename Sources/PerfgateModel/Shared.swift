/// A value behind a reference, so that copying it counts one reference instead of each of its parts.
///
/// A change copies the value first if another copy shares it.
@propertyWrapper
package struct Shared<Value: Sendable>: Sendable {
    /// Only changed while this is the only reference.
    private final class Box: @unchecked Sendable {
        var value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box

    /// Puts a value behind a reference.
    package init(wrappedValue: Value) { box = Box(wrappedValue) }

    /// The value.
    package var wrappedValue: Value {
        _read { yield box.value }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
            yield &box.value
        }
    }
}

extension Shared: Equatable where Value: Equatable {
    /// Whether the values are equal.
    package static func == (lhs: Shared, rhs: Shared) -> Bool {
        lhs.box === rhs.box || lhs.box.value == rhs.box.value
    }
}

extension Shared: Hashable where Value: Hashable {
    /// Feeds the value.
    package func hash(into hasher: inout Hasher) { hasher.combine(box.value) }
}
