import ArgumentParser
import PerfgateBaselines
import PerfgateCompare

/// `perfgate baseline pin`: a copy of the store that never moves.
struct BaselinePinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Keeps a copy of the baselines under a name, to compare with by check --against NAME.",
        discussion: """
            The rolling baseline moves on with every run that is taken in, so that many small steps, each below its \
            tolerance, go unseen. A pinned one doesn't move. The copy stands in the folder .pinned of the baselines; \
            to undo it, remove its folder.

            EXAMPLE
              perfgate baseline pin 7.129
              perfgate check logs/ --against 7.129
            """)

    @Argument(help: "The name, of letters, digits, dots, dashes and underscores.")
    var name: String

    @OptionGroup var folder: BaselineFolder
    @OptionGroup var file: ConfigurationOption

    func validate() throws {
        guard BaselineStore.canPin(as: name) else {
            throw ValidationError(
                "'\(name)' can't name a folder everywhere. Use letters, digits, dots, dashes and underscores.")
        }
    }

    func run() throws {
        let store = folder.store(try file.load())
        _ = try store.content()
        do {
            let count = try store.pin(as: name)
            guard count > 0 else { throw nothing(in: store) }
            StandardStream.output.write("pinned: \(Figure.count(count, "baseline")) as \(name)\n")
        } catch let error as BaselineError {
            throw CommandError(status: .cannotWrite, description: "\(error)")
        }
    }

    private func nothing(in store: BaselineStore) -> CommandError {
        CommandError(
            status: .noInput,
            description: "\(store.folder): there is no baseline. Take one in with `perfgate baseline update LOGS`.")
    }
}
