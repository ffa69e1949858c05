import PerfgateCompare
import PerfgateJSON

extension GateReport {
    /// The longest JSON that is read, in bytes: 512 MiB, which is several hundred thousand comparisons.
    package static let mostJSONBytes = 512 << 20

    /// Reads what `JSONReport` wrote. The bytes are untrusted: every value's type, words and size are checked; unknown
    /// keys are ignored.
    package init(json bytes: [UInt8]) throws(ReportError) {
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

/// Files that are mistaken for a report.
enum OtherFormat {
    /// A description of bytes that can't be read, in words that follow `this is`; `nil` if they may be a damaged
    /// report.
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
    /// The longest text, in bytes: 1 MiB.
    static let longestText = 1 << 20
    /// The most elements of a list.
    static let mostElements = 1_000_000
    /// The most members of an object with arbitrary keys.
    static let mostMembers = 1_000

    func breaks(_ rule: ReportRule) -> JSONDocumentError {
        error(.rule(rule.description))
    }

    /// The value as text of limited length.
    func text() throws(JSONDocumentError) -> String {
        let text = try string()
        guard text.utf8.count <= Self.longestText else { throw breaks(.longText(Self.longestText)) }
        return text
    }

    /// The value as the name of a page, not empty.
    func name() throws(JSONDocumentError) -> String {
        let name = try text()
        guard !name.allSatisfy(\.isWhitespace) else { throw breaks(.emptyName) }
        return name
    }

    /// The value as a whole number from `least` to 10^15.
    func whole(from least: Int = 0) throws(JSONDocumentError) -> Int {
        let number = try int()
        guard number >= least, number <= 1_000_000_000_000_000 else { throw breaks(.outOfBounds(Double(least)...1e15)) }
        return number
    }

    /// The value as a number within bounds.
    func number(in bounds: ClosedRange<Double>) throws(JSONDocumentError) -> Double {
        let number = try double()
        guard bounds.contains(number) else { throw breaks(.outOfBounds(bounds)) }
        return number
    }

    /// The value as a word of an enumeration.
    func word<Word: RawRepresentable<String> & CaseIterable>(
        _ type: Word.Type = Word.self
    ) throws(JSONDocumentError) -> Word {
        guard let word = Word(rawValue: try text()) else {
            throw breaks(.unknownWord(Word.allCases.map(\.rawValue)))
        }
        return word
    }

    /// The elements of a list of limited length, each parsed.
    func list<Element>(
        most: Int = JSONNode.mostElements, _ read: (JSONNode) throws(JSONDocumentError) -> Element
    ) throws(JSONDocumentError) -> [Element] {
        let nodes = try elements()
        guard nodes.count <= most else { throw breaks(.longList(most)) }
        var elements: [Element] = []
        elements.reserveCapacity(nodes.count)
        for node in nodes { elements.append(try read(node)) }
        return elements
    }

    /// The elements of a list of numbers.
    func numbers(most: Int) throws(JSONDocumentError) -> [Double] {
        try list(most: most) { node throws(JSONDocumentError) in try node.double() }
    }

    /// The elements of a list of texts of limited length.
    func texts(most: Int = JSONNode.mostElements) throws(JSONDocumentError) -> [String] {
        try list(most: most) { node throws(JSONDocumentError) in try node.text() }
    }

    /// The elements of a list with exactly this many numbers.
    func numbers(exactly count: Int) throws(JSONDocumentError) -> [Double] {
        let values = try numbers(most: Self.mostElements)
        guard values.count == count else { throw breaks(.wrongCount(count)) }
        return values
    }
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
    /// A number is outside these bounds.
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
