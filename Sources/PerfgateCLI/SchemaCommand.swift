import ArgumentParser

/// `perfgate schema`: the JSON Schemas of what perfgate reads and writes.
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
        try StandardStream.output.deliver(form.schema)
    }
}
