import PerfgateJSON

/// The text of a whole file of another tool: decompressed, in UTF-8, without a byte order mark.
struct ForeignFile: Sendable {
    /// How many bytes of text a file may hold: 64 MiB. Files of this kind are summaries of a test run.
    static let sizeLimit = 64 << 20

    /// The path as it was named.
    let path: String
    /// The text.
    let bytes: [UInt8]
    /// A name for its content: equal text gives equal names, however it was compressed or encoded.
    let identity: String

    init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
        var hash = ContentHash()
        bytes.withUnsafeBytes { hash.feed($0) }
        identity = hash.text
    }

    /// A name for what several files hold together, in whatever order they come.
    static func identity(ofFilesNamed identities: [String]) -> String {
        var hash = ContentHash()
        for identity in identities.sorted() { Array(identity.utf8).withUnsafeBytes { hash.feed($0) } }
        return hash.text
    }

    /// Reads the file as a JSON document; one that would take too much memory is refused.
    func readJSON<Value>(
        _ body: (JSONNode) throws(JSONDocumentError) -> Value
    ) throws(IngestError) -> Value {
        if JSONValueCount.exceedsLimit(bytes) {
            let limit = JSONValueCount.limit
            throw .refused(reason: "It holds more than \(limit) values. Export less of it at a time.")
        }
        do throws(JSONDocumentError) {
            return try body(try JSONDocument(bytes).root)
        } catch {
            throw IngestError(error)
        }
    }

    /// The keys near the top of a JSON text; `nil` where it is none.
    var outline: JSONOutline? { bytes.withUnsafeBytes { JSONOutline($0) } }
}
