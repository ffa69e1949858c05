import PerfgateCompare

/// Why a command could not do its work.
struct CommandError: Error, CustomStringConvertible {
    /// The code that the program exits with.
    let status: ExitStatus
    /// What is wrong, where, and what to do.
    let description: String
}
