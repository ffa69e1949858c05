/// Which fields make an environment, in which order: the configuration's `environment`.
public struct EnvironmentKey: Sendable, Hashable {
    /// The names of the fields; `os_major` stands for the text of `os` before its first dot.
    public let names: [String]

    /// The key where the configuration says nothing.
    public static let standard = EnvironmentKey(["app", "device", "os_major", "max_fps", "build"])

    /// Makes a key of names.
    public init(_ names: [String]) {
        self.names = names
    }

    /// The environment of a context.
    public func environment(of context: Context) -> Environment {
        Environment(
            names.map { name in
                Environment.Field(name: Self.storedName(of: name), value: value(of: name, in: context))
            })
    }

    /// The environment of fields as a baseline stores them, by their stored names.
    public func environment(ofStored fields: [String: FieldValue]) -> Environment {
        Environment(
            names.map { name in
                let stored = Self.storedName(of: name)
                return Environment.Field(name: stored, value: fields[stored])
            })
    }

    /// The name under which a field is logged and stored.
    public static func storedName(of name: String) -> String {
        name == "os_major" ? "os" : name
    }

    private func value(of name: String, in context: Context) -> FieldValue? {
        guard let value = context[Self.storedName(of: name)] else { return nil }
        switch (name, value) {
        case ("os_major", .text(let text)):
            return .text(String(text.prefix { $0 != "." }))
        case ("device", .text(let text)) where context.isSimulator && !text.hasSuffix(Environment.simulatorSuffix):
            return .text(text + Environment.simulatorSuffix)
        default:
            return value
        }
    }
}
