/// The rules of the format beyond JSON's grammar, in words that end in what to do.
enum BaselineRule: CustomStringConvertible {
    /// The schema isn't one that this version reads.
    case unknownSchema(Int)
    /// A key came again in its object.
    case repeatedKey
    /// A name is empty or only white space.
    case emptyName
    /// A field of the environment isn't a text, a number or a truth value.
    case notAField
    /// A time isn't one.
    case notATime
    /// A run came again.
    case repeatedRun
    /// Samples belong to no run of the file.
    case unlistedRun
    /// A word isn't one of those that can stand here.
    case unknownWord([String])

    var description: String {
        switch self {
        case .unknownSchema(let schema): "schema \(schema) is not known, only 1 is; update perfgate"
        case .repeatedKey: "the key comes a second time in its object; remove one of the two"
        case .emptyName: "the name is empty; write the page's name"
        case .notAField: "expected a string, a number, true or false; write one of these"
        case .notATime: "not a time; write it like 2026-11-20T10:00:00Z"
        case .repeatedRun: "the run comes a second time; remove one of the two"
        case .unlistedRun: "the run is not among `runs`; list it there, or remove its samples"
        case .unknownWord(let words): "not a word for this; write \(words.joined(separator: " or "))"
        }
    }
}
