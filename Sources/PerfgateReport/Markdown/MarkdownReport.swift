import PerfgateCompare

/// The report as a pull request comment or a job summary.
package struct MarkdownReport: Sendable {
    package struct Options: Sendable, Hashable {
        /// The identifier for finding the comment again; characters other than `[A-Za-z0-9._-]` become `-`.
        package var id: String
        /// The address of the full report; `nil`: no link.
        package var link: String?
        /// The command that fetches the logs of the measuring job; `nil`: unknown.
        package var download: String?
        /// The line of a comment that accepts the worst change of a page, by the page's name; safe in a command.
        package var acceptances: [String: String] = [:]
        /// The largest size in bytes; the marker and the verdict are always kept.
        package var byteLimit: Int

        package init(id: String = "report", link: String? = nil, byteLimit: Int = Options.wholeByteLimit) {
            (self.id, self.link, self.byteLimit) = (id, link, byteLimit)
        }

        /// The first line of the text, which identifies the comment.
        package var marker: String { "<!-- perfgate:\(safeID) -->" }

        /// The identifier without characters that could end the marker.
        var safeID: String {
            let plain = id.unicodeScalars.map { scalar in
                scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789._-".unicodeScalars.contains(scalar))
                    ? Character(scalar) : "-"
            }
            return String(plain)
        }

        /// The address of a comparison in the full report; `nil` without an address, or if that already has an anchor.
        func link(to result: CellResult) -> String? {
            guard let link, !link.contains("#") else { return nil }
            return "\(link)#\(result.htmlAnchor)"
        }

        /// The limit of a comment that is read at a glance.
        package static let commentByteLimit = 12_000
        /// The limit of a comment with every comparison: GitHub accepts 65,536 characters.
        package static let wholeByteLimit = 65_000
        /// The limit of a job summary: GitHub accepts 1 MiB.
        package static let summaryByteLimit = 1_048_575
    }

    package let report: GateReport
    package let options: Options
    private let templates: TemplateSet

    package init(_ report: GateReport, templates: TemplateSet, options: Options = Options()) {
        (self.report, self.templates, self.options) = (report, templates, options)
    }

    /// The Markdown: as much of the report as the limit allows; whole parts are left out.
    package var text: String {
        var context = MarkdownContext(report: report, options: options, stage: .whole)
        for stage in MarkdownStage.allCases {
            context.stage = stage
            // Skips stages that are too long for certain, without rendering ten thousand rows.
            guard templates.hasOwnRows || context.leastBytes <= options.byteLimit else { continue }
            let text = templates.render(.markdown, context.context)
            // A team's own template may consist of rows, and then be empty without them.
            let isEmptied = stage > .whole && text.allSatisfy(\.isWhitespace)
            if text.utf8.count <= options.byteLimit, !isEmptied { return text }
        }
        guard templates.hasOwnRows, let templates = try? TemplateSet() else { return text(at: .verdict) }
        return MarkdownReport(report, templates: templates, options: options).text(at: .verdict)
    }

    func text(at stage: MarkdownStage) -> String {
        templates.render(.markdown, MarkdownContext(report: report, options: options, stage: stage).context)
    }
}

/// The stages of a comment, from everything to only the verdict.
enum MarkdownStage: CaseIterable, Comparable {
    case whole
    /// Without rows that only say that all is well.
    case withoutPassing
    case withoutDetails
    /// The verdict, counts and the link.
    case counts
    case verdict
}
