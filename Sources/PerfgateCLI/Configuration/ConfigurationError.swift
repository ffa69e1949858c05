/// A configuration, or a file that it names, that can't be used: all that is wrong with it.
struct ConfigurationError: Error, Sendable, Hashable {
    /// What is wrong, in the order of the lines; not empty.
    let problems: [YAMLProblem]

    /// How many problems are told.
    private static let mostProblems = 20

    /// Makes an error of problems.
    init(_ problems: [YAMLProblem]) {
        self.problems = Set(problems).sorted()
    }

    /// Makes an error about a file as a whole.
    init(path: String, _ message: String) {
        self.init([YAMLProblem(path: path, line: nil, column: nil, message: message, excerpt: nil)])
    }
}

extension ConfigurationError: CustomStringConvertible {
    /// A problem after the other, each with its place.
    var description: String {
        let told = problems.prefix(Self.mostProblems).map(\.description).joined(separator: "\n")
        let more = problems.count - Self.mostProblems
        return more > 0 ? "\(told)\n… and \(more) more" : told
    }
}
