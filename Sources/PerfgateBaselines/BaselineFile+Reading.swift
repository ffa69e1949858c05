import PerfgateJSON

extension BaselineFile {
    /// Reads the bytes of a baseline file.
    ///
    /// - Parameter path: The file's path for errors; `nil` where there is none.
    public init(reading bytes: [UInt8], path: String? = nil) throws(BaselineError) {
        if let line = ConflictMarker.firstLine(in: bytes) {
            throw BaselineError(.conflictMarker, path: path, line: line)
        }
        let repeated: JSONDocument.Duplicate?
        do throws(JSONDocumentError) {
            let document = try JSONDocument(bytes)
            self = try BaselineReader.read(document.root)
            repeated = document.duplicates.first
        } catch {
            throw BaselineError(error, path: path)
        }
        if let repeated { throw BaselineError(repeated, path: path) }
    }
}
