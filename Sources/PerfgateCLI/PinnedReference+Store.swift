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
        self.init(name: word, reference: Reference(try found.content()))
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
