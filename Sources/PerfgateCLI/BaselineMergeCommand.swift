import ArgumentParser
import Foundation
import PerfgateBaselines

/// `perfgate baseline merge`: the driver that git calls where two branches changed one baseline.
struct BaselineMergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merges two versions of a baseline file: a merge driver for git, which `perfgate init` sets up.",
        discussion: """
            The result, the union of their runs down to the window, is written to OURS.

            EXAMPLE
              git config merge.perfgate.driver 'perfgate baseline merge %O %A %B'
            """)

    @Argument(help: "The version that both started from; an empty file where both made it.")
    var base: String

    @Argument(help: "Our version, which gets the result.")
    var ours: String

    @Argument(help: "Their version.")
    var theirs: String

    @OptionGroup var file: ConfigurationOption

    func run() throws {
        let window = try file.load().window
        do {
            let common = try bytes(of: base)
            let merged = try BaselineFile.merge(
                base: common.isEmpty ? nil : try BaselineFile(reading: common, path: base),
                ours: try BaselineFile(reading: try bytes(of: ours), path: ours),
                theirs: try BaselineFile(reading: try bytes(of: theirs), path: theirs), window: window)
            try BaselineStore.replace(ours, with: merged)
        } catch let error as BaselineError {
            throw CommandError(status: .badData, description: "\(error)")
        }
    }

    private func bytes(of path: String) throws(CommandError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError(status: .noInput, description: "\(path): it can't be read. Check the path.")
        }
        return Array(data)
    }
}
