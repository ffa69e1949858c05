import Foundation
import PerfgateKit

/// The command that measures suspects again.
struct RerunCommand {
    /// The command's text, for `sh`.
    let text: String
    /// How the suspects are listed for it.
    let format: RerunList.Format

    /// The folder that takes the logs of all attempts, within the working directory.
    static let folder = "perfgate-rerun"

    /// Runs the command; gives the folder that took its logs. One that stays empty is an input without logs.
    func run(for suspects: Suspects, attempt: Int) throws -> [String] {
        let folder = "\(Self.folder)/\(attempt)"
        try make(folder)
        let list = RerunList(suspects, format: format)
        ConsoleReport.tell(list.diagnostics)
        return try PrivateFolder.with { place in
            let file = place.appending(path: "suspects")
            try Data(list.text.utf8).write(to: file)
            let status = try launch(["PERFGATE_RERUN_LIST": file.path, "PERFGATE_OUT": Self.absolute(folder)])
            if status != 0 {
                StandardStream.error.write(
                    "perfgate: the rerun command ended with code \(status); its logs are read.\n")
            }
            return [folder]
        }
    }

    /// An older call's logs must not be taken for this one's, and are not removed either.
    private func make(_ folder: String) throws {
        let manager = FileManager.default
        let content = (try? manager.contentsOfDirectory(atPath: folder)) ?? []
        guard content.isEmpty else {
            throw CommandError(
                status: .cannotWrite,
                description: "\(folder): it holds the logs of an earlier call. Remove \(Self.folder), and run again.")
        }
        do {
            try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw CommandError(
                status: .cannotWrite, description: "\(folder): it can't be made. Run in a folder that can be written.")
        }
    }

    /// Standard output carries the result, so what the command says goes to standard error.
    private func launch(_ variables: [String: String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", text]
        process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.standardError
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private static func absolute(_ folder: String) -> String {
        "\(FileManager.default.currentDirectoryPath)/\(folder)"
    }
}
