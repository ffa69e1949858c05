import PerfgateCompare
import PerfgateModel
import SeededRandom
import Testing

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
        #expect(SVGElement.length(value) == expected)
    }

    private func plot(_ side: CellResult.Side, limit: Limit? = nil) -> String? {
        var result = MarkdownFixtures.result("P", .regressed, numbers: MarkdownFixtures.numbers, limit: limit)
        result.baseline = side
        result.candidate = side
        return SVGStripPlot(result)?.markup
    }

    @Test func everySampleIsAMarkUpToAThousand() throws {
        let side = MarkdownFixtures.side((0..<1_000).map { Double($0 % 7) })
        let text = try #require(plot(side))
        #expect(text.ranges(of: "<circle").count == 2_000)
        let places = text.matches(of: /cy="([0-9.]+)"/).compactMap { Double($0.1) }
        #expect(places.allSatisfy { (20...110).contains($0) })
    }

    @Test func samplesThatWereLeftOutAreShownByTheirQuantiles() throws {
        let side = CellResult.Side(
            count: 5_000, runs: 3, center: 50, samples: nil, quantiles: [1, 10, 30, 50, 70, 90, 200])
        let text = try #require(plot(side))
        #expect(text.ranges(of: "<rect").count == 2 && text.ranges(of: "<circle").count == 4)
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
        #expect(SVGStripPlot(nothing) == nil)
    }
}

extension Double {
    /// A power of ten by repeated multiplication, from 1e-300 to 1e300.
    fileprivate static func exp10ish(_ exponent: Double) -> Double {
        (0..<Int(abs(exponent))).reduce(1) { power, _ in exponent < 0 ? power / 10 : power * 10 }
    }
}
