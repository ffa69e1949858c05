/// A JSON text read as a whole, for files that are small or edited by hand.
public struct JSONDocument: Sendable {
    /// The value that the text consists of.
    public let root: JSONNode
    /// The keys that came again in their object, in the order of the text; the last value is the one kept.
    public let duplicates: [Duplicate]

    /// A key that came again in its object.
    public struct Duplicate: Hashable, Sendable {
        /// The path of the member.
        public let path: JSONPath
        /// Where the key stands again.
        public let location: JSONLocation
    }

    /// Reads a text in UTF-8, which a byte order mark may lead.
    public init(_ bytes: [UInt8]) throws(JSONDocumentError) {
        self = try JSONBytes.with(bytes) { input throws(JSONDocumentError) in try JSONDocument(input.buffer) }
    }

    /// Reads a text in UTF-8, which a byte order mark may lead.
    public init(_ buffer: UnsafeRawBufferPointer) throws(JSONDocumentError) {
        var builder = JSONTreeBuilder(buffer)
        do throws(JSONError) {
            root = JSONNode(value: try builder.build(), path: JSONPath())
        } catch {
            throw builder.positioned(error)
        }
        duplicates = builder.duplicates
    }
}
