import PerfgateJSON

/// Why a baseline can't be used or changed.
package struct BaselineError: Error, Hashable, Sendable {
    /// The file or folder; `nil` if the baseline has none.
    package let path: String?
    /// The line in it, from 1; `nil` for the whole file.
    package let line: Int?
    /// The column in the line, from 1, in Unicode scalars; `nil` for the whole line.
    package let column: Int?
    package let cause: Cause

    package enum Cause: Hashable, Sendable {
        /// It isn't JSON, or a value breaks a rule of the format.
        case content(key: String, problem: String)
        case tooLarge
        /// A merge left its markers in the file.
        case conflictMarker
        case otherSamples(run: String, metric: String)
        case otherPlace(page: String, other: String)
        /// A second file has the same page in the same environment.
        case duplicatePage(page: String, first: String)
        /// The file's page or environment doesn't match its name.
        case misplaced(page: String)
        case exists
    }

    package init(_ cause: Cause, path: String? = nil, line: Int? = nil, column: Int? = nil) {
        (self.cause, self.path, self.line, self.column) = (cause, path, line, column)
    }

    init(_ error: JSONDocumentError, path: String?) {
        self.init(
            .content(key: error.path.description, problem: error.problem.description), path: path,
            line: error.location.line, column: error.location.column)
    }

    init(_ duplicate: JSONDocument.Duplicate, path: String?) {
        self.init(
            .content(key: duplicate.path.description, problem: BaselineRule.repeatedKey.description), path: path,
            line: duplicate.location.line, column: duplicate.location.column)
    }

    /// The error with the file's path, unless it has one.
    func located(in path: String) -> BaselineError {
        BaselineError(cause, path: self.path ?? path, line: line, column: column)
    }
}

extension BaselineError: CustomStringConvertible {
    /// The error as `path:line:column: problem; advice`.
    package var description: String {
        let place = [path, line.map { String($0) }, column.map { String($0) }].compactMap(\.self)
        return place.isEmpty ? cause.description : "\(place.joined(separator: ":")): \(cause)"
    }
}

extension BaselineError.Cause: CustomStringConvertible {
    package var description: String {
        switch self {
        case .content(let key, let problem): "\(key): \(problem)"
        case .tooLarge:
            "a baseline of more than \(BaselineFile.mostBytes >> 20) MiB isn't read or written; check the path, or give "
                + "`window.runs` a smaller number"
        case .conflictMarker:
            "a merge left its conflict marker here; undo it with `git merge --abort`, set up the merge driver as `perfgate "
                + "doctor` says, and merge again, or take one side with `git checkout --ours` or `--theirs`"
        case .otherSamples(let run, let metric):
            "run \(run) is stored with other samples of \(metric); give all parts of a run in one call, or give the "
                + "new run its own id"
        case .otherPlace(let page, let other):
            "\(page) and \(other) are not the same page in the same environment; only merge versions of one file. If both "
                + "sides renamed it, take one with `git checkout --ours` or `--theirs`, and store the other's runs again"
        case .duplicatePage(let page, let first):
            "\(page) is in \(first) too, in the same environment; remove one of the two files"
        case .misplaced(let page):
            "the file contains \(page), which doesn't match its name; restore its old name, or remove it"
        case .exists: "a baseline with that name already exists; remove it first, or choose another name"
        }
    }
}

/// The rules of the format beyond JSON's grammar; their words end with advice.
enum BaselineRule: Error, CustomStringConvertible {
    case unknownSchema(Int)
    case repeatedKey
    case emptyName
    /// A field of the environment isn't a text, a number or a Boolean.
    case notAField
    case notATime
    case repeatedRun
    /// Samples belong to no run of the file.
    case unlistedRun
    case runWithoutSamples
    case settledRun
    case negativeCount
    case negativeNoise
    /// An epoch begins after every run of its metric.
    case epochWithoutRuns
    /// There are more jumps than are stored, or one is larger than any measurement.
    case impossibleJumps
    /// A word isn't allowed here.
    case unknownWord([String])
    /// A unit or direction differs from the metric's; with a clause that explains it.
    case contradiction(String)

    var description: String {
        switch self {
        case .unknownSchema(let schema): "schema \(schema) is unknown, only 1 and 2 are supported; update perfgate"
        case .repeatedKey: "the key is repeated in its object; remove one of the two"
        case .emptyName: "the name is empty; write the page's name"
        case .notAField: "expected a string, a number, true or false; write one of these"
        case .notATime: "not a time; write it like 2026-11-20T10:00:00Z"
        case .repeatedRun: "the run is repeated; remove one of the two"
        case .unlistedRun: "the run is not among `runs`; list it there, or remove it here"
        case .runWithoutSamples: "the run has no list under `samples`; remove it here"
        case .settledRun: "the run has a list under `samples`, too; remove one of the two"
        case .negativeCount: "the number is below 0; write the number"
        case .negativeNoise: "a variation is below 0; remove the noise or jumps; they will be measured again"
        case .epochWithoutRuns:
            "later than every run of the metric, so all its samples would be dropped; write the start of the first run "
                + "that was accepted"
        case .impossibleJumps: "more or larger jumps than runs can show; remove them, they will be measured again"
        case .contradiction(let clause): "\(clause); correct it, or remove the metric from the file"
        case .unknownWord(let words): "not a word for this; write \(words.joined(separator: " or "))"
        }
    }
}
