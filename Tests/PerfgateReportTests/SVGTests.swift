import ComparisonFixtures
import Foundation
import PerfgateModel
import SeededRandom
import Testing

@testable import PerfgateCompare
@testable import PerfgateReport

struct SVGTests {
    @Test(
        arguments: [
            ([0, 1], [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
            ([498, 712], [450, 500, 550, 600, 650, 700, 750]),
            ([0, 4], [0, 1, 2, 3, 4]),
            ([-3, 3], [-4, -2, 0, 2, 4]),
            ([0, 0], [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
            ([0.001, 0.0042], [0.001, 0.002, 0.003, 0.004, 0.005]),
        ] as [([Double], [Double])])
    func ticksAreRoundAndEncloseTheValues(values: [Double], ticks: [Double]) {
        let scale = SVGScale(showing: values, from: 0, to: 100)
        #expect(scale.ticks.count == ticks.count)
        #expect(zip(scale.ticks, ticks).allSatisfy { abs($0 - $1) < 1e-9 }, "\(scale.ticks)")
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func everyAxisHoldsItsValuesInOrder(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func next() -> Double {
            let magnitude = Double(Int.random(in: -300..<300, using: &generator))
            return Double.random(in: -65_535...65_535, using: &generator) * Double.exp10ish(magnitude)
        }
        let values = (0..<5).map { _ in next() }.sorted()
        let scale = SVGScale(showing: values, from: 84, to: 456)
        let places = values.map(scale.place)
        #expect(places == places.sorted() && places.allSatisfy { (84...456).contains($0) }, "seed \(seed)")
        #expect(scale.ticks.count >= 2 && scale.ticks.count < 20, "seed \(seed)")
        #expect(scale.lower <= values[0] && scale.upper >= values[4], "seed \(seed)")
    }

    @Test(arguments: [
        [Double.greatestFiniteMagnitude, -Double.greatestFiniteMagnitude], [Double.leastNonzeroMagnitude],
        [-Double.infinity, 1], [1, .nan], [.nan],
    ])
    func valuesFromTheEdgesHaveTheirPlace(values: [Double]) {
        let scale = SVGScale(showing: values, from: 0, to: 100)
        #expect(scale.ticks.count >= 2 && scale.ticks.allSatisfy(\.isFinite))
        #expect(values.map(scale.place).allSatisfy { (0...100).contains($0) })
    }

    @Test(
        arguments: [
            (0, "0"), (1.5, "1.50"), (-0.256, "-0.26"), (12, "12"), (3.049, "3.05"), (-4, "-4"), (1e300, "1000000"),
            (-1e300, "-1000000"), (.nan, "0"),
        ] as [(Double, String)])
    func lengthsAreWrittenInHundredths(value: Double, expected: String) {
        let markup: Markup = "\(length: value)"
        #expect(markup.text == expected)
    }

    @Test(
        arguments: [
            (70.0, 700.0, [70.0, 100, 150, 200, 300, 400, 500, 700]),
            (11_000, 80_000, [20_000, 50_000]), (0.5, 20, [0.5, 1, 2, 5, 10, 20]),
            (1, 1e4, [1, 10, 100, 1_000, 10_000]),
            (1, 1e6, [1, 100, 10_000, 1_000_000]),
            (0.11, 0.12, [0.11, 0.12]), (1e-200, 1e200, [1e-200, 1e200]),
        ] as [(Double, Double, [Double])])
    func aLogarithmicAxisHasRoundTicks(lower: Double, upper: Double, ticks: [Double]) throws {
        let scale = try #require(SVGLogScale(from: lower, to: upper, start: 0, end: 100))
        #expect(scale.ticks.count == ticks.count)
        #expect(zip(scale.ticks, ticks).allSatisfy { abs($0 / $1 - 1) < 1e-9 }, "\(scale.ticks)")
        #expect(scale.place(of: lower) == 0 && scale.place(of: upper) == 100 && scale.place(of: 0) == 0)
        #expect(abs(scale.place(of: exp((log(lower) + log(upper)) / 2)) - 50) < 0.01)
        #expect(scale.place(of: -1) == 0 && scale.place(of: .infinity) == 100)
    }

    @Test(arguments: [(0.0, 1.0), (2, 1), (1, 1), (-1, 1), (1, .infinity), (.nan, 1)])
    func thereIsNoLogarithmicAxisWithoutALength(lower: Double, upper: Double) {
        #expect(SVGLogScale(from: lower, to: upper, start: 0, end: 1) == nil)
    }

    private static func releases(_ name: String, _ spread: ReleaseNumbers.Spread?) -> CellResult {
        var result = MarkdownFixtures.result("P", .regressed, numbers: MarkdownFixtures.numbers, limit: Limit(900))
            .facts
        result.metric = Metric(id: "ttil@p90", unit: .milliseconds, better: .lower)
        func side(_ name: String, _ quantiles: [Double]) -> ReleaseNumbers.Side {
            .init(
                release: name, events: 4_000, effectiveEvents: 2_000, designEffect: 1.5, isDesignEffectMeasured: false,
                quantiles: quantiles)
        }
        result.releases = ReleaseNumbers(
            base: side(name, [400, 500, 700, 1_000]), candidate: side("7.129", [450, 600, 800, 1_200]), days: 3,
            overlap: 0.9, spread: spread)
        return CellResult(result)
    }

    private static let spread = ReleaseNumbers.Spread(
        lower: 100, upper: 2_000, base: [3_000] + Array(repeating: 175, count: 41),
        candidate: Array(repeating: 238, count: 42))

    @Test func bothReleasesAreDrawnWithTheirQuantiles() throws {
        let plot = try #require(SVGReleasePlot(Self.releases("7.117", Self.spread)))
        let markup = plot.markup.text
        #expect(
            markup.contains("<title>ttil@p90: 7.117 p50 400 ms, p75 500 ms, p90 700 ms, p99 1000 ms; 7.129 p50 450 ms"))
        for part in ["p90 of 7.117: 700 ms", "p90 of 7.129: 800 ms", "p99 of 7.129: 1200 ms", "limit ≤ 900 ms"] {
            #expect(markup.contains("<title>\(part)</title>"), "\(part)")
        }
        // A third of the older release's values are below the axis, because they are 0.
        let legend = plot.legend.text
        #expect(legend.contains("7.117: dashed, upper marks, 30 % below this axis<"))
        #expect(legend.contains("7.129: filled, lower marks, 2 % below this axis<"))
        #expect(legend.contains("dotted: limit ≤ 900 ms<") && legend.contains("logarithmic axis in ms<"))
        #expect(SVGReleasePlot(Self.releases("7.117", nil)) == nil)
        let cut = ReleaseNumbers.Spread(lower: 1, upper: 2, base: [1], candidate: [])
        #expect(SVGReleasePlot(Self.releases("7.117", cut)) == nil)
    }

    @Test func thePlotOfReleasesFillsTheWidth() throws {
        let markup = try #require(SVGReleasePlot(Self.releases("7.117", Self.spread))?.markup.text)
        #expect(markup.hasPrefix("<svg width=\"100%\" height=\"192\" role=\"img\">"))
        let places = markup.matches(of: /x[12]?="([0-9.]+)(%?)"/)
        #expect(
            places.count > 20
                && places.allSatisfy { $0.2 == "%" && (0...100).contains(Double($0.1) ?? -1) || $0.1 == "0" })
    }

    @Test func aReleaseCannotLeaveItsPlaceInThePlot() throws {
        let plot = try #require(SVGReleasePlot(Self.releases("</svg><script>\u{202E}", Self.spread)))
        let markup = plot.markup.text + plot.legend.text
        #expect(!markup.contains("<script") && !markup.contains("\u{202E}"))
        #expect(markup.components(separatedBy: "</svg>").count == 3)
    }

    private func plot(_ side: CellResult.Side, limit: Limit? = nil) -> String? {
        let result = MarkdownFixtures.result("P", .regressed, numbers: MarkdownFixtures.numbers, limit: limit)
        return SVGRunPlot(result.with { ($0.baseline, $0.candidate) = (side, side) }).map {
            $0.markup.text + $0.legend.text
        }
    }

    @Test func everySampleIsAMarkUpToAThousand() throws {
        let side = MarkdownFixtures.side((0..<1_000).map { Double($0 % 7) })
        let text = try #require(plot(side))
        #expect(text.ranges(of: "<circle").count == 2_000)
        let places = text.matches(of: /cx="([0-9.]+)%" cy="([0-9.]+)"/)
        #expect(places.count == 2_000)
        #expect(places.allSatisfy { (7...100).contains(Double($0.1) ?? -1) && (0...168).contains(Double($0.2) ?? -1) })
    }

    @Test func samplesThatWereLeftOutAreShownByTheirQuantiles() throws {
        let side = CellResult.Side(
            count: 5_000, runs: 3, center: 50, samples: nil, quantiles: [1, 10, 30, 50, 70, 90, 200])
        let text = try #require(plot(side))
        #expect(text.ranges(of: " fill=\"none\"/>").count == 2 && text.ranges(of: "<circle").count == 4)
        #expect(text.contains("least 1 ms, 5 % 10 ms, 25 % 30 ms, 50 % 50 ms, 75 % 70 ms, 95 % 90 ms, greatest 200 ms"))
    }

    @Test func aLimitFarAwayDoesntPressTheSamplesTogether() throws {
        let side = MarkdownFixtures.side([500, 510, 520])
        #expect(try #require(plot(side, limit: Limit(800))).contains("stroke-dasharray=\"6 3\""))
        #expect(try #require(plot(side, limit: Limit(90_000))).contains("limit ≤ 90000 ms, beyond this axis"))
    }

    @Test func absurdSamplesAreDrawn() throws {
        let side = MarkdownFixtures.side([-Double.greatestFiniteMagnitude, 1e300, .greatestFiniteMagnitude, .infinity])
        #expect(try #require(plot(side)).ranges(of: "<circle").count == 8)
    }

    @Test func nothingMeasuredNothingDrawn() {
        let nothing = MarkdownFixtures.result("P", .missing, baseline: nil, candidate: nil)
        #expect(SVGRunPlot(nothing) == nil)
    }

    @Test func theSamplesOfARunStandInAColumnThatNamesRunAndCommit() throws {
        let result = MarkdownFixtures.result("P", .regressed, baseline: [1, 2, 3, 4], candidate: [9]).with {
            $0.baseline?.shares = [.init(run: "r-1", count: 1), .init(run: "r-2 <b>", count: 3)]
        }
        let plot = try #require(
            SVGRunPlot(
                result,
                runs: [
                    "r-1": .init(id: "r-1", commit: "1111111111", startedAt: "2026-01-01T00:00:00Z"),
                    "r-2 <b>": .init(id: "r-2 <b>", commit: "2222222222"),
                ]))
        let text = plot.markup.text
        #expect(text.contains("<title>baseline, run r-1, commit 1111111111: 1 ms</title>"))
        #expect(text.contains("<title>baseline, run r-2 &lt;b&gt;, commit 2222222222: 2, 3, 4 ms</title>"))
        #expect(text.contains("<title>candidate: 9 ms</title>"))
        #expect(plot.legend.text.contains("○ baseline, 2 runs (1111111 to 2222222)"))
        let places = text.matches(of: /<circle cx="([0-9.]+)%"/).compactMap { Double($0.1) }
        #expect(places.count == 5 && places[0] < (places[1...3].min() ?? 0) && places[4] > (places[1...3].max() ?? 100))
    }
}

extension Double {
    /// A power of ten by repeated multiplication, from 1e-300 to 1e300.
    fileprivate static func exp10ish(_ exponent: Double) -> Double {
        (0..<Int(abs(exponent))).reduce(1) { power, _ in exponent < 0 ? power / 10 : power * 10 }
    }
}
