// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Property wrappers, isolated as Apple's are.

public protocol DynamicProperty {}

public protocol ObservableObject: AnyObject {}

@propertyWrapper
public struct State<Value>: DynamicProperty {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public var projectedValue: Binding<Value> {
        let value = wrappedValue
        return Binding(get: { value }, set: { _ in })
    }
}

extension State: Sendable where Value: Sendable {}

@propertyWrapper
public struct Binding<Value>: DynamicProperty {
    let get: () -> Value
    let set: (Value) -> Void
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        self.get = get
        self.set = set
    }
    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }
    public var projectedValue: Binding<Value> { self }
    public static func constant(_ value: Value) -> Binding<Value> { Binding(get: { value }, set: { _ in }) }
}

extension Binding: @unchecked Sendable where Value: Sendable {}

@MainActor
@preconcurrency
@propertyWrapper
public struct ObservedObject<Object: ObservableObject>: DynamicProperty {
    public var wrappedValue: Object
    public init(wrappedValue: Object) { self.wrappedValue = wrappedValue }
}

@MainActor
@preconcurrency
@propertyWrapper
public struct StateObject<Object: ObservableObject>: DynamicProperty {
    let make: () -> Object
    public init(wrappedValue: @autoclosure @escaping () -> Object) { make = wrappedValue }
    public var wrappedValue: Object { make() }
}

@dynamicMemberLookup
@propertyWrapper
public struct Bindable<Value> {
    private var value: Value
    public var wrappedValue: Value {
        get { value }
        set { value = newValue }
    }
    public init(wrappedValue: Value) where Value: AnyObject { value = wrappedValue }
    public subscript<Part>(dynamicMember path: KeyPath<Value, Part>) -> Part { value[keyPath: path] }
}

public struct EnvironmentValues: Sendable {
    public var isEnabled: Bool { true }
}

@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    let path: KeyPath<EnvironmentValues, Value>
    public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }
    public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
}

@propertyWrapper
public struct FocusState<Value: Hashable>: DynamicProperty {
    public var wrappedValue: Value
    public init() where Value == Bool { wrappedValue = false }
    public var projectedValue: Binding { Binding(wrappedValue: wrappedValue) }

    @propertyWrapper
    public struct Binding: DynamicProperty {
        public var wrappedValue: Value
        public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
        public var projectedValue: Binding { self }
    }
}
