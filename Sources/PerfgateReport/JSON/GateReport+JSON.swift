import PerfgateCompare
import PerfgateJSON
import PerfgateModel

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
        do throws(JSONDocumentError) {
            let document = try JSONDocument(bytes)
            self = try ReportRecords.report.read(document.root)
            comparisons = comparisons.sorted()
            try document.refuseDuplicates(ReportRule.repeatedKey.description)
        } catch {
            if let look = OtherFormat.look(of: bytes) { throw ReportError.otherFormat(look) }
            throw ReportError.json(
                line: error.location.line, column: error.location.column, pointer: error.path.pointer,
                problem: error.problem.description)
        }
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

    private static func isLog(_ text: ArraySlice<UInt8>) -> Bool {
        guard let line = text.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first,
            let record = try? JSONDocument(Array(line)).root
        else { return false }
        return (try? record.find("type")) != nil && (try? record.find("verdict")) == nil
    }
}

extension JSONNode { func breaks(_ rule: ReportRule) -> JSONDocumentError { error(.rule(rule.description)) } }

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
    case tooLong, repeatedKey, emptyName, notAField, unknownCode
    case unknownSchema(Int)
    /// More bytes, more items, or another number of items.
    case longText(Int), longList(Int), wrongCount(Int)
    case outOfBounds(ClosedRange<Double>)

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
        case .unknownCode: "not an exit code; \(Self.again)"
        }
    }
}

/// Why a report could not be rendered or read.
package enum ReportError: Error, Hashable, Sendable, CustomStringConvertible {
    case outOfMemory, xml
    /// The JSON isn't a report: line, column and JSON pointer (RFC 6901), the problem and advice.
    case json(line: Int, column: Int, pointer: String, problem: String)
    /// The bytes aren't JSON of a report: a description of them.
    case otherFormat(String)

    /// Whether the description starts with line and column, so it can follow a path and a colon.
    package var isPlaced: Bool { if case .json = self { true } else { false } }

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

/// The limits of what a report may contain: its bytes are untrusted.
enum ReportBounds {
    /// The longest text, in bytes: 1 MiB.
    static let longestText = 1 << 20
    static let mostElements = 1_000_000
    /// The most members of an object with arbitrary keys.
    static let mostMembers = 1_000
    static let mostWhole = 1_000_000_000_000_000
}

// The shapes of single values, which records share.
extension JSONShape<String> {
    static var text: JSONShape { Shapes.text }

    /// The name of a page, not empty.
    static var name: JSONShape { Shapes.name }
}

extension JSONShape<Page> { static var page: JSONShape { Shapes.page } }

extension JSONShape<[String]> { static var texts: JSONShape { Shapes.texts } }

extension JSONShape<Bool> { static var flag: JSONShape { JSONScalarShape.bool } }

extension JSONShape<Int> {
    static var integer: JSONShape { JSONScalarShape.integer }
    /// A whole number from 0 to 10^15.
    static var whole: JSONShape { Shapes.whole }
    /// A whole number from 1 to 10^15.
    static var positive: JSONShape { Shapes.positive }
}

extension JSONShape<Double> {
    static var number: JSONShape { JSONScalarShape.number }
    static var notNegative: JSONShape { Shapes.notNegative }
    static var chance: JSONShape { Shapes.chance }
    /// The score of a page, from 0 to 100.
    static var score: JSONShape { Shapes.score }
    /// A time in ms: at most about thirty years.
    static var time: JSONShape { Shapes.time }

    func within(_ bounds: ClosedRange<Double>, _ schema: JSONTree) -> JSONShape {
        described(by: schema).checked { node, number throws(JSONDocumentError) in
            guard bounds.contains(number) else { throw node.breaks(.outOfBounds(bounds)) }
        }
    }
}

extension JSONShape {
    func list(
        _ layout: JSONWriter.ContainerLayout = .lines, most: Int = ReportBounds.mostElements
    ) -> JSONShape<[Value]> {
        let bounds = most < ReportBounds.mostElements ? [(key: "maxItems", value: most)] : []
        return list(layout, bounds) { node, count throws(JSONDocumentError) in
            guard count <= most else { throw node.breaks(.longList(most)) }
        }
    }

    func list(exactly length: Int) -> JSONShape<[Value]> {
        list(.line, [("minItems", length), ("maxItems", length)]) { node, count throws(JSONDocumentError) in
            guard count == length else { throw node.breaks(.wrongCount(length)) }
        }
    }
}

/// The shapes of single values, made once.
private enum Shapes {
    static let text = JSONScalarShape.string.checked { node, text throws(JSONDocumentError) in
        let most = ReportBounds.longestText
        guard text.utf8.count <= most else { throw node.breaks(.longText(most)) }
    }

    static let name = text.described(by: ["type": "string", "minLength": 1]).checked {
        node, name throws(JSONDocumentError) in
        guard !name.allSatisfy(\.isWhitespace) else { throw node.breaks(.emptyName) }
    }

    static let page = name.mapped({ (page: Page) in page.name }, Page.init)
    static let texts = text.list()
    static let whole = whole(from: 0)
    static let positive = whole(from: 1)
    private static let number = JSONScalarShape.number
    static let notNegative = number.within(0...Double.greatestFiniteMagnitude, ["type": "number", "minimum": 0])
    static let chance = number.within(0...1, ["type": "number", "minimum": 0, "maximum": 1])
    static let score = number.within(0...100, ["type": "number", "minimum": 0, "maximum": 100])
    static let time = number.within(0...1e12, ["type": "number", "minimum": 0, "maximum": 1_000_000_000_000])

    private static func whole(from least: Int) -> JSONShape<Int> {
        JSONScalarShape.integer.described(by: ["type": "integer", "minimum": .integer(least)]).checked {
            node, number throws(JSONDocumentError) in
            guard (least...ReportBounds.mostWhole).contains(number) else {
                throw node.breaks(.outOfBounds(Double(least)...Double(ReportBounds.mostWhole)))
            }
        }
    }
}
