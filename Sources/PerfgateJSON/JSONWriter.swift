/// Writes JSON texts whose bytes only depend on the values.
///
///     let bytes = JSONWriter(layout: .indented, keys: .sorted).object { root in
///         root.write("schema", 1)
///         root.array("samples", .line) { $0.write(512.9) }
///     }
@usableFromInline package struct JSONWriter: Hashable, Sendable {
    package var layout: Layout
    package var keys: KeyOrder
    package var endsWithNewline: Bool

    package enum Layout: Hashable, Sendable {
        /// None, and no white space.
        case compact
        /// Before every item, indented by two spaces per level, except in single-line containers.
        case indented
    }

    /// The order of an object's members.
    package enum KeyOrder: Hashable, Sendable {
        case given
        /// By the UTF-8 bytes of the keys, which is the order of Unicode scalars.
        case sorted
    }

    @usableFromInline package enum ContainerLayout: Hashable, Sendable {
        case lines
        /// On one line, including nested containers.
        case line
    }

    /// A writer with this layout; the default is an NDJSON line.
    package init(layout: Layout = .compact, keys: KeyOrder = .given, endsWithNewline: Bool = true) {
        (self.layout, self.keys, self.endsWithNewline) = (layout, keys, endsWithNewline)
    }

    /// The text of an object whose members `body` writes.
    package func object<Failure: Error>(
        _ body: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var output = JSONOutput(self)
        try output.container(.lines, body)
        return output.finished()
    }

    /// The text of an array whose elements `body` writes.
    package func array<Failure: Error>(
        _ body: (inout JSONArrayWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var output = JSONOutput(self)
        try output.container(.lines, body)
        return output.finished()
    }

    /// A quoted and escaped string, as error messages show keys.
    static func quoted(_ text: String) -> String {
        var output = JSONOutput(JSONWriter())
        output.string(text)
        return String(decoding: output.bytes, as: UTF8.self)
    }
}

/// Writes the items of one container.
protocol JSONContainerWriter {
    static var isObject: Bool { get }
    var output: JSONOutput { get set }

    init(output: JSONOutput)
}

/// Writes the members of one object; values without keys can't be written to it.
@usableFromInline package struct JSONObjectWriter: JSONContainerWriter {
    static var isObject: Bool { true }
    @usableFromInline var output: JSONOutput

    /// Writes a member, or nothing if the value is absent.
    @inlinable package mutating func write(_ key: String, _ value: (some JSONScalarConvertible)?) {
        guard let value else { return }
        output.beginItem(key: key)
        output.scalar(value.jsonScalar)
    }

    /// Writes a member that is an array of scalars, by default on one line.
    @inlinable package mutating func write(
        _ key: String, list: some Sequence<some JSONScalarConvertible>, _ layout: JSONWriter.ContainerLayout = .line
    ) {
        array(key, layout) { array in
            for value in list { array.write(value) }
        }
    }

    package mutating func object<Failure: Error>(
        _ key: String, _ layout: JSONWriter.ContainerLayout = .lines,
        _ body: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        output.beginItem(key: key)
        try output.container(layout, body)
    }

    @usableFromInline package mutating func array<Failure: Error>(
        _ key: String, _ layout: JSONWriter.ContainerLayout = .lines,
        _ body: (inout JSONArrayWriter) throws(Failure) -> Void
    ) throws(Failure) {
        output.beginItem(key: key)
        try output.container(layout, body)
    }
}

@usableFromInline package struct JSONArrayWriter: JSONContainerWriter {
    static var isObject: Bool { false }
    @usableFromInline var output: JSONOutput

    @inlinable package mutating func write(_ value: some JSONScalarConvertible) {
        output.beginItem(key: nil)
        output.scalar(value.jsonScalar)
    }

    package mutating func object<Failure: Error>(
        _ layout: JSONWriter.ContainerLayout = .lines, _ body: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        output.beginItem(key: nil)
        try output.container(layout, body)
    }
}

@usableFromInline package enum JSONScalar: Hashable, Sendable {
    case string(String)
    /// A number, with the fewest digits that parse to the same value; `null` if it isn't finite, which JSON lacks.
    case number(Double)
    case integer(Int64)
    /// An integer that may exceed 2^63.
    case unsigned(UInt64)
    /// A number as it was read, with unchanged digits.
    case digits(String)
    case bool(Bool)
    case null
}

@usableFromInline package protocol JSONScalarConvertible {
    var jsonScalar: JSONScalar { get }
}

extension JSONScalar: JSONScalarConvertible { @inlinable package var jsonScalar: JSONScalar { self } }
extension String: JSONScalarConvertible { @inlinable package var jsonScalar: JSONScalar { .string(self) } }
extension Double: JSONScalarConvertible { @inlinable package var jsonScalar: JSONScalar { .number(self) } }
extension Int: JSONScalarConvertible { @inlinable package var jsonScalar: JSONScalar { .integer(Int64(self)) } }
extension Int64: JSONScalarConvertible { @inlinable package var jsonScalar: JSONScalar { .integer(self) } }
extension UInt64: JSONScalarConvertible { @inlinable package var jsonScalar: JSONScalar { .unsigned(self) } }
extension Bool: JSONScalarConvertible { @inlinable package var jsonScalar: JSONScalar { .bool(self) } }
