import ComparisonFixtures
import PerfgateModel
import SeededRandom
import Testing

@testable import PerfgateCompare
@testable import PerfgateReport

/// A metric's history from run to run, as blocks, as a drawing, and in words.
struct RunHistoryTests {
    private static func result(
        _ baseline: [Double], _ candidate: [Double], tolerance: Double? = 51.3
    ) -> CellResult {
        MarkdownFixtures.result("Search", .passed).with {
            $0.tolerance = tolerance
            $0.baseline?.history = baseline
            $0.candidate?.history = candidate
        }
    }

    private static let table: [(baseline: [Double], candidate: [Double], tolerance: Double?, blocks: String)] = [
        ([500, 510, 500, 505], [775], 51.3, "▁▁▁▁→▇"),
        ([500, 510, 500, 505], [430, 420], 51.3, "▇▇▇▇→▁▁"),
        ([500, 501, 499], [502], 51.3, "▃▃▃→▃"),
        ([0, 1, 2, 3, 4], [5], nil, "▁▂▃▅▇→▇"),
        ([0, 0], [0], 0, "▃▃→▃"),
        ([-1.7e308, 1.7e308], [0], nil, "▁▇→▃"),
        ([1, 2], [1.5], .greatestFiniteMagnitude, "▃▃→▃"),
    ]

    @Test(arguments: table.indices)
    func blocksShowWhatExceedsTheTolerance(_ index: Int) throws {
        let row = Self.table[index]
        let history = try #require(MedianHistory(Self.result(row.baseline, row.candidate, tolerance: row.tolerance)))
        #expect(history.blocks == row.blocks)
    }

    private static let sentences: [(baseline: [Double], candidate: [Double], sentence: String)] = [
        (
            [498.1, 512.9, 505], [700.2],
            "3 baseline runs from 498.1 to 512.9 ms; candidate 700.2 ms, above all of them"
        ),
        ([500, 500], [420, 421.5], "2 baseline runs, all 500 ms; candidate 420, 421.5 ms, below all of them"),
        ([500, 510], [505], "2 baseline runs from 500 to 510 ms; candidate 505 ms"),
    ]

    @Test(arguments: sentences.indices)
    func theDrawingSaysItInWords(_ index: Int) throws {
        let (baseline, candidate, sentence) = Self.sentences[index]
        let history = try #require(MedianHistory(Self.result(baseline, candidate)))
        #expect(history.sentence == sentence)
        let markup = SVGSparkline(history).markup.text
        #expect(markup.contains("role=\"img\"") && markup.contains("<title>\(sentence)</title>"))
        #expect(markup.ranges(of: "<circle").count == candidate.count)
        #expect(markup.ranges(of: "L").count == baseline.count - 1)
    }

    @Test func oneRunIsNoHistory() {
        #expect(MedianHistory(Self.result([500], [700])) == nil)
        #expect(MedianHistory(Self.result([500, 510], [])) == nil)
        #expect(MedianHistory(MarkdownFixtures.result("Board", .noBaseline, baseline: nil)) == nil)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func everyPlaceIsWithinTheDrawing(seed: UInt64) {
        var random = RandomReport(seed: seed)
        let result = Self.result(
            random.list(12) { $0.number() }, random.list(3) { $0.number() },
            tolerance: random.maybe { abs($0.number()) })
        guard let history = MedianHistory(result) else { return }
        for value in history.baseline + history.candidate {
            #expect((0...1).contains(history.share(of: value)), "seed \(seed)")
        }
        #expect(history.blocks.count == history.baseline.count + history.candidate.count + 1, "seed \(seed)")
        let markup = SVGSparkline(history).markup.text
        #expect(!markup.contains("nan") && !markup.contains("inf"), "seed \(seed)")
    }

    @Test func theTablesShowItWhereThereIsOne() throws {
        let without = MarkdownFixtures.report([MarkdownFixtures.result("Home", .passed)])
        #expect(try !MarkdownReport(without, templates: TemplateSet()).text.contains("→▇"))
        let report = MarkdownFixtures.report([
            Self.result([500, 510], [775]), MarkdownFixtures.result("Home", .passed),
        ])
        let rows = try MarkdownReport(report, templates: TemplateSet()).text.split(separator: "\n")
        #expect(rows.contains { $0.contains("| **Search** ·") && $0.hasSuffix("| ▁▁→▇ |") })
        #expect(rows.contains { $0.contains("| **Home** ·") && $0.hasSuffix("|  |") })
        let html = try HTMLReport(report, templates: TemplateSet()).text
        #expect(html.contains("<title>2 baseline runs from 500 to 510 ms; candidate 775 ms, above all of them</title>"))
    }
}
