import PerfgateCompare

/// The report as a page for a browser: one file without a script and without a request to anywhere.
public struct HTMLReport: Sendable {
    /// Where the style sheet stands.
    public enum Assets: String, Sendable, Hashable, CaseIterable {
        /// In the page itself.
        case inline
        /// In `report.css` beside it, for servers that forbid styles in a page.
        case external
    }

    /// The file beside the page that holds the style sheet where it is external.
    public static let styleSheetFile = "report.css"

    /// The report.
    public let report: GateReport
    /// Where the style sheet stands.
    public let assets: Assets
    private let templates: TemplateSet

    /// Makes a renderer of a finished report.
    public init(_ report: GateReport, templates: TemplateSet, assets: Assets = .inline) {
        self.report = report
        self.templates = templates
        self.assets = assets
    }

    /// The page.
    public var text: String {
        let styleSheet = assets == .inline ? templates.styleSheet : nil
        return templates.render(.html, HTMLContext(report: report, styleSheet: styleSheet).context)
    }

    /// What `report.css` holds; `nil` where the style sheet stands in the page.
    public var styleSheet: String? { assets == .external ? templates.styleSheet : nil }
}
