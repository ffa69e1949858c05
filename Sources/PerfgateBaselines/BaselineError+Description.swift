import PerfgateJSON

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension BaselineError: CustomStringConvertible {
    /// The error as `path:line:column: what is wrong; what to do`.
    public var description: String {
        let place = [path, line.map { String($0) }, column.map { String($0) }].compactMap(\.self)
        return place.isEmpty ? cause.description : "\(place.joined(separator: ":")): \(cause)"
    }
}

extension BaselineError.Cause: CustomStringConvertible {
    /// What is wrong and what to do, without the place.
    public var description: String {
        switch self {
        case .content(let key, let problem): "\(key): \(problem)"
        case .conflictMarker:
            "a merge left its conflict marker here; run `perfgate baseline merge` as the merge driver that "
                + "`perfgate init` sets up, or take one side with `git checkout --ours` or `--theirs`"
        case .otherSamples(let run, let metric):
            "run \(run) is stored with other samples of \(metric); give all parts of a run in one call, or give the "
                + "new run an id of its own"
        case .otherPlace(let page, let other):
            "\(page) and \(other) are not the same page in the same environment; merge versions of one file only"
        case .duplicatePage(let page, let first):
            "\(page) is in \(first) too, in the same environment; remove one of the two files"
        case .misplaced(let page):
            "the file holds \(page), for which it isn't named; move it to the name it had, or remove it"
        case .exists: "there is a baseline of that name already; prune it first, or choose another name"
        case .system(let operation, let code):
            "can't \(operation.rawValue): \(String(cString: strerror(code))); check that the path is right and that "
                + "you may use it"
        }
    }
}

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
