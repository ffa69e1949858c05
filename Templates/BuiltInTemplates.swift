/// The templates that are compiled into the binary, by file name.
package enum BuiltInTemplates {
    /// The frames of the reports and their included parts; UTF-8.
    package static let all: [String: [UInt8]] = [
        "report.html.mustache": PackageResources.report_html_mustache,
        "trend.html.mustache": PackageResources.trend_html_mustache,
        "report.md.mustache": PackageResources.report_md_mustache,
        "rows.md.mustache": PackageResources.rows_md_mustache,
    ]

    /// The style sheet of the HTML report; UTF-8.
    package static let styleSheet: [UInt8] = PackageResources.report_css

    /// The script of the page of trends, not replaceable; ASCII.
    package static let trendScript: [UInt8] = PackageResources.trend_js

    /// Its SHA-256 as a source of the page's content-security policy.
    package static let trendScriptHash = "sha256-fSao0jZGyv1I/x6D99bT3pj6ueFbfaAsg0ngG+ggR7s="
}
