import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateReport

/// The same value has the same digits in every report.
struct SameNumbersTests {
    /// A comparison, with the texts that every report must show for it.
    struct Row: Sendable, CustomTestStringConvertible {
        let unit: Unit
        let old: Double
        let new: Double
        var tolerance = 0.5
        /// The two centres and their difference.
        let texts: (old: String, new: String, change: String)

        var testDescription: String { "\(old) → \(new) \(unit.symbol)" }
    }

    static let rows = [
        Row(unit: .milliseconds, old: 0, new: -0.0, texts: ("0 ms", "0 ms", "0 ms")),
        Row(unit: .milliseconds, old: 1e-15, new: 0, texts: ("1e−15 ms", "0 ms", "0 ms")),
        Row(unit: .framesPerSecond, old: 60.000000000000007, new: 60, texts: ("60 fps", "60 fps", "0 fps")),
        Row(unit: .milliseconds, old: 1234567.891, new: 0.05, texts: ("1234567.9 ms", "0.05 ms", "−1234567.8 ms")),
        Row(unit: .milliseconds, old: 512.94, new: 700.16, texts: ("512.9 ms", "700.2 ms", "+187.2 ms")),
        Row(unit: .frames, old: 1, new: 2.8, texts: ("1 frame", "2.8 frames", "+1.8 frames")),
        Row(unit: .frames, old: 2, new: 1, texts: ("2 frames", "1 frame", "−1 frame")),
        Row(unit: Unit("%"), old: -3.14159, new: 0.05, texts: ("−3.14 %", "0.05 %", "+3.19 %")),
        Row(unit: .milliseconds, old: -1e300, new: 1e300, texts: ("−1e300 ms", "1e300 ms", "+2e300 ms")),
        Row(
            unit: .milliseconds, old: .leastNonzeroMagnitude, new: -1e15,
            texts: ("4.9e−324 ms", "−1e15 ms", "−1e15 ms")),
    ]

    /// A finished row as the rule gives it, with a limit above it.
    private static func report(_ row: Row) throws -> GateReport {
        let metric = Metric(id: "metric", unit: row.unit, better: .lower)
        let cell = Cell(page: Page("Search"), metric: metric.id, environment: MarkdownFixtures.phone)
        func runs(_ value: Double) -> [RunSamples] { [RunSamples(run: "r", samples: [Sample(value), Sample(value)])] }
        var policy = Policy()
        policy.metrics[metric.id] = MetricSettings(
            gate: Setting(true, from: .builtIn), tolerance: Setting(0, from: .builtIn),
            minChange: Setting(row.tolerance, from: .builtIn))
        let measured = Measurements(
            runs: [Run(id: "r", context: Context(), streams: [], sampleCount: 2)],
            cells: [cell: CellMeasurement(metric: metric, runs: runs(row.new), iterations: ["r": [0, 1]])])
        let reference = Reference(cells: [cell: Reference.Entry(metric: metric, runs: runs(row.old))])
        return MarkdownFixtures.report(try Judge(policy: policy).compare(measured, with: reference))
    }

    @Test(arguments: rows)
    func everyReportShowsThem(_ row: Row) throws {
        let report = try Self.report(row)
        let result = try #require(report.comparisons.first)
        let templates = try TemplateSet()
        let html = HTMLReport(report, templates: templates).text
        let markdown = MarkdownReport(report, templates: templates).text.replacing("\u{A0}", with: " ")
        let junit = String(decoding: try JUnitReport(report).bytes(), as: UTF8.self)
        let explained = ExplanationText(Explanation(result), in: report).text
        let annotations = GitHubAnnotations(report).text
        let texts = row.texts
        let bare = [texts.old, texts.new, texts.change].map { String($0.prefix { $0 != " " }) }

        #expect(markdown.contains("| \(bare[0]) → \(texts.new)"), "\(markdown)")
        #expect(html.contains("\(bare[0]) → \(texts.new)"), "\(texts)")
        for (name, text) in [("baseline", texts.old), ("candidate", texts.new), ("change", texts.change)] {
            #expect(junit.contains("name=\"perfgate.\(name)\" value=\"\(text)\""), "\(name)")
        }
        #expect(explained.contains("\(result.metric.centre.rawValue) \(bare[0])\n"), "\(explained)")
        #expect(explained.contains("The change of \(texts.change)"), "\(explained)")
        #expect(result.reason.contains(bare[2] == "0" ? "It didn't change" : "It changed by \(texts.change)"))

        let terminal = TerminalSummary(report).text
        for text in [markdown, junit, explained, annotations, terminal, result.reason] {
            #expect(!text.contains("000000"), "rounding shows: \(text)")
            #expect(text.firstMatch(of: /[ (\[>"]-\d|\de[-+]\d/) == nil, "another minus than −: \(text)")
        }
    }

    /// An interval is shown with its own estimate, and beside no other number.
    @Test func anIntervalBelongsToItsShift() throws {
        var numbers = MarkdownFixtures.numbers
        (numbers.delta, numbers.shift, numbers.interval) = (2.84, 3, [3, 3])
        let report = MarkdownFixtures.report([MarkdownFixtures.result("Search", .regressed, numbers: numbers)])
        let templates = try TemplateSet()
        let markdown = MarkdownReport(report, templates: templates).text
        #expect(!markdown.contains("+3 "))
        let html = HTMLReport(report, templates: templates).text
        #expect(html.contains("<dd>+2.84 ms</dd>"))
        #expect(html.contains("<dt>Shift (Hodges–Lehmann)</dt><dd>+3 ms, 95 % interval +3 to +3</dd>"))
        let junit = String(decoding: try JUnitReport(report).bytes(), as: UTF8.self)
        #expect(junit.contains("name=\"perfgate.change\" value=\"+2.84 ms\""))
        #expect(junit.contains("name=\"perfgate.shift\" value=\"+3 ms, 95 % interval +3 to +3\""))
    }

    /// If the centre and the judged sample are on different sides of the limit, the judged sample is shown.
    @Test func theJudgedSampleIsShownWhereTheCentreMisleads() throws {
        var result = MarkdownFixtures.result(
            "Search", .passed, candidate: [1000, 1000, 1000, 1300, 1300, 1300], limit: Limit(1100)
        ).facts
        func judgedLimit() -> String { ComparisonText(CellResult(result)).judgedLimit }
        result.candidate?.center = 1150
        result.rule = [RuleStep(.withinLimit, subject: .lowerMedian, value: 1000, bound: 1100)]
        #expect(judgedLimit() == "≤ 1100 ms (lower median 1000 ms)")
        result.candidate?.center = 1090
        #expect(judgedLimit() == "≤ 1100 ms")
        result.limit = Limit(1100, subject: .any)
        result.rule = [RuleStep(.overLimit, subject: .worstSample, value: 1300, bound: 1100)]
        #expect(judgedLimit() == "every sample ≤ 1100 ms (worst sample 1300 ms)")
    }
}
