import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateReport

struct OpenMetricsReportTests {
    private func text(_ report: GateReport) -> String {
        String(decoding: OpenMetricsReport(report).bytes(), as: UTF8.self)
    }

    @Test func aReportWithEveryVerdict() throws {
        try MarkdownGolden(name: "mixed.openmetrics").expect(text(MarkdownFixtures.mixed))
    }

    @Test(arguments: [
        (Unit.milliseconds, "milliseconds"), (.frames, "frames"), (.framesPerSecond, "frames_per_second"),
        (Unit("kB/µs"), "kB_s"), (Unit(""), ""), (Unit("\"} 1\n# EOF"), "1_EOF"), (Unit("é"), ""),
    ])
    func unitsBecomePartsOfNames(unit: Unit, name: String) {
        #expect(OpenMetricsUnit(unit).name == name)
    }

    /// The grammar of the text format, as far as our lines can break it (OpenMetrics 1.0.0, "Overall Structure").
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

    @Test func valuesAreRoundedToThousandths() {
        let values: [(Double, String)] = [
            (-0.0004, "0.000"), (0.0005, "0.001"), (-1.5, "-1.500"), (1e300, "1e+300"), (999.9996, "1000.000"),
        ]
        for (value, expected) in values {
            let result = MarkdownFixtures.result("P", .passed, baseline: nil, candidate: [value])
            #expect(text(MarkdownFixtures.report([result])).contains("Release\"} \(expected)\n"), "\(value)")
        }
    }
}
