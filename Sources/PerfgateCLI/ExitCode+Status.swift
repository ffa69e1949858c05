import ArgumentParser
import PerfgateCompare

extension ExitCode {
    /// The code that the process ends with for a status.
    init(_ status: ExitStatus) {
        self.init(Int32(status.rawValue))
    }
}
