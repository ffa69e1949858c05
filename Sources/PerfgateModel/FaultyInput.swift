/// An input, or a run in it, that could not be used.
public struct FaultyInput: Sendable, Hashable {
    /// What is wrong, which decides the exit code.
    public enum Fault: String, Sendable, Hashable, CaseIterable {
        /// It is not there, or holds no line: exit code 66.
        case notFound = "not_found"
        /// It was read and is wrong: exit code 65.
        case badData = "bad_data"
    }

    /// The path as it was named.
    public let path: String
    /// The run that is concerned; `nil` where it is the whole file.
    public let run: String?
    /// What is wrong.
    public let fault: Fault
    /// One sentence for a person.
    public let message: String

    /// Makes a faulty input of its parts.
    public init(path: String, run: String? = nil, fault: Fault, message: String) {
        self.path = path
        self.run = run
        self.fault = fault
        self.message = message
    }
}
