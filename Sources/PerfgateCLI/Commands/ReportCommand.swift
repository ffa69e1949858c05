import ArgumentParser
import PerfgateFiles

/// `perfgate report`: renders other forms of a report that was stored as JSON.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Renders a stored report from the JSON that --json wrote.",
        discussion: """
            EXAMPLE
              perfgate report result.json --html report.html --markdown report.md

            Every form is byte-identical to the form that the original command would have written. Exit codes: 0 \
            rendered, with any verdict, 64 usage, 65 not a report, 66 no such file, 73 can't write, 78 bad template.
            """)

    @Argument(help: "The report as JSON; - is standard input.")
    var result: String

    @OptionGroup(title: "Output") var outputs: OutputOptions

    func run() throws {
        let call = CallFiles()
        call.read(result, as: "the report")
        call.read(templates: outputs.templates)
        let files = try ReportFiles(outputs, of: call)
        let report = try ResultFile(result).report()
        try files.write(report)
        ConsoleReport(outputs).tell(report)
    }
}

/// `perfgate schema`: prints the JSON Schemas of the files that perfgate reads and writes.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Writes the JSON Schema of a form to standard output, for editors and validators.",
        discussion: """
            EXAMPLE
              perfgate schema config > perfgate.schema.json
            """)

    /// The forms that have a schema.
    enum Form: String, ExpressibleByArgument, CaseIterable {
        /// A line of the perfgate log.
        case log
        /// The JSON report.
        case report
        /// A file of the baselines.
        case baseline
        /// The configuration, `perfgate.yml`.
        case config

        /// The schema in UTF-8.
        var schema: [UInt8] {
            switch self {
            case .log: PackageResources.log_schema_json
            case .report: PackageResources.report_schema_json
            case .baseline: PackageResources.baseline_schema_json
            case .config: PackageResources.config_schema_json
            }
        }
    }

    @Argument(help: "The form: log (a line of it), report (what --json writes), baseline, or config (perfgate.yml).")
    var form: Form

    func run() throws {
        try CallFiles().output("-", for: "schema").write(form.schema)
    }
}
