import ArgumentParser

/// `perfgate report`: the other forms of a report that was kept as JSON.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Renders a report again from the JSON that --json wrote.",
        discussion: """
            EXAMPLE
              perfgate report result.json --html report.html --markdown report.md

            Every form is the same, byte by byte, as the command that wrote the JSON would have written. Exit codes: \
            0 rendered, whatever the verdict, 64 usage, 65 not a report, 66 no such file, 73 can't write, 78 bad \
            template.
            """)

    @Argument(help: "The report as JSON; - is standard input.")
    var result: String

    @OptionGroup(title: "Output") var outputs: OutputOptions

    func run() throws {
        let files = try ReportFiles(outputs)
        let report = try ResultFile(result).report()
        try files.write(report)
        ConsoleReport(outputs).tell(report)
    }
}
