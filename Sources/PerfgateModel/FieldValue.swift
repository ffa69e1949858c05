/// A value of a run's header, such as the device, the refresh rate or whether it is a simulator.
public enum FieldValue: Sendable {
    /// A text.
    case text(String)
    /// A number; finite.
    case number(Double)
    /// Yes or no.
    case flag(Bool)
}

extension FieldValue: CustomStringConvertible {
    /// The value as a person writes it: numbers without a needless fraction.
    public var description: String {
        switch self {
        case .text(let text): text
        case .number(let number): Int(exactly: number).map(String.init) ?? String(number)
        case .flag(let flag): flag ? "true" : "false"
        }
    }
}

extension FieldValue: Hashable {
    /// Whether kind and value are the same; texts by their UTF-8 bytes.
    public static func == (lhs: FieldValue, rhs: FieldValue) -> Bool {
        switch (lhs, rhs) {
        case (.text(let lhs), .text(let rhs)): lhs.utf8.elementsEqual(rhs.utf8)
        case (.number(let lhs), .number(let rhs)): lhs == rhs
        case (.flag(let lhs), .flag(let rhs)): lhs == rhs
        default: false
        }
    }

    /// Feeds the kind and the value.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .text(let text): for byte in text.utf8 { hasher.combine(byte) }
        case .number(let number): hasher.combine(number)
        case .flag(let flag): hasher.combine(flag)
        }
    }
}
