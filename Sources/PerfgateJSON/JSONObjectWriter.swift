/// Writes the members of one object; values without keys can't be written where it stands.
public struct JSONObjectWriter {
    /// The text so far.
    var output: JSONOutput

    /// Writes a member, or nothing where the value is absent.
    public mutating func write(_ key: String, _ value: (some JSONScalarConvertible)?) {
        guard let value else { return }
        output.beginItem(key: key)
        output.scalar(value.jsonScalar)
    }

    /// Writes a member that is `null`.
    public mutating func writeNull(_ key: String) { write(key, JSONScalar.null) }

    /// Writes a member that is an array of values without parts, by default on one line.
    public mutating func write(
        _ key: String, list: some Sequence<some JSONScalarConvertible>, _ layout: JSONWriter.ContainerLayout = .line
    ) {
        array(key, layout) { array in
            for value in list { array.write(value) }
        }
    }

    /// Writes a member whose value was read from another text.
    public mutating func write(_ key: String, _ value: JSONValue, lists: JSONWriter.ContainerLayout = .lines) {
        output.beginItem(key: key)
        output.value(value, lists: lists)
    }

    /// Writes a member that is an object.
    public mutating func object<Failure: Error>(
        _ key: String, _ layout: JSONWriter.ContainerLayout = .lines,
        _ body: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        output.beginItem(key: key)
        try output.object(layout, body)
    }

    /// Writes a member that is an array.
    public mutating func array<Failure: Error>(
        _ key: String, _ layout: JSONWriter.ContainerLayout = .lines,
        _ body: (inout JSONArrayWriter) throws(Failure) -> Void
    ) throws(Failure) {
        output.beginItem(key: key)
        try output.array(layout, body)
    }
}
