import ArgumentParser

/// `perfgate schema`: the JSON Schemas of what perfgate reads and writes.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Writes the JSON Schema of a form to standard output, for editors and validators.",
        discussion: """
            EXAMPLE
              perfgate schema report > report.schema.json
            """)

    /// The forms that have a schema.
    enum Form: String, ExpressibleByArgument, CaseIterable {
        /// The JSON report.
        case report

        /// The schema in UTF-8.
        var schema: [UInt8] {
            switch self {
            case .report: PackageResources.report_schema_json
            }
        }
    }

    @Argument(help: "The form: report, which is what --json writes.")
    var form: Form

    func run() {
        StandardStream.output.write(form.schema)
    }
}
