/// The facts that are equal for comparable measurements: fields of their contexts, in the configured order.
package struct Environment: Sendable, Hashable, Comparable, CustomStringConvertible {
    package struct Field: Sendable, Hashable {
        /// The stored name: the key, except `os` for `os_major`.
        package let name: String
        package let value: FieldValue?

        package init(name: String, value: FieldValue?) { (self.name, self.value) = (name, value) }

        package var text: String { value?.description ?? "unknown" }
    }

    /// The fields in the configured order.
    package let fields: [Field]
    /// The cached hash: each cell has an environment, and lookups are frequent.
    private let storedHash: Int

    package init(_ fields: [Field]) {
        self.fields = fields
        storedHash = fields.hashValue
    }

    package static func == (lhs: Environment, rhs: Environment) -> Bool {
        lhs.storedHash == rhs.storedHash && lhs.fields == rhs.fields
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(storedHash) }

    /// The value of a field by stored name; `nil` if it is unknown or not part of the environment.
    package subscript(_ name: String) -> FieldValue? { fields.first { $0.name == name }?.value }

    /// The display's highest refresh rate in Hz, positive; `nil` if it is unknown or not part of the environment.
    package var maxFPS: Double? { self["max_fps"]?.positive }

    package static let simulatorSuffix = " (simulator)"

    package var isSimulator: Bool { self["device"]?.description.hasSuffix(Self.simulatorSuffix) ?? false }

    /// The order of the values' UTF-8 bytes, field by field.
    package static func < (lhs: Environment, rhs: Environment) -> Bool {
        for (left, right) in zip(lhs.fields, rhs.fields) where left != right {
            return left.text.precedesInUTF8(right.text)
        }
        return lhs.fields.count < rhs.fields.count
    }

    /// The values in the configured order, such as `com.example.app, iPhone12,1, iOS 17, 60 Hz, Release`.
    package var description: String { words(of: fields) }

    /// The values alone, for machines: names of series and tests don't change with the words.
    package var plainText: String { fields.map(\.text).joined(separator: ", ") }

    package var conditions: String { words(of: fields.filter { $0.name != "app" }) }

    private func words(of fields: [Field]) -> String {
        fields.map { field in
            if field.name == "max_fps", case .number = field.value { "\(field.text) Hz" } else { field.text }
        }.joined(separator: ", ")
    }
}

extension Collection {
    /// The environments of the elements; neighbours usually share theirs.
    package func distinctEnvironments(_ environment: (Element) -> Environment) -> Set<Environment> {
        var all: Set<Environment> = []
        var last: Environment?
        for element in self {
            let next = environment(element)
            if next != last { all.insert(next) }
            last = next
        }
        return all
    }
}

/// The fields that identify an environment, in order: the configuration's `environment`.
package struct EnvironmentKey: Sendable, Hashable {
    /// The names of the fields; `os_major` is the text of `os` before its first dot.
    package let names: [String]

    package static let standard = EnvironmentKey(["app", "device", "os_major", "max_fps", "build"])

    package init(_ names: [String]) { self.names = names }

    package func environment(of context: Context) -> Environment { environment { value(of: $0, in: context) } }

    package func environment(ofStored fields: [String: FieldValue]) -> Environment {
        environment { fields[Self.storedName(of: $0)] }
    }

    private func environment(_ value: (_ name: String) -> FieldValue?) -> Environment {
        Environment(names.map { Environment.Field(name: Self.storedName(of: $0), value: value($0)) })
    }

    package static func storedName(of name: String) -> String { name == "os_major" ? "os" : name }

    private func value(of name: String, in context: Context) -> FieldValue? {
        guard let value = context[Self.storedName(of: name)] else { return nil }
        switch (name, value) {
        case ("os_major", .text(let text)): return .text(String(text.prefix { $0 != "." }))
        case ("device", .text(let text)) where context.isSimulator && !text.hasSuffix(Environment.simulatorSuffix):
            return .text(text + Environment.simulatorSuffix)
        default: return value
        }
    }
}

/// The conditions of a measurement: the fields of a `run` line, and fields of the line itself, by their names in the
/// log (`app`, `device`, `os`, `max_fps`, `simulator`, …).
package struct Context: Sendable, Hashable {
    /// The known fields by name; an unknown field is absent.
    package private(set) var fields: [String: FieldValue]

    package init(_ fields: [String: FieldValue] = [:]) { self.fields = fields }

    package subscript(_ name: String) -> FieldValue? {
        get { fields[name] }
        set { fields[name] = newValue }
    }

    package func text(_ name: String) -> String? { fields[name]?.description }

    /// Whether the device is a simulator; `false` if unknown.
    package var isSimulator: Bool { fields["simulator"] == .flag(true) }

    /// Whether a profiler slowed the app: such a run is shown, and neither gates nor is stored.
    package var isProfiled: Bool { fields["profiled"] == .flag(true) }

    /// The display's highest refresh rate in Hz, positive; `nil` if unknown.
    package var maxFPS: Double? { fields["max_fps"]?.positive }

    /// The numeric fields, and below the Boolean fields; all others are texts.
    package static let numbers: Set = ["max_fps"]
    package static let flags: Set = ["simulator", "low_power_mode", "profiled"]

    /// The beginning of the names of an app's own dimensions, such as `tags.market`.
    package static let tagPrefix = "tags."

    /// The fields of a run line that describe the conditions, in documentation order.
    package static let names = [
        "app", "app_version", "build", "commit", "device", "device_id", "simulator", "os", "max_fps",
        "low_power_mode", "thermal_state", "network", "started_at", "pair", "profiled",
    ]
}

/// A value in a run's header, such as the device, the refresh rate, or whether it is a simulator.
package enum FieldValue: Sendable, Hashable, CustomStringConvertible {
    case text(String)
    /// A number; finite.
    case number(Double)
    case flag(Bool)

    /// The value as text; numbers without a redundant fraction.
    package var description: String {
        switch self {
        case .text(let text): text
        case .number(let number): Int(exactly: number).map(String.init) ?? String(number)
        case .flag(let flag): flag ? "true" : "false"
        }
    }

    /// A number above 0; `nil` for anything else.
    fileprivate var positive: Double? { if case .number(let number) = self, number > 0 { number } else { nil } }

    /// Whether kind and value are equal; texts by their UTF-8 bytes.
    package static func == (lhs: FieldValue, rhs: FieldValue) -> Bool {
        switch (lhs, rhs) {
        case (.text(let lhs), .text(let rhs)): lhs.hasSameUTF8(as: rhs)
        case (.number(let lhs), .number(let rhs)): lhs == rhs
        case (.flag(let lhs), .flag(let rhs)): lhs == rhs
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .text(var text): text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .number(let number): hasher.combine(number)
        case .flag(let flag): hasher.combine(flag)
        }
    }
}
