import ArgumentParser
import PerfgateBaselines
import PerfgateModel

/// The flag of every subcommand that uses stored baselines.
struct BaselineFolder: ParsableArguments {
    @Option(help: "The folder of the baselines.")
    var baselines = "Baselines"

    /// The store.
    var store: BaselineStore { BaselineStore(folder: baselines) }

    /// Everything in the store.
    func load() throws(CommandError) -> Baselines {
        do {
            return try store.load()
        } catch {
            throw CommandError(status: .badConfiguration, description: "\(error)")
        }
    }
}
