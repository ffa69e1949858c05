import PerfgateCompare

/// The rules of the JSON report beyond JSON's grammar, in words that end in what to do.
enum ReportRule: CustomStringConvertible {
    /// The schema isn't one that this version reads.
    case unknownSchema(Int)
    /// The whole is longer than `GateReport.mostJSONBytes`.
    case tooLong
    /// A key came again in its object.
    case repeatedKey
    /// A name is empty or only white space.
    case emptyName
    /// A field of a header or an environment isn't a text, a number or a truth value.
    case notAField
    /// A text has more bytes than this.
    case longText(Int)
    /// A list or an object has more items than this.
    case longList(Int)
    /// A list has another number of items than this.
    case wrongCount(Int)
    /// A number lies outside these bounds.
    case outOfBounds(ClosedRange<Double>)
    /// A word isn't one of those that can stand here.
    case unknownWord([String])
    /// A code isn't one of those that perfgate exits with.
    case unknownCode
    /// A command isn't one of perfgate's, or holds what a shell acts on.
    case notACommand

    private static let again = "write the report again with this perfgate's `check --json`"

    var description: String {
        switch self {
        case .unknownSchema(let schema):
            "schema \(schema) is not known, only \(GateReport.schema) is; read it with the perfgate that wrote it, or "
                + Self.again
        case .tooLong: "longer than \(GateReport.mostJSONBytes >> 20) MiB; \(Self.again) from fewer logs"
        case .repeatedKey: "the key comes a second time in its object; remove one of the two"
        case .emptyName: "the name is empty; write the page's name"
        case .notAField: "expected a string, a number, true, false or null; write one of these"
        case .longText(let most): "longer than \(most) bytes; shorten it"
        case .longList(let most): "more than \(most) items; \(Self.again)"
        case .wrongCount(let count): "expected \(count) items; \(Self.again)"
        case .outOfBounds(let bounds): "not from \(bounds.lowerBound) to \(bounds.upperBound); \(Self.again)"
        case .unknownWord(let words): "not a word for this; write \(words.joined(separator: " or "))"
        case .unknownCode: "not an exit code of perfgate; \(Self.again)"
        case .notACommand: "not a plain command of perfgate, so it is not shown to be pasted; \(Self.again)"
        }
    }
}
