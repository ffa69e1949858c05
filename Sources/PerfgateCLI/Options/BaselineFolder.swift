import ArgumentParser
import PerfgateBaselines
import PerfgateCompare
import PerfgateKit
import PerfgateModel
import PerfgateReport

/// The flag of every subcommand that uses stored baselines.
struct BaselineFolder: ParsableArguments {
    @Option(help: .taking("folder", "The folder of the baselines; default: the configuration's, else Baselines."))
    var baselines: String?

    var repeated: [SuggestedCommand.Argument] { baselines.map { [.option(.baselines, $0)] } ?? [] }

    func store(_ configuration: GateConfiguration) -> BaselineStore { configuration.naming(baselines: baselines).store }
}

extension BaselineStore {
    /// All content of the store; throws if a baseline can't be used.
    func content() throws(CommandError) -> Baselines {
        do {
            return try load()
        } catch {
            throw CommandError(status: .badConfiguration, description: "\(error)")
        }
    }

    /// The error for an empty store, with the command that adds runs.
    func nothingStored(_ options: [SuggestedCommand.Argument]) -> CommandError {
        let command = SuggestedCommand(.update, [.blank("LOGS")] + options).text
        return CommandError(
            status: .noInput, description: "\(folder): there is no baseline. Store one with `\(command)`.")
    }
}

extension Baselines {
    /// All places of the page that an argument names; throws with the nearest name, or the command that lists them.
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
    /// The reference of `--against`: a pinned copy of the store, or any folder of baselines.
    init(_ word: String, beside store: BaselineStore, _ options: [SuggestedCommand.Argument]) throws(CommandError) {
        let copy = store.pinned(word)
        let found = BaselineStore.canPin(as: word) && copy.isThere ? copy : store.other(word)
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
    static func chosen(_ folder: String?) throws(CommandError) -> TemplateSet {
        do {
            return try TemplateSet(overridingFolder: folder)
        } catch {
            throw CommandError(status: .badConfiguration, description: "\(error)")
        }
    }
}
