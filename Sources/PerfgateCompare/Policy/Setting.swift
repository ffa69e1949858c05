/// A value of the policy together with where it came from, so that every report can say why it holds.
public struct Setting<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The value in force.
    public let value: Value
    /// Where it came from.
    public let origin: Origin

    /// Makes a setting of its parts.
    public init(_ value: Value, from origin: Origin) {
        self.value = value
        self.origin = origin
    }
}

/// Where a setting came from.
public enum Origin: Sendable, Hashable {
    /// perfgate's own default.
    case builtIn
    /// A line of the configuration.
    case configuration(path: String, line: Int)
    /// A flag of the command line, with its dashes.
    case commandLine(String)
    /// The file that the measurement came from, such as a tolerance that another tool stored.
    case input(path: String)
}

extension Origin: CustomStringConvertible {
    /// The origin as a person looks it up: `perfgate.yml:12`.
    public var description: String {
        switch self {
        case .builtIn: "built-in default"
        case .configuration(let path, let line): "\(path):\(line)"
        case .commandLine(let flag): flag
        case .input(let path): path
        }
    }
}
