/// The way from a document's root to a value.
public struct JSONPath: Hashable, Sendable {
    /// The steps, the outermost first; none for the root.
    public let steps: [Step]

    /// A step into a container.
    public enum Step: Hashable, Sendable {
        /// Into an object's member.
        case key(String)
        /// Into an array's element, from 0.
        case index(Int)
    }

    /// The path of these steps.
    public init(_ steps: [Step] = []) { self.steps = steps }

    /// The path one step further.
    public func appending(_ step: Step) -> JSONPath { JSONPath(steps + [step]) }
}

extension JSONPath: CustomStringConvertible {
    /// The path as `metrics.ttil.samples["r-8f2"][0]`; the root is `the document`.
    public var description: String {
        guard !steps.isEmpty else { return "the document" }
        return steps.reduce(into: "") { text, step in
            switch step {
            case .key(let key) where Self.isPlain(key): text += text.isEmpty ? key : ".\(key)"
            case .key(let key): text += "[\(JSONWriter.quoted(key))]"
            case .index(let index): text += "[\(index)]"
            }
        }
    }

    /// Whether a key can stand in a path without quotes.
    private static func isPlain(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.allSatisfy { $0 == UInt8(ascii: "_") || JSONByte.isDigit($0) || JSONByte.isLetter($0) }
    }
}
