import PerfgateReport

extension TemplateSet {
    /// The built-in templates, or those of a folder in their place.
    static func chosen(_ folder: String?) throws(CommandError) -> TemplateSet {
        do {
            return try TemplateSet(overridingFolder: folder)
        } catch {
            throw CommandError(status: .badConfiguration, description: "\(error)")
        }
    }
}
