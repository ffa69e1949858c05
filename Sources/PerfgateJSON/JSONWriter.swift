/// Writes JSON texts whose bytes depend on nothing but the values.
///
///     let bytes = JSONWriter(layout: .indented, keys: .sorted).object { root in
///         root.write("schema", 1)
///         root.array("samples", .line) { $0.write(512.9) }
///     }
public struct JSONWriter: Hashable, Sendable {
    /// Where lines are broken.
    public var layout: Layout
    /// In which order an object's members are written.
    public var keys: KeyOrder
    /// Whether a line feed ends the text.
    public var endsWithNewline: Bool

    /// Where lines are broken.
    public enum Layout: Hashable, Sendable {
        /// Nowhere, and no white space at all.
        case compact
        /// Before every item, each level two spaces further in, but for containers told to stay on one line.
        case indented
    }

    /// In which order an object's members are written.
    public enum KeyOrder: Hashable, Sendable {
        /// As the caller gives them.
        case given
        /// By the bytes of the keys' UTF-8, which is the order of their Unicode scalars.
        case sorted
    }

    /// How one container is laid out where the whole is indented.
    public enum ContainerLayout: Hashable, Sendable {
        /// An item a line.
        case lines
        /// All of it, containers within included, on one line.
        case line
    }

    /// A writer with this layout; the default is an NDJSON line.
    public init(layout: Layout = .compact, keys: KeyOrder = .given, endsWithNewline: Bool = true) {
        self.layout = layout
        self.keys = keys
        self.endsWithNewline = endsWithNewline
    }

    /// The text of an object whose members `body` writes.
    public func object<Failure: Error>(
        _ body: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var output = JSONOutput(self)
        try output.object(.lines, body)
        return output.finished()
    }

    /// The text of an array whose elements `body` writes.
    public func array<Failure: Error>(
        _ body: (inout JSONArrayWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var output = JSONOutput(self)
        try output.array(.lines, body)
        return output.finished()
    }

    /// The text of a value that was read, its numbers digit by digit as they were.
    ///
    /// - Parameter lists: How arrays are laid out that hold no containers.
    public func value(_ value: JSONValue, lists: ContainerLayout = .lines) -> [UInt8] {
        var output = JSONOutput(self)
        output.value(value, lists: lists)
        return output.finished()
    }

    /// A string in quotes, escaped, as an error message names a key.
    static func quoted(_ text: String) -> String {
        var output = JSONOutput(JSONWriter())
        output.string(text)
        return String(decoding: output.bytes, as: UTF8.self)
    }
}
