import PerfgateCompare
import PerfgateJSON

extension GateReport {
    /// The longest JSON that is read, in bytes: 64 MiB, some ten thousands of comparisons.
    public static let mostJSONBytes = 64 << 20

    /// Reads what `JSONReport` wrote. The bytes may come from anybody: every value is checked for its type, its words
    /// and its size; keys that aren't known are ignored.
    public init(json bytes: [UInt8]) throws(ReportError) {
        guard bytes.count <= Self.mostJSONBytes else {
            throw ReportError.json(line: 1, column: 1, pointer: "", problem: ReportRule.tooLong.description)
        }
        let repeated: JSONDocument.Duplicate?
        do throws(JSONDocumentError) {
            let document = try JSONDocument(bytes)
            self = try ReportReader.report(document.root)
            repeated = document.duplicates.first
        } catch {
            if let look = OtherFormat.look(of: bytes) { throw ReportError.otherFormat(look) }
            throw ReportError(error.location, error.path, error.problem.description)
        }
        if let repeated {
            throw ReportError(repeated.location, repeated.path, ReportRule.repeatedKey.description)
        }
    }
}

extension ReportError {
    fileprivate init(_ location: JSONLocation, _ path: JSONPath, _ problem: String) {
        self = .json(line: location.line, column: location.column, pointer: path.pointer, problem: problem)
    }
}
