import PerfgateBaselines
import PerfgateKit
import PerfgateModel

extension Baselines {
    /// Every place of the page that a word of the command line names; an error with the nearest name where none is.
    func places(named word: String) throws(CommandError) -> [PageInEnvironment] {
        let found = places.filter { $0.page.isNamed(word) }
        guard found.isEmpty else { return found }
        throw CommandError(
            status: .noInput,
            description: "There is no baseline of a page '\(word)'. `perfgate baseline show` lists the pages.")
    }
}
