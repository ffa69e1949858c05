import Foundation
import PerfgateCompare
import PerfgateReport

/// A report that was kept as JSON.
struct ResultFile {
    private let path: String

    /// Takes a path; `-` is standard input.
    init(_ path: String) {
        self.path = path
    }

    /// The report in it.
    func report() throws(CommandError) -> GateReport {
        let bytes = try bytes()
        guard !bytes.isEmpty else { throw missing("it is empty") }
        do {
            return try GateReport(json: bytes)
        } catch {
            throw CommandError(status: .badData, description: "\(name):\(error.isPlaced ? "" : " ")\(error)")
        }
    }

    private var name: String { path == "-" ? "standard input" : path }

    /// At most one byte more than a report may have, so that no file is too long for the memory.
    private func bytes() throws(CommandError) -> [UInt8] {
        guard let handle = path == "-" ? .standardInput : FileHandle(forReadingAtPath: path) else {
            throw missing("there is no such file that may be read")
        }
        do {
            return [UInt8](try handle.read(upToCount: GateReport.mostJSONBytes + 1) ?? Data())
        } catch {
            throw missing("it can't be read")
        }
    }

    private func missing(_ problem: String) -> CommandError {
        CommandError(
            status: .noInput,
            description: "\(name): \(problem). Give the file that `perfgate check --json FILE` wrote.")
    }
}
