import PerfgateCompare
import PerfgateJSON

extension GateReport {
    /// The longest JSON that is read, in bytes: 512 MiB, which is several hundred thousand comparisons.
    package static let mostJSONBytes = 512 << 20

    /// The report as JSON, for scripts and for rendering it again: two spaces per level, a final line feed. Reading and
    /// writing it again gives the same bytes.
    package func json() -> [UInt8] { ReportRecords.report.bytes(of: self, room: 2_000 * comparisons.count) }

    package static var jsonSchema: [UInt8] {
        ReportRecords.report.schema(title: "The JSON report of perfgate, schema \(schema)")
    }

    /// Reads what `json()` wrote, which is untrusted: types, words and sizes are checked; unknown keys are ignored.
    package init(json bytes: [UInt8]) throws(ReportError) {
        guard bytes.count <= Self.mostJSONBytes else {
            throw ReportError.json(line: 1, column: 1, pointer: "", problem: ReportRule.tooLong.description)
        }
        let repeated: JSONDocument.Duplicate?
        do throws(JSONDocumentError) {
            let document = try JSONDocument(bytes)
            self = try ReportRecords.report.read(document.root)
            comparisons.sort()
            repeated = document.duplicates.first
        } catch {
            if let look = OtherFormat.look(of: bytes) { throw ReportError.otherFormat(look) }
            throw ReportError(error.location, error.path, error.problem.description)
        }
        if let repeated { throw ReportError(repeated.location, repeated.path, ReportRule.repeatedKey.description) }
    }
}

extension ReportError {
    fileprivate init(_ location: JSONLocation, _ path: JSONPath, _ problem: String) {
        self = .json(line: location.line, column: location.column, pointer: path.pointer, problem: problem)
    }
}

/// Files that are mistaken for a report.
enum OtherFormat {
    /// A description of bytes that can't be read, in words that follow `this is`; `nil` if it may be a damaged report.
    static func look(of bytes: [UInt8]) -> String? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        switch text.first(where: { !" \t\r\n".utf8.contains($0) }) {
        case nil: return "an empty file"
        case 0x1F where bytes.starts(with: [0x1F, 0x8B]): return "a compressed file"
        case UInt8(ascii: "<"): return "HTML or XML"
        case UInt8(ascii: "["): return nil
        case UInt8(ascii: "{"): return isLog(text) ? "a perfgate log" : nil
        default: return "no JSON"
        }
    }

    /// Whether the first line is a complete record.
    private static func isLog(_ text: ArraySlice<UInt8>) -> Bool {
        guard let line = text.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first,
            let record = try? JSONDocument(Array(line)).root
        else { return false }
        return (try? record.find("type")) != nil && (try? record.find("verdict")) == nil
    }
}

extension JSONNode {
    func breaks(_ rule: ReportRule) -> JSONDocumentError { error(.rule(rule.description)) }
}

extension JSONPath {
    /// The path as a JSON pointer (RFC 6901), such as `/comparisons/3/metric`; empty for the root.
    var pointer: String {
        steps.map { step in
            switch step {
            case .key(let key): "/" + key.escaped { $0 == "~" ? "~0" : $0 == "/" ? "~1" : nil }
            case .index(let index): "/\(index)"
            }
        }.joined()
    }
}

/// The rules of the JSON report beyond JSON's grammar; their words end with advice.
enum ReportRule: CustomStringConvertible {
    /// This version doesn't read the schema.
    case unknownSchema(Int)
    /// The document is longer than `GateReport.mostJSONBytes`.
    case tooLong
    case repeatedKey
    /// A name is empty or only white space.
    case emptyName
    /// A field of a header or environment isn't a text, a number or a Boolean.
    case notAField
    /// A text has more bytes than this.
    case longText(Int)
    /// A list or an object has more items than this.
    case longList(Int)
    /// A list has another number of items than this.
    case wrongCount(Int)
    case outOfBounds(ClosedRange<Double>)
    /// A word isn't allowed here.
    case unknownWord([String])
    /// A number isn't a valid exit code.
    case unknownCode

    private static let again = "write the report again with this perfgate's `check --json`"

    var description: String {
        switch self {
        case .unknownSchema(let schema):
            "schema \(schema) is unknown, only \(GateReport.schema) is supported; read it with the perfgate that wrote it, or "
                + Self.again
        case .tooLong: "longer than \(GateReport.mostJSONBytes >> 20) MiB; \(Self.again) from fewer logs"
        case .repeatedKey: "the key is repeated in its object; remove one of the two"
        case .emptyName: "the name is empty; write the page's name"
        case .notAField: "expected a string, a number, true, false or null; write one of these"
        case .longText(let most): "longer than \(most) bytes; shorten it"
        case .longList(let most): "more than \(most) items; \(Self.again)"
        case .wrongCount(let count): "expected \(count) items; \(Self.again)"
        case .outOfBounds(let bounds): "not from \(bounds.lowerBound) to \(bounds.upperBound); \(Self.again)"
        case .unknownWord(let words): "not a word for this; write \(words.joined(separator: " or "))"
        case .unknownCode: "not an exit code; \(Self.again)"
        }
    }
}

/// Why a report could not be rendered or read.
package enum ReportError: Error, Hashable, Sendable {
    /// There isn't enough memory.
    case outOfMemory
    /// libxml2 could not write a part of it.
    case xml
    /// The JSON isn't a report: line, column and JSON pointer (RFC 6901), the problem and advice.
    case json(line: Int, column: Int, pointer: String, problem: String)
    /// The bytes aren't JSON of a report: a description of them.
    case otherFormat(String)
}

extension ReportError {
    /// Whether the description starts with line and column, so it can follow a path and a colon.
    package var isPlaced: Bool {
        guard case .json = self else { return false }
        return true
    }
}

extension ReportError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .outOfMemory: "There is not enough memory for the report. Give the job more."
        case .xml: "libxml2 could not write the JUnit report. Please report this with the input."
        case .json(let line, let column, let pointer, let problem):
            "\(line):\(column): \(pointer.isEmpty ? "the report" : pointer): \(problem)"
        case .otherFormat(let look):
            "this is \(look), not a report; give the file that `--json FILE` of check, compare, measure or field check wrote"
        }
    }
}
