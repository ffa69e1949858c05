import ArgumentParser
import PerfgateIngest
import PerfgateModel

/// `perfgate formats`: lists the file formats that perfgate reads, and the commands that produce them.
struct FormatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "formats",
        abstract:
            "Lists the formats that perfgate reads or knowingly ignores, and the command that produces each.",
        discussion: """
            EXAMPLE
              perfgate formats

            perfgate detects a file's format from its content. The names in the first column are the values of \
            --format and of the rules of map: in the configuration.

            Exit codes: 0 listed.
            """)

    func run() {
        StandardStream.output.write(Self.text(ListedFormat.all))
    }

    /// The formats as lines, each followed by the command that produces it.
    static func text(_ formats: [ListedFormat]) -> String {
        let (read, ignored) = (formats.filter { $0.name != nil }, formats.filter { $0.name == nil })
        var columns = TextColumns()
        for format in read { columns.add([format.name ?? "", format.title]) }
        let lines = zip(columns.lines(), read).flatMap { [$0, "      \($1.advice)"] }
        let others = ignored.map { "  \($0.title): \($0.advice)" }
        return (["Read:"] + lines + ["", "Known, but ignored beside other files:"] + others).joined(
            separator: "\n")
            + "\n"
    }
}
