import PerfgateModel
import Testing

@testable import PerfgateCompare

/// The format of numbers, up to values beyond integers.
struct FigureTests {
    @Test(
        arguments: [
            (0, "0"), (-0.0, "0"), (1e-15, "1e−15"), (7.105427357601002e-15, "7.1e−15"), (0.05, "0.05"),
            (0.012345, "0.0123"), (3.14159, "3.14"), (16.666, "16.67"), (512.94, "512.9"), (999.96, "1000"),
            (1234567.891, "1234567.9"), (-2, "−2"), (-92.04, "−92.04"), (1e14, "100000000000000"), (9.99e15, "1e16"),
            (1e300, "1e300"), (-1e300, "−1e300"), (.greatestFiniteMagnitude, "1.8e308"),
            (.leastNonzeroMagnitude, "4.9e−324"), (.infinity, "∞"), (-.infinity, "−∞"), (.nan, "not a number"),
        ] as [(Double, String)])
    func values(_ value: Double, _ text: String) {
        #expect(Figure.text(value) == text)
    }

    @Test(
        arguments: [
            (100_000.25, 0.05, "100000.25"), (100_000.3, 0.05, "100000.3"), (1_250, 50, "1250"), (0, 0.2, "0"),
            (-0.4, 0.2, "−0.4"), (1e12, 1, "1000000000000"), (5, 0, "5"), (5, .nan, "5"), (1e300, 1e299, "1e300"),
            (5, .infinity, "5"), (0.3, 1e-9, "0.3"),
        ] as [(Double, Double, String)])
    func ticksKeepWhatReportsThemApart(_ value: Double, _ step: Double, _ expected: String) {
        #expect(Figure.text(value, step: step) == expected)
    }

    @Test(
        arguments: [
            (1, "frames", "1 frame"), (-1, "hitches", "−1 hitch"), (1, "ms", "1 ms"), (11, "frames", "11 frames"),
            (0, "events", "0 events"), (0.1, "events", "0.1 events"), (1, "", "1"), (1, "apples", "1 apples"),
        ] as [(Double, String, String)])
    func oneThingIsSingular(_ value: Double, _ symbol: String, _ text: String) {
        #expect(Figure.text(value, symbol) == text)
    }

    /// A difference has no more digits than its operands, or than the tolerance if that is finer.
    @Test(
        arguments: [
            (60 - 60.000000000000007, [60, 60.000000000000007], 6, "0"), (0, [60, 60], 6, "0"),
            (-0.0, [60, 60], 6, "0"), (0.0855, [41.04, 39.73], 16, "+0.09"), (-1.0183, [394.2, 393.1], 39.42, "−1.02"),
            (242.41, [567.6, 810], 56.76, "+242.4"), (0.02, [1000, 1000.02], 0.01, "+0.02"),
            (0.02, [1000, 1000.02], nil, "0"), (-0.24, [0.24, 0], 0.5, "−0.24"), (0.4, [0, 0], 0, "+0.4"),
            (1e300, [500, 1e300], 50, "+1e300"), (-1e300, [1e300, 500], 50, "−1e300"),
            (1e-300, [1e-300, 0], 0, "0"), (.infinity, [1], nil, "+∞"), (.nan, [.nan], .nan, "not a number"),
        ] as [(Double, [Double], Double?, String)])
    func differences(_ value: Double, _ terms: [Double], _ tolerance: Double?, _ text: String) {
        #expect(Figure.signed(value, Figure.Resolution(of: terms, tolerance: tolerance)) == text)
    }

    @Test(
        arguments: [
            (0.1234, "+12.3 %"), (-0.5, "−50 %"), (0, "0 %"), (-0.0001, "0 %"), (1e15, "+1e17 %"), (2e297, "+2e299 %"),
            (-2e297, "−2e299 %"), (.infinity, "+∞ %"), (-.infinity, "−∞ %"), (.nan, "not a number %"),
        ] as [(Double, String)])
    func percentages(_ share: Double, _ text: String) {
        #expect(Figure.percentage(share) == text)
    }

    @Test(
        arguments: [
            (0.25, "0.25"), (0.513, "0.51"), (0.002857, "0.0029"), (0.997, "1"), (0, "0"), (1, "1"),
            (0.00042, "4.2e−4"), (0.000997, "1e−3"), (1e-300, "1e−300"), (.leastNonzeroMagnitude, "4.9e−324"),
            (.nan, "not a number"),
        ] as [(Double, String)])
    func probabilities(_ chance: Double, _ text: String) {
        #expect(Figure.probability(chance) == text)
    }

    @Test func anAbsurdValueIsJudgedAndWorded() throws {
        var question = ExplanationTests.Question()
        question.baseline = [[500, 501, 502, 503, 504]]
        question.candidate = [[1e300, 1e300, 1e300, 1e300, 1e300]]
        let result = try question.asked()
        #expect(result.verdict == .regressed)
        #expect(result.reason.contains("It changed by +1e300 ms"), "\(result.reason)")
    }

    @Test(arguments: [(0.579, "57"), (0.001, "0"), (1e300, "1e302"), (.nan, "not a number")] as [(Double, String)])
    func coverages(_ coverage: Double, _ text: String) {
        let result = RuleStepTests.result(RuleStep(.framesStopped, value: coverage))
        #expect(result.reason == "Frame ticks cover only \(text) % of a scroll: the recorder stopped.")
    }
}
