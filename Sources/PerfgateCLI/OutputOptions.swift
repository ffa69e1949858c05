import ArgumentParser
import PerfgateReport

extension JUnitReport.Dialect: ExpressibleByArgument {}

/// Whether the summary is coloured.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never
}

/// The flags of every subcommand that writes reports.
struct OutputOptions: ParsableArguments {
    @Option(help: "Write JUnit XML to this file; - is standard output.")
    var junit: String?

    @Option(help: "How much of JUnit's form is used: rich or strict.")
    var junitDialect = JUnitReport.Dialect.rich

    @Option(help: "Write the HTML report to this file.")
    var html: String?

    @Option(help: "Write the Markdown for a pull request to this file.")
    var markdown: String?

    @Option(help: "Write the Markdown for the job's summary to this file.")
    var summary: String?

    @Option(help: "A folder with templates that replace the built-in ones.")
    var templates: String?

    @Option(help: "Colour the summary: auto, always or never.")
    var color = ColorChoice.auto

    @Flag(help: "Let verdicts pass: exit codes 2, 3 and 5 become 0, errors stay.")
    var softFail = false

    @Flag(help: "Write no summary and no progress.")
    var quiet = false
}
