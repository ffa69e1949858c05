import PerfgateBaselines
import PerfgateKit
import PerfgateModel
import PerfgateReport

extension Baselines {
    /// Every place of the page that a word of the command line names; where none is, an error with the nearest name, or
    /// with the command that lists them.
    func places(named word: String) throws(CommandError) -> [PageInEnvironment] {
        let found = places.filter { $0.page.isNamed(word) }
        guard found.isEmpty else { return found }
        let nearest = Suggestion.nearest(to: word, among: Set(places.map(\.page)).sorted().map(\.name))
        let hint = nearest.map { "Did you mean '\($0)'?" } ?? "`perfgate baseline show` lists the pages."
        throw CommandError(
            status: .noInput, description: CleanText.line("There is no baseline of a page '\(word)'. \(hint)"))
    }
}
