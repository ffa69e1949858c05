import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateReport

struct MarkdownReportTests {
    /// The text with plain spaces, which numbers and verdicts don't have.
    private func spaced(_ report: GateReport, _ options: MarkdownReport.Options = .init()) throws -> String {
        try render(report, options).replacing("\u{A0}", with: " ")
    }

    private func render(_ report: GateReport, _ options: MarkdownReport.Options = .init()) throws -> String {
        try MarkdownReport(report, templates: TemplateSet(), options: options).text
    }

    @Test func aReportWithEveryVerdict() throws {
        let text = try render(MarkdownFixtures.mixed, .init(id: "main", link: "https://ci.example/1/report.html"))
        try MarkdownGolden(name: "mixed.md").expect(text)
    }

    @Test func aReportWithNothingInItHasNoEmptySections() throws {
        let report = GateReport(tool: "perfgate 0.1.0", outcome: .passed, exitCode: 0, headline: "Nothing fails.")
        #expect(try render(report) == "<!-- perfgate:report -->\n**Nothing fails.**\n")
    }

    @Test func theMarkerHoldsOnlySafeCharacters() throws {
        let first = try render(MarkdownFixtures.mixed, .init(id: "a b--><é.9")).prefix { $0 != "\n" }
        #expect(first == "<!-- perfgate:a-b-----.9 -->")
    }

    @Test func theNumbersOfAJoinedRowNameTheirPage() throws {
        let pages = [("Search", 700.2), ("Home", 660)].map { page, value in
            MarkdownFixtures.result(
                page, .regressed, candidate: [value, value, value], numbers: MarkdownFixtures.numbers)
        }
        let above = try spaced(MarkdownFixtures.report(pages)).split(separator: "<details")[0]
        let row = try #require(above.split(separator: "\n").first { $0.hasPrefix("| ▲") })
        #expect(row.contains("| **Search and Home** ·") || row.contains("| **Home and Search** ·"))
        let first =
            row.contains("| **Search and") ? "Search: 512.9 → 700.2 ms \\(+37 %\\)" : "Home: 512.9 → 660 ms \\(+37 %\\)"
        #expect(row.contains("| \(first) |"), "\(row)")
    }

    @Test func tenRowsAboveTheFoldTheOthersBelowOrCounted() throws {
        let many = (10..<23).map { page in
            let metric = Metric(id: "metric_\(page)", unit: .milliseconds, better: .lower)
            return MarkdownFixtures.result("P\(page)", .regressed, metric, numbers: MarkdownFixtures.numbers)
        }
        let renderer = try MarkdownReport(MarkdownFixtures.report(many), templates: TemplateSet())
        let parts = renderer.text.split(separator: "<details")
        #expect(parts[0].contains("| **P19** ·") && !parts[0].contains("| **P20** ·"))
        let below = parts.dropFirst().joined()
        #expect(below.contains("Everything worse or not measured (13)") && below.contains("| **P22** ·"))
        #expect(!renderer.text.contains("And 3 more"))
        let short = renderer.text(at: .withoutDetails)
        #expect(short.contains("And 3 more findings.") && !short.contains("| **P20** ·"))
        #expect(renderer.text(at: .counts).contains("Not listed here: 13 worse or not measured."))
    }

    /// The report of a large app's bad day: 500 pages, 120 of them worse in two metrics each, with long names.
    @Test func fiveHundredPagesKeepTheVerdictTheTenWorstAndTheLimit() throws {
        let long = String(repeating: "Section of a long name ", count: 3)
        let results = (0..<500).flatMap { page in
            ["ttil", "ttfl"].map { metric in
                let metric = Metric(id: metric, unit: .milliseconds, better: .lower)
                var numbers = MarkdownFixtures.numbers
                numbers.delta = Double(page + 100)
                let verdict: Verdict = page < 120 && metric.id == "ttil" ? .regressed : .passed
                return MarkdownFixtures.result("\(long)\(page)", verdict, metric, numbers: numbers)
            }
        }
        let history = (0..<30).map { 500 + Double($0) }
        let judged = results.map { result in
            result.with {
                $0.baseline?.history = history
                $0.candidate?.history = [700.2]
            }
        }
        var report = MarkdownFixtures.report(judged, headline: "120 of 1000 comparisons are worse.")
        report.next = (110..<120).reversed().flatMap { page in
            (0..<4).map { step in
                NextStep(
                    page: Page("\(long)\(page)"),
                    purpose: "If the change is intended, accept it with its reason \(step)",
                    command: MarkdownFixtures.acceptance(page: "\(long.suffix(190))\(page)"))
            }
        }
        let text = try spaced(report, .init(link: "https://ci.example/jobs/123456/artifacts/report.html"))
        #expect(text.utf8.count < 65_000)
        #expect(text.hasPrefix("<!-- perfgate:report -->\n**Section of a long name"))
        let above = text.split(separator: "<details")[0]
        // All changed alike, so they are one finding; the comparisons follow below it.
        let row = try #require(above.split(separator: "\n").first { $0.hasPrefix("| ▲ worse | **\(long.prefix(59))") })
        #expect(row.contains(" and 118 more pages** ·") && above.ranges(of: "| ▲ worse |").count == 1)
        #expect(text.split(separator: "\n").count { $0.hasPrefix("| ▲ worse | **\(long)") } == 120)
        #expect(text.contains("<summary>Everything worse or not measured (120)</summary>"))
        #expect(text.contains("Not listed here: 880 unchanged."))
    }

    @Test func anOwnerIsNamedAndNeverCalled() throws {
        var report = MarkdownFixtures.mixed
        report.pages[0].owner = "@org/search_team|x"
        let text = try render(report)
        #expect(text.contains("<br>owned by @\u{200B}org/search\\_team\\|x"))
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("|") }
        var expected = 0
        for row in rows {
            let bars = row.replacing("\\|", with: "").count { $0 == "|" }
            if row.hasPrefix("| | page") { expected = bars }
            #expect(bars == expected && bars == 5)
        }
    }

    @Test func rowsLinkToTheirPlaceInTheReportWhereItHasAnAddress() throws {
        let result = MarkdownFixtures.result("Search", .regressed)
        let anchor = HTMLAnchor.metric("ttil", of: result.place)
        let report = MarkdownFixtures.report([result, MarkdownFixtures.result("Home", .passed)])
        let text = try render(report, .init(link: "https://ci.example/a b?x=1&y=2"))
        #expect(
            text.contains("| **Search** · [time to initial load](<https://ci.example/a%20b?x=1&amp;y=2#\(anchor)>) |"))
        #expect(text.contains("| **Home** · time to initial load |"))
        #expect(try !render(report, .init(link: "https://ci.example/#x")).contains("[time"))
        #expect(try !render(report).contains("]("))
        let html = try HTMLReport(report, templates: TemplateSet()).text
        #expect(html.contains("id=\"\(anchor)\""))
    }

    @Test func aNameCantLeaveItsCell() throws {
        let results = Verdict.allCases.map { MarkdownFixtures.result(MarkdownFixtures.hostile, $0) }
        var report = MarkdownFixtures.report(results, headline: MarkdownFixtures.hostile)
        report.notes = [MarkdownFixtures.hostile]
        report.diagnostics = [Diagnostic(.badLine, path: MarkdownFixtures.hostile, MarkdownFixtures.hostile)]
        report.faultyInputs = [
            FaultyInput(path: MarkdownFixtures.hostile, fault: .badData, message: MarkdownFixtures.hostile)
        ]
        let text = try render(report)
        for part in ["<script", "<!-- www", "@here", "www.a", "http://", "\u{1B}", "\u{FFFE}", "\u{202E}", "\n::"] {
            #expect(!text.contains(part), "\(part.debugDescription)")
        }
        #expect(!Array(text.unicodeScalars).contains(["<", "\u{301}"]))
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("|") && $0.contains("alert") }
        // One row for each, and three more for the parts that the findings' table doesn't show completely.
        #expect(rows.count == Verdict.allCases.count + 2)
        for row in rows { #expect(row.replacing("\\|", with: "").count { $0 == "|" } == 5) }
        #expect(text.utf8.count < MarkdownReport.Options.wholeByteLimit)
    }

    @Test(arguments: ["````x````", "a\n```\n<details>", "```"])
    func aCommandsPurposeCantLeaveItsFence(purpose: String) throws {
        var report = MarkdownFixtures.mixed
        report.next = [NextStep(purpose: purpose, command: MarkdownFixtures.explanation)]
        let lines = try render(report).split(separator: "\n", omittingEmptySubsequences: false)
        let opening = try #require(lines.firstIndex { $0.hasSuffix("`sh") })
        let fence = lines[opening].dropLast(2)
        let closing = try #require(lines[(opening + 1)...].firstIndex { $0.hasPrefix(fence) })
        #expect(
            lines[(opening + 1)..<closing].joined(separator: "\n")
                == "# \(purpose.replacing("\n", with: " "))\n\(MarkdownFixtures.explanation.text)")
    }

    @Test func everyLimitIsKeptByTheFirstStageThatFitsAndNothingIsCutOpen() throws {
        let report = MarkdownFixtures.mixed
        let renderer = try MarkdownReport(report, templates: TemplateSet())
        let stages = MarkdownStage.allCases.map(renderer.text(at:))
        #expect(zip(stages, stages.dropFirst()).allSatisfy { $0.utf8.count > $1.utf8.count })
        for (index, stage) in stages.enumerated() {
            let size = stage.utf8.count
            #expect(try render(report, .init(byteLimit: size)) == stage)
            let next = index + 1 < stages.count ? stages[index + 1] : stage
            #expect(try render(report, .init(byteLimit: size - 1)) == next)
            #expect(stage.ranges(of: "<details").count == stage.ranges(of: "</details>").count)
            #expect(stage.ranges(of: "```").count.isMultiple(of: 2))
            #expect(stage.hasPrefix("<!-- perfgate:report -->\n**Search: "))
        }
    }

    @Test func whatIsLeftOutIsCounted() throws {
        let renderer = try MarkdownReport(
            MarkdownFixtures.mixed, templates: TemplateSet(), options: .init(link: "https://ci.example"))
        #expect(renderer.text(at: .withoutPassing).contains("Not listed here: 1 improved, 2 unchanged, 1 not gated."))
        #expect(renderer.text(at: .counts).contains("Not listed here: 3 worse or not measured"))
        #expect(renderer.text(at: .counts).contains("[Full report](<https://ci.example>)"))
    }

    @Test func theOrderOfTheInputDoesntMatter() throws {
        var shuffled = MarkdownFixtures.mixed
        shuffled = GateReport(
            tool: shuffled.tool, outcome: shuffled.outcome, exitCode: shuffled.exitCode, headline: shuffled.headline,
            notes: shuffled.notes, runs: shuffled.runs, comparisons: shuffled.comparisons.reversed(),
            pages: shuffled.pages, environments: shuffled.environments, diagnostics: shuffled.diagnostics,
            next: shuffled.next)
        #expect(try render(shuffled) == render(MarkdownFixtures.mixed))
    }
}
