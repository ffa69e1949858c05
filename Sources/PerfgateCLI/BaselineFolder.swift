import ArgumentParser
import PerfgateBaselines

/// The flag of every subcommand that uses stored baselines.
struct BaselineFolder: ParsableArguments {
    @Option(help: "The folder of the baselines; the configuration's if left out, else Baselines.")
    var baselines: String?

    /// The store.
    func store(_ configuration: Configuration) -> BaselineStore {
        BaselineStore(folder: baselines ?? configuration.baselines, key: configuration.environmentKey)
    }
}

extension BaselineStore {
    /// Everything in the store; a baseline that can't be used ends the command.
    func content() throws(CommandError) -> Baselines {
        do {
            return try load()
        } catch {
            throw CommandError(status: .badConfiguration, description: "\(error)")
        }
    }
}
