import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateReport

struct OpenMetricsReportTests {
    private func text(_ report: GateReport) -> String {
        String(decoding: OpenMetricsReport(report).bytes(), as: UTF8.self)
    }

    @Test func aReportWithEveryVerdict() throws {
        try MarkdownGolden(name: "mixed.openmetrics").expect(text(MarkdownFixtures.mixed))
    }

    /// The grammar of the text format, as far as our lines could violate it (OpenMetrics 1.0.0, "Overall Structure").
    @Test(arguments: 0..<20 as Range<UInt64>)
    func whateverTheNamesAreEveryLineIsACommentOrASample(seed: UInt64) throws {
        var random = RandomReport(seed: seed)
        let text = text(random.report())
        #expect(text.hasSuffix("\n# EOF\n"))
        var families: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast(2) {
            if line.hasPrefix("# TYPE ") { families.append(String(line.split(separator: " ")[2])) }
            guard !line.hasPrefix("# ") else { continue }
            let sample =
                /([a-zA-Z_][a-zA-Z0-9_]*)(\{[a-z]+="([^"\\]|\\["\\n])*"(,[a-z]+="([^"\\]|\\["\\n])*")*\})? [-+0-9.e]+/
            let match = try #require(try sample.wholeMatch(in: line), "seed \(seed): \(line)")
            #expect(families.last.map { match.1 == $0 } == true, "seed \(seed): \(line)")
        }
        #expect(Set(families).count == families.count, "seed \(seed)")
    }

    @Test(arguments: [
        (Unit.milliseconds, 512.9, "_seconds 0.5129"), (.milliseconds, 0.0004, "_seconds 0"),
        (.milliseconds, -0.0005, "_seconds -1e-06"), (.millisecondsPerSecond, 5, "_ratio 0.005"),
        (.secondsPerHour, 36, "_ratio 0.01"), (.frames, 2, "_frames 2"),
        (.framesPerSecond, 59.4, "_frames_per_second 59.4"),
        (Unit("kB/µs"), 999.9996, "_kB_s 1000"), (Unit(""), 1e300, " 1e+300"), (Unit("\"} 1\n# EOF"), 1, "_1_EOF 1"),
        (Unit("é"), 7, " 7"),
    ])
    func valuesAreInBaseUnitsOfPrometheus(unit: Unit, value: Double, expected: String) {
        var text = OpenMetricsText()
        text.add(value, unit, to: "x", "Help.")
        text.add(.infinity, unit, to: "x", "Help.")
        #expect(String(decoding: text.bytes, as: UTF8.self).hasSuffix("\nx\(expected)\n# EOF\n"))
    }

    @Test func samplesOfASeriesLieTogether() {
        var text = OpenMetricsText()
        for time in [1, 2] {
            for page in ["A", "B"] { text.add(Double(time), to: "x", "Help.", .init([("page", page)]), at: time) }
        }
        let lines = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n")
        #expect(
            lines.dropFirst(2).dropLast() == [
                "x{page=\"A\"} 1 1", "x{page=\"A\"} 2 2", "x{page=\"B\"} 1 1", "x{page=\"B\"} 2 2",
            ])
    }
}
