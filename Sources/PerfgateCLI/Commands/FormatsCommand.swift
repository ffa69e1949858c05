import ArgumentParser
import PerfgateIngest
import PerfgateModel

/// `perfgate formats`: what files perfgate reads, and how they are made.
struct FormatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "formats",
        abstract:
            "Lists the formats that perfgate reads, those that it knows and ignores, and the command that makes each.",
        discussion: """
            EXAMPLE
              perfgate formats

            What a file is, its content says. --format of other commands takes the names in the first column, and so do \
            the rules of map: in the configuration.

            Exit codes: 0 listed.
            """)

    func run() {
        StandardStream.output.write(Self.text(ListedFormat.all))
    }

    /// The formats in lines, each with the line that makes it below.
    static func text(_ formats: [ListedFormat]) -> String {
        let (read, ignored) = (formats.filter { $0.name != nil }, formats.filter { $0.name == nil })
        var columns = TextColumns()
        for format in read { columns.add([format.name ?? "", format.title]) }
        let lines = zip(columns.lines(), read).flatMap { [$0, "      \($1.advice)"] }
        let others = ignored.map { "  \($0.title): \($0.advice)" }
        return (["Read:"] + lines + ["", "Known, and ignored beside other files:"] + others).joined(
            separator: "\n")
            + "\n"
    }
}
