import Foundation
import PerfgateCompare
import PerfgateFiles
import PerfgateKit
import PerfgateReport

/// A report that was stored as JSON.
struct ResultFile {
    private let file: JSONFile

    /// Takes a path; `-` is standard input.
    init(_ path: String) {
        file = JSONFile(path: path, advice: "Give the file that `perfgate check --json FILE` wrote.")
    }

    /// The report in the file.
    func report() throws(CommandError) -> GateReport {
        let bytes = try file.bytes()
        let report: GateReport
        do {
            report = try GateReport(json: bytes)
        } catch {
            throw CommandError(status: .badData, description: "\(file.name):\(error.isPlaced ? "" : " ")\(error)")
        }
        guard ExitStatus(rawValue: report.exitCode) != nil else {
            let problem = "the exit code \(report.exitCode) is unknown; write the report again"
            throw CommandError(status: .badData, description: "\(file.name): \(problem)")
        }
        return report
    }
}

extension ViewFindings {
    /// Reads the file that `--views` names; `-` is standard input.
    init(file path: String) throws(CommandError) {
        let advice = "Give the file that `view-lint check --format json` wrote."
        let file = JSONFile(path: path, advice: advice)
        let bytes = try file.bytes()
        guard bytes.count <= JSONFile.most else {
            let problem = "\(file.name): longer than \(JSONFile.most >> 20) MiB. \(advice)"
            throw CommandError(status: .badData, description: problem)
        }
        do {
            try self.init(json: bytes)
        } catch {
            throw CommandError(status: .badData, description: "\(file.name):\(error). \(advice)")
        }
    }
}

/// A file named by an option and read as a whole.
private struct JSONFile {
    /// The path; `-` is standard input.
    let path: String
    /// A sentence with advice if the file doesn't exist.
    let advice: String

    /// The largest size in bytes.
    static let most = GateReport.mostJSONBytes

    /// The name for errors.
    var name: String { path == "-" ? "standard input" : path }

    /// At least 1 byte, and at most one byte over the limit.
    func bytes() throws(CommandError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try InputFile.bytes(of: path, limit: Self.most)
        } catch {
            let isAbsent = error.code == ENOENT
            throw missing(isAbsent ? "there is no such readable file" : "it can't be read (\(error.reason))")
        }
        guard !bytes.isEmpty else { throw missing("it is empty") }
        return bytes
    }

    private func missing(_ problem: String) -> CommandError {
        CommandError(status: .noInput, description: "\(name): \(problem). \(advice)")
    }
}
