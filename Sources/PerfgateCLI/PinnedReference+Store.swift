import PerfgateBaselines
import PerfgateKit
import PerfgateCompare

extension PinnedReference {
    /// What `--against` names: a pinned copy of the store, or a folder of baselines anywhere.
    init(_ word: String, beside store: BaselineStore) throws(CommandError) {
        let copy = store.pinned(word)
        let found =
            BaselineStore.canPin(as: word) && copy.isThere ? copy : BaselineStore(folder: word, key: store.key)
        guard found.isThere else { throw Self.absent(word, from: store) }
        let baselines = try found.content()
        guard !baselines.entries.isEmpty else {
            throw CommandError(
                status: .noInput,
                description: "--against \(word): there is no baseline in \(found.folder). Give the folder that holds "
                    + "a folder for each environment, as `perfgate baseline update` writes it.")
        }
        self.init(name: word, reference: Reference(baselines))
    }

    private static func absent(_ word: String, from store: BaselineStore) -> CommandError {
        let names = (try? store.pinnedNames()) ?? []
        let known = names.isEmpty ? "none is pinned yet" : "pinned are \(names.joined(separator: ", "))"
        return CommandError(
            status: .noInput,
            description: "--against \(word): there is no pinned reference and no folder of that name; \(known). Pin "
                + "one with `perfgate baseline pin NAME`.")
    }
}
