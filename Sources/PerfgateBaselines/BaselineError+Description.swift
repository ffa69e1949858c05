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
        case .exists: "there is a baseline of that name already; remove it first, or choose another name"
        case .system(let operation, let code):
            "can't \(operation.rawValue): \(String(cString: strerror(code))); check that the path is right and that "
                + "you may use it"
        }
    }
}
