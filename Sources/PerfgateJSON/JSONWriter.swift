/// Writes JSON texts whose bytes depend on nothing but the values.
///
///     let bytes = JSONWriter(layout: .indented, keys: .sorted).object { root in
///         root.write("schema", 1)
///         root.array("samples", .line) { $0.write(512.9) }
///     }
@usableFromInline
package struct JSONWriter: Hashable, Sendable {
    /// Where lines are broken.
    package var layout: Layout
    /// In which order an object's members are written.
    package var keys: KeyOrder
    /// Whether a line feed ends the text.
    package var endsWithNewline: Bool

    /// Where lines are broken.
    package enum Layout: Hashable, Sendable {
        /// Nowhere, and no white space at all.
        case compact
        /// Before every item, each level two spaces further in, but for containers told to stay on one line.
        case indented
    }

    /// In which order an object's members are written.
    package enum KeyOrder: Hashable, Sendable {
        /// As the caller gives them.
        case given
        /// By the bytes of the keys' UTF-8, which is the order of their Unicode scalars.
        case sorted
    }

    /// How one container is laid out where the whole is indented.
    package enum ContainerLayout: Hashable, Sendable {
        /// An item a line.
        case lines
        /// All of it, containers within included, on one line.
        case line
    }

    /// A writer with this layout; the default is an NDJSON line.
    package init(layout: Layout = .compact, keys: KeyOrder = .given, endsWithNewline: Bool = true) {
        self.layout = layout
        self.keys = keys
        self.endsWithNewline = endsWithNewline
    }

    /// The text of an object whose members `body` writes.
    package func object<Failure: Error>(
        _ body: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var output = JSONOutput(self)
        try output.object(.lines, body)
        return output.finished()
    }

    /// The text of an array whose elements `body` writes.
    package func array<Failure: Error>(
        _ body: (inout JSONArrayWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var output = JSONOutput(self)
        try output.array(.lines, body)
        return output.finished()
    }

    /// The text of a value that was read, its numbers digit by digit as they were.
    ///
    /// - Parameter lists: How arrays are laid out that hold no containers.
    package func value(_ value: JSONValue, lists: ContainerLayout = .lines) -> [UInt8] {
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

/// Writes the members of one object; values without keys can't be written where it stands.
package struct JSONObjectWriter {
    /// The text so far.
    var output: JSONOutput

    /// Writes a member, or nothing where the value is absent.
    package mutating func write(_ key: String, _ value: (some JSONScalarConvertible)?) {
        guard let value else { return }
        output.beginItem(key: key)
        output.scalar(value.jsonScalar)
    }

    /// Writes a member that is `null`.
    package mutating func writeNull(_ key: String) { write(key, JSONScalar.null) }

    /// Writes a member that is an array of values without parts, by default on one line.
    package mutating func write(
        _ key: String, list: some Sequence<some JSONScalarConvertible>, _ layout: JSONWriter.ContainerLayout = .line
    ) {
        array(key, layout) { array in
            for value in list { array.write(value) }
        }
    }

    /// Writes a member whose value was read from another text.
    package mutating func write(_ key: String, _ value: JSONValue, lists: JSONWriter.ContainerLayout = .lines) {
        output.beginItem(key: key)
        output.value(value, lists: lists)
    }

    /// Writes a member that is an object.
    package mutating func object<Failure: Error>(
        _ key: String, _ layout: JSONWriter.ContainerLayout = .lines,
        _ body: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        output.beginItem(key: key)
        try output.object(layout, body)
    }

    /// Writes a member that is an array.
    package mutating func array<Failure: Error>(
        _ key: String, _ layout: JSONWriter.ContainerLayout = .lines,
        _ body: (inout JSONArrayWriter) throws(Failure) -> Void
    ) throws(Failure) {
        output.beginItem(key: key)
        try output.array(layout, body)
    }
}

/// Writes the elements of one array.
package struct JSONArrayWriter {
    /// The text so far.
    var output: JSONOutput

    /// Writes an element.
    package mutating func write(_ value: some JSONScalarConvertible) {
        output.beginItem(key: nil)
        output.scalar(value.jsonScalar)
    }

    /// Writes an element that is `null`.
    package mutating func writeNull() { write(JSONScalar.null) }

    /// Writes an element that was read from another text.
    package mutating func write(_ value: JSONValue, lists: JSONWriter.ContainerLayout = .lines) {
        output.beginItem(key: nil)
        output.value(value, lists: lists)
    }

    /// Writes an element that is an object.
    package mutating func object<Failure: Error>(
        _ layout: JSONWriter.ContainerLayout = .lines, _ body: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        output.beginItem(key: nil)
        try output.object(layout, body)
    }

    /// Writes an element that is an array.
    package mutating func array<Failure: Error>(
        _ layout: JSONWriter.ContainerLayout = .lines, _ body: (inout JSONArrayWriter) throws(Failure) -> Void
    ) throws(Failure) {
        output.beginItem(key: nil)
        try output.array(layout, body)
    }
}

/// A value without parts, as it is written.
@usableFromInline
package enum JSONScalar: Hashable, Sendable {
    /// A string.
    case string(String)
    /// A number, written with as few digits as give it back; `null` where it isn't finite, which JSON can't say.
    case number(Double)
    /// A whole number.
    case integer(Int64)
    /// A whole number that may be beyond 2^63.
    case unsigned(UInt64)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null
}

/// A type that is written as one JSON value without parts.
package protocol JSONScalarConvertible {
    /// The value to write.
    var jsonScalar: JSONScalar { get }
}

extension JSONScalar: JSONScalarConvertible {
    /// Itself.
    package var jsonScalar: JSONScalar { self }
}

extension String: JSONScalarConvertible {
    /// The string.
    package var jsonScalar: JSONScalar { .string(self) }
}

extension Double: JSONScalarConvertible {
    /// The number.
    package var jsonScalar: JSONScalar { .number(self) }
}

extension Int: JSONScalarConvertible {
    /// The integer.
    package var jsonScalar: JSONScalar { .integer(Int64(self)) }
}

extension Int64: JSONScalarConvertible {
    /// The integer.
    package var jsonScalar: JSONScalar { .integer(self) }
}

extension UInt64: JSONScalarConvertible {
    /// The integer.
    package var jsonScalar: JSONScalar { .unsigned(self) }
}

extension Bool: JSONScalarConvertible {
    /// The truth value.
    package var jsonScalar: JSONScalar { .bool(self) }
}
