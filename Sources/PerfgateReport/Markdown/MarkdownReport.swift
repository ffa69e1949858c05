import PerfgateCompare

/// The report as a comment on a pull request, or as a job's summary.
package struct MarkdownReport: Sendable {
    /// What a caller decides.
    package struct Options: Sendable, Hashable {
        /// By what the comment is found again; other characters than `[A-Za-z0-9._-]` become `-`.
        package var id: String
        /// The address of the full report; `nil`: no link.
        package var link: String?
        /// How many bytes the text may have; only the marker and the verdict are kept whatever it says.
        package var byteLimit: Int

        /// Makes options.
        package init(id: String = "report", link: String? = nil, byteLimit: Int = Options.commentByteLimit) {
            self.id = id
            self.link = link
            self.byteLimit = byteLimit
        }

        /// The first line of the text, by which a comment is found again.
        package var marker: String { "<!-- perfgate:\(safeID) -->" }

        /// The identifier, with nothing in it that could end the marker.
        var safeID: String {
            let plain = id.unicodeScalars.map { scalar in
                scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789._-".unicodeScalars.contains(scalar))
                    ? Character(scalar) : "-"
            }
            return String(plain)
        }

        /// The address of a comparison in the full report; `nil` where that has no address, or one within a page already.
        func link(to result: CellResult) -> String? {
            guard let link, !link.contains("#") else { return nil }
            return "\(link)#\(HTMLAnchor.metric(result.metric.id, of: result.place))"
        }

        /// What a comment may hold: GitHub takes 65,536 characters.
        package static let commentByteLimit = 65_000
        /// What a job's summary may hold: GitHub takes 1 MiB.
        package static let summaryByteLimit = 1_048_575
    }

    /// The report.
    package let report: GateReport
    /// What the caller decided.
    package let options: Options
    private let templates: TemplateSet

    /// Makes a renderer of a finished report.
    package init(_ report: GateReport, templates: TemplateSet, options: Options = Options()) {
        self.report = report
        self.templates = templates
        self.options = options
    }

    /// The Markdown: as much of the report as the limit leaves room for, left out by whole parts.
    package var text: String {
        for stage in MarkdownStage.allCases {
            let context = MarkdownContext(report: report, options: options, stage: stage)
            // Ten thousand rows aren't rendered to find that they are too long.
            guard templates.hasOwnRows || context.leastBytes <= options.byteLimit else { continue }
            let text = templates.render(.markdown, context.context)
            if text.utf8.count <= options.byteLimit { return text }
        }
        return text(at: .verdict)
    }

    /// The Markdown of one stage, whatever its size.
    func text(at stage: MarkdownStage) -> String {
        templates.render(.markdown, MarkdownContext(report: report, options: options, stage: stage).context)
    }
}

/// How much of a report a comment holds, from everything to the verdict alone.
enum MarkdownStage: Int, CaseIterable, Comparable {
    /// Everything.
    case whole
    /// Without the rows that only say that all is well.
    case withoutPassing
    /// Without anything that is folded.
    case withoutDetails
    /// The verdict, counts and the link.
    case counts
    /// The verdict alone.
    case verdict

    static func < (lhs: MarkdownStage, rhs: MarkdownStage) -> Bool { lhs.rawValue < rhs.rawValue }
}
