/// The unit of comparison: a page, a metric and an environment.
package struct Cell: Sendable, Hashable, Comparable {
    package let page: Page, metric: String, environment: Environment
    /// The cached hash, because cells are looked up often.
    private let storedHash: Int

    package init(page: Page, metric: String, environment: Environment) {
        (self.page, self.metric, self.environment) = (page, metric, environment)
        var hasher = Hasher()
        hasher.combine(page)
        hasher.combine(metric)
        hasher.combine(environment)
        storedHash = hasher.finalize()
    }

    package var place: PageInEnvironment { PageInEnvironment(page: page, environment: environment) }

    package static func == (lhs: Cell, rhs: Cell) -> Bool {
        lhs.storedHash == rhs.storedHash && lhs.metric == rhs.metric && lhs.page == rhs.page
            && lhs.environment == rhs.environment
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(storedHash) }

    /// Sorts by page, metric, then environment, each by UTF-8 bytes.
    package static func < (lhs: Cell, rhs: Cell) -> Bool {
        if lhs.page != rhs.page { return lhs.page < rhs.page }
        if lhs.metric != rhs.metric { return lhs.metric.precedesInUTF8(rhs.metric) }
        return lhs.environment < rhs.environment
    }
}

/// A page of the app, or a component that is tested separately (`component/Button`). Pages are compared by the UTF-8
/// bytes of their names. `String` treats names that only look the same as equal (`é` composed and decomposed), which
/// would make the output depend on the reading order.
package struct Page: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The name from the log; any text that isn't empty or only white space.
    package let name: String
    /// The cached hash, because cells are looked up often.
    private let storedHash: Int

    package init(_ name: String) {
        self.name = name
        var hasher = Hasher()
        var bytes = name
        bytes.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        storedHash = hasher.finalize()
    }

    package var description: String { name }

    package static func == (lhs: Page, rhs: Page) -> Bool {
        lhs.storedHash == rhs.storedHash && lhs.name.hasSameUTF8(as: rhs.name)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(storedHash) }

    package static func < (lhs: Page, rhs: Page) -> Bool { lhs.name.precedesInUTF8(rhs.name) }
}

/// A page in an environment: a suite in reports, and a file in baselines.
package struct PageInEnvironment: Sendable, Hashable, Comparable {
    package let page: Page, environment: Environment

    package init(page: Page, environment: Environment) { (self.page, self.environment) = (page, environment) }

    package func cell(_ metric: String) -> Cell { Cell(page: page, metric: metric, environment: environment) }

    package static func < (lhs: PageInEnvironment, rhs: PageInEnvironment) -> Bool {
        lhs.page == rhs.page ? lhs.environment < rhs.environment : lhs.page < rhs.page
    }
}

/// The facts that are equal for comparable measurements: fields of their contexts, in the configured order.
package struct Environment: Sendable, Hashable, Comparable, CustomStringConvertible {
    package struct Field: Sendable, Hashable {
        /// The stored name: the key, except `os` for `os_major`.
        package let name: String
        package let value: FieldValue?

        package init(name: String, value: FieldValue?) { (self.name, self.value) = (name, value) }

        package var text: String { value?.description ?? "unknown" }
    }

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

/// The conditions of a measurement: fields of a `run` line and of the line itself, by their names in the log.
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
