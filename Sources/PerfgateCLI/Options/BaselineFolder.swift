import ArgumentParser
import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateKit
import PerfgateModel
import PerfgateReport

/// The flag of every subcommand that uses stored baselines.
struct BaselineFolder: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the baselines; default: the configuration's, else Baselines.", valueName: "folder"))
    var baselines: String?

    /// The option of this call, as suggested commands repeat it.
    var repeated: [SuggestedCommand.Argument] { baselines.map { [.option(.baselines, $0)] } ?? [] }

    /// The store.
    func store(_ configuration: GateConfiguration) -> BaselineStore {
        configuration.store.other(baselines ?? configuration.baselines)
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

    /// That the store is empty, and how to take something in.
    ///
    /// - Parameter options: The options of the call.
    func nothingStored(_ options: [SuggestedCommand.Argument]) -> CommandError {
        let command = SuggestedCommand(.update, [.blank("LOGS")] + options).text
        return CommandError(
            status: .noInput, description: "\(folder): there is no baseline. Take one in with `\(command)`.")
    }
}

extension Baselines {
    /// Every place of the page that a word of the command line names; where none is, an error with the nearest name, or
    /// with the command that lists them.
    ///
    /// - Parameter options: The options of the call.
    func places(
        named word: String, _ options: [SuggestedCommand.Argument]
    ) throws(CommandError) -> [PageInEnvironment] {
        let found = places.filter { $0.page.isNamed(word) }
        guard found.isEmpty else { return found }
        let nearest = Suggestion.nearest(to: word, among: Set(places.map(\.page)).sorted().map(\.name))
        let hint =
            nearest.map { "Did you mean '\($0)'?" } ?? "`\(SuggestedCommand(.show, options).text)` lists the pages."
        throw CommandError(
            status: .noInput, description: CleanText.line("There is no baseline of a page '\(word)'. \(hint)"))
    }
}

extension PinnedReference {
    /// What `--against` names: a pinned copy of the store, or a folder of baselines anywhere.
    ///
    /// - Parameter options: The options of the call.
    init(
        _ word: String, beside store: BaselineStore, _ options: [SuggestedCommand.Argument]
    ) throws(CommandError) {
        let copy = store.pinned(word)
        let found =
            BaselineStore.canPin(as: word) && copy.isThere ? copy : store.other(word)
        guard found.isThere else { throw Self.absent(word, from: store, options) }
        let baselines = try found.content()
        guard !baselines.entries.isEmpty else {
            throw CommandError(
                status: .noInput,
                description: "--against \(word): there is no baseline in \(found.folder). Give the folder that holds "
                    + "a folder for each environment, as `perfgate baseline update` writes it.")
        }
        self.init(name: word, reference: Reference(baselines))
    }

    private static func absent(
        _ word: String, from store: BaselineStore, _ options: [SuggestedCommand.Argument]
    ) -> CommandError {
        let names = (try? store.pinnedNames()) ?? []
        let known = names.isEmpty ? "none is pinned yet" : "pinned are \(names.joined(separator: ", "))"
        return CommandError(
            status: .noInput,
            description: "--against \(word): there is no pinned reference and no folder of that name; \(known). Pin "
                + "one with `\(SuggestedCommand(.pin, [.blank("NAME")] + options).text)`.")
    }
}

extension TemplateSet {
    /// The built-in templates, or those of a folder in their place.
    static func chosen(_ folder: String?) throws(CommandError) -> TemplateSet {
        do {
            return try TemplateSet(overridingFolder: folder)
        } catch {
            throw CommandError(status: .badConfiguration, description: "\(error)")
        }
    }
}
