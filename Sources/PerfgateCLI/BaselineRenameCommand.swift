import ArgumentParser
import PerfgateBaselines
import PerfgateKit
import PerfgateModel
import PerfgateReport

/// `perfgate baseline rename`: a page got another name and keeps its history.
struct BaselineRenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Gives a page's baselines another name, in every environment, with all their samples.",
        discussion: """
            EXAMPLE
              perfgate baseline rename Search 'Search results'
            """)

    @Argument(help: "The page, by its name or by the name of its baseline's file.")
    var old: String

    @Argument(help: "Its new name.")
    var new: String

    @OptionGroup var folder: BaselineFolder
    @OptionGroup var file: ConfigurationOption

    func validate() throws {
        if new.allSatisfy(\.isWhitespace) { throw ValidationError("The new name is empty. Give the page a name.") }
    }

    func run() throws {
        let store = folder.store(try file.load())
        let baselines = try store.content()
        let page = Page(new)
        let places = try baselines.places(named: old)
        if let taken = places.first(where: {
            baselines[PageInEnvironment(page: page, environment: $0.environment)] != nil && $0.page != page
        }) {
            throw CommandError(
                status: .usage,
                description: "There is a baseline of '\(new)' in \(taken.environment) already. Prune it first, or "
                    + "choose another name.")
        }
        for place in places {
            do {
                try store.rename(place, to: page, foundAt: baselines.entries[place]?.path)
            } catch {
                throw CommandError(status: .cannotWrite, description: "\(error)")
            }
            StandardStream.output.write(
                CleanText.line("renamed: \(place.page.name) → \(new) in \(place.environment)") + "\n")
        }
    }
}
