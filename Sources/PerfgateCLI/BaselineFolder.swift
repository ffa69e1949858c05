import ArgumentParser
import Foundation
import PerfgateBaselines
import PerfgateModel

/// The flag of every subcommand that uses stored baselines.
struct BaselineFolder: ParsableArguments {
    @Option(help: "The folder of the baselines; the configuration's if left out, else Baselines.")
    var baselines: String?

    /// The store.
    func store(_ configuration: Configuration) -> BaselineStore {
        BaselineStore(folder: baselines ?? configuration.baselines, key: configuration.environmentKey)
    }

    /// What to say where the folder isn't there, as when the command runs in another one.
    func remarks(_ configuration: Configuration) -> [Diagnostic] {
        let folder = baselines ?? configuration.baselines
        guard !FileManager.default.fileExists(atPath: folder) else { return [] }
        let text = "There is no folder \(folder), so nothing has a baseline. Run where it is, or give --baselines."
        return [Diagnostic(.noBaselineFolder, text)]
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
