import ArgumentParser

/// `perfgate baseline`: the store.
struct BaselineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baseline", abstract: "Keeps the stored baselines.",
        subcommands: [
            BaselineUpdateCommand.self, BaselineShowCommand.self, BaselineDiffCommand.self,
            BaselinePruneCommand.self, BaselineRenameCommand.self, BaselinePinCommand.self, BaselineMergeCommand.self,
            BaselineImportCommand.self,
        ])

    func run() throws {
        throw ValidationError("There is no subcommand. Give one, such as update.")
    }
}
