/// The templates that a report begins with, and what fills them.
enum TemplateFrame: String, CaseIterable {
    /// The pull-request comment and the job summary.
    case markdown = "report.md"
    /// The HTML report.
    case html = "report.html"

    /// The names that fill it.
    var shape: [String: TemplateShape] {
        switch self {
        case .markdown: Self.markdownShape
        case .html: Self.htmlShape
        }
    }

    private static let markdownShape: [String: TemplateShape] = [
        "id": .markup, "has_owners": .flag, "headline": .text, "notes": texts, "faults": texts,
        "worse": .list(["rows": rows, "has_history": .flag, "more": .text]),
        "next": .list(nextBlock),
        "more_next": .list(["title": .markup, "blocks": .list(nextBlock), "left": .text]),
        "groups": .list(["title": .markup, "is_open": .flag, "rows": rows, "has_history": .flag]),
        "lists": .list(["title": .markup, "items": texts]),
        "counts": .text, "link": .markup,
    ]

    private static let nextBlock: [String: TemplateShape] = [
        "page": .text, "fence": .markup, "steps": .list(["purpose": .markup, "command": .markup]),
    ]

    private static let texts: TemplateShape = .list(["text": .text])

    private static let rows: TemplateShape = .list([
        "page": .text, "environment": .text, "metric": .text, "place": .markup, "values": .text, "change": .text,
        "limit": .text, "history": .text, "owner": .text,
    ])

    private static let htmlShape: [String: TemplateShape] = [
        "style_sheet": .markup, "title": .text, "headline": .text, "outcome": .markup, "tool": .text,
        "exit_code": .text, "notes": texts, "faults": items,
        "overview": .list([
            "rows": .list([
                "class": .markup, "verdict": .text, "page": .text, "environment": .text, "metric": .text,
                "anchor": .markup, "baseline": .text, "candidate": .text, "change": .text, "limit": .text,
                "history": .markup,
            ]),
            "has_history": .flag, "brief": .text,
        ]),
        "contents": .list([
            "count": .text,
            "items": .list([
                "anchor": .markup, "page": .text, "environment": .text, "class": .markup, "verdict": .text,
            ]),
        ]),
        "next": .list([
            "blocks": .list([
                "page": .text, "is_folded": .flag, "steps": .list(["purpose": .text, "command": .text]),
            ]),
            "left": .text,
        ]),
        "pages": .list([
            "anchor": .markup, "page": .text, "about": .text, "comparisons": .list(comparison),
            "frames": .list([
                "origin": .text, "plot": .markup, "legend": .text,
                "scrolls": .list([
                    "rows": .list([
                        "scroll": .text, "duration": .text, "events": .text, "worst": .text, "frames": .text,
                        "longest": .text,
                    ]),
                    "left": .text,
                ]),
            ]),
            "visit": .list([
                "origin": .text, "plot": .markup, "phases": .list(["name": .text, "value": .text]),
            ]),
            "others": .list([
                "rows": .list([
                    "anchor": .markup, "metric": .text, "class": .markup, "verdict": .text, "values": .text,
                    "change": .text,
                ])
            ]),
        ]),
        "environments": items, "diagnostics": items,
    ]

    private static let items: TemplateShape = .list(["items": texts])

    private static let comparison: [String: TemplateShape] = [
        "anchor": .markup, "metric": .text, "meaning": .text, "class": .markup, "verdict": .text, "reason": .text,
        "plot": .markup,
        "samples": .list([
            "unit": .text,
            "sides": .list(["side": .text, "count": .text, "runs": .text, "center": .text, "values": .text]),
        ]),
        "rule": .list(["numbers": .list(["name": .text, "value": .text])]),
    ]
}
