/// Writes the elements of one array.
public struct JSONArrayWriter {
    /// The text so far.
    var output: JSONOutput

    /// Writes an element.
    public mutating func write(_ value: some JSONScalarConvertible) {
        output.beginItem(key: nil)
        output.scalar(value.jsonScalar)
    }

    /// Writes an element that is `null`.
    public mutating func writeNull() { write(JSONScalar.null) }

    /// Writes an element that was read from another text.
    public mutating func write(_ value: JSONValue, lists: JSONWriter.ContainerLayout = .lines) {
        output.beginItem(key: nil)
        output.value(value, lists: lists)
    }

    /// Writes an element that is an object.
    public mutating func object<Failure: Error>(
        _ layout: JSONWriter.ContainerLayout = .lines, _ body: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        output.beginItem(key: nil)
        try output.object(layout, body)
    }

    /// Writes an element that is an array.
    public mutating func array<Failure: Error>(
        _ layout: JSONWriter.ContainerLayout = .lines, _ body: (inout JSONArrayWriter) throws(Failure) -> Void
    ) throws(Failure) {
        output.beginItem(key: nil)
        try output.array(layout, body)
    }
}
