import PerfgateJSON

/// Why a baseline can't be used or changed.
package struct BaselineError: Error, Hashable, Sendable {
    /// The file or folder; `nil` if the baseline has none.
    package let path: String?
    /// The line in it, from 1; `nil` for the whole file.
    package let line: Int?
    /// The column in the line, from 1, in Unicode scalars; `nil` for the whole line.
    package let column: Int?
    /// The problem.
    package let cause: Cause

    /// The possible problems.
    package enum Cause: Hashable, Sendable {
        /// It isn't JSON, or a value breaks a rule of the format.
        case content(key: String, problem: String)
        /// It has more bytes than are read.
        case tooLarge
        /// A merge left its markers in the file.
        case conflictMarker
        /// A run's samples of a metric differ from the stored ones.
        case otherSamples(run: String, metric: String)
        /// The baselines to merge are of different pages or environments.
        case otherPlace(page: String, other: String)
        /// A second file has the same page in the same environment.
        case duplicatePage(page: String, first: String)
        /// The file's page or environment doesn't match its name.
        case misplaced(page: String)
        /// The new file already exists.
        case exists
    }

    /// Makes an error from its parts.
    package init(_ cause: Cause, path: String? = nil, line: Int? = nil, column: Int? = nil) {
        self.cause = cause
        self.path = path
        self.line = line
        self.column = column
    }

    /// The error of a document.
    init(_ error: JSONDocumentError, path: String?) {
        self.init(
            .content(key: error.path.description, problem: error.problem.description), path: path,
            line: error.location.line, column: error.location.column)
    }

    /// The error of a repeated key.
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
    /// The problem and advice, without the place.
    package var description: String {
        switch self {
        case .content(let key, let problem): "\(key): \(problem)"
        case .tooLarge:
            "a baseline of more than \(BaselineFile.mostBytes >> 20) MiB isn't read or written; check the path, or give "
                + "`window.runs` a smaller number"
        case .conflictMarker:
            "a merge left its conflict marker here; run `perfgate baseline merge` as the merge driver that "
                + "`perfgate init` sets up, or take one side with `git checkout --ours` or `--theirs`"
        case .otherSamples(let run, let metric):
            "run \(run) is stored with other samples of \(metric); give all parts of a run in one call, or give the "
                + "new run its own id"
        case .otherPlace(let page, let other):
            "\(page) and \(other) are not the same page in the same environment; only merge versions of one file"
        case .duplicatePage(let page, let first):
            "\(page) is in \(first) too, in the same environment; remove one of the two files"
        case .misplaced(let page):
            "the file contains \(page), which doesn't match its name; restore its old name, or remove it"
        case .exists: "a baseline with that name already exists; remove it first, or choose another name"
        }
    }
}
