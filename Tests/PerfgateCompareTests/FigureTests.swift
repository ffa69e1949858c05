import PerfgateModel
import Testing

@testable import PerfgateCompare

/// How numbers read, up to those that no integer holds.
struct FigureTests {
    @Test(
        arguments: [
            (0, "0"), (7.105427357601002e-15, "7.1e-15"), (512.94, "512.9"), (3.14159, "3.14"), (0.012345, "0.0123"),
            (-2, "-2"),
            (1e14, "100000000000000"),
            (1e300, "1e300"), (-1e300, "-1e300"), (.infinity, "∞"), (-.infinity, "-∞"), (.nan, "not a number"),
        ] as [(Double, String)])
    func values(_ value: Double, _ text: String) {
        #expect(Figure.text(value) == text)
    }

    @Test(
        arguments: [
            (1, "frames", "1 frame"), (-1, "hitches", "-1 hitch"), (1, "ms", "1 ms"), (11, "frames", "11 frames"),
            (0, "events", "0 events"), (0.1, "events", "0.1 events"), (1, "", "1"), (1, "apples", "1 apples"),
        ] as [(Double, String, String)])
    func oneThingIsSingular(_ value: Double, _ symbol: String, _ text: String) {
        #expect(Figure.text(value, symbol) == text)
    }

    @Test(arguments: [(7.1e-15, "0"), (-7.1e-15, "0"), (0.5, "+0.5"), (-0.5, "-0.5")] as [(Double, String)])
    func differences(_ value: Double, _ text: String) {
        #expect(Figure.signed(value) == text)
    }

    @Test(
        arguments: [
            (0.1234, "+12.3 %"), (-0.5, "-50 %"), (0, "0 %"), (1e15, "+1e17 %"), (2e297, "+2e299 %"),
            (-2e297, "-2e299 %"), (.infinity, "+∞ %"), (-.infinity, "-∞ %"), (.nan, "not a number %"),
        ] as [(Double, String)])
    func percentages(_ share: Double, _ text: String) {
        #expect(Figure.percentage(share) == text)
    }

    @Test(
        arguments: [
            (0.25, "0.25"), (0, "0"), (0.00042, "4.2e-4"), (1e-300, "1e-300"), (.leastNonzeroMagnitude, "5e-324"),
            (.nan, "not a number"),
        ] as [(Double, String)])
    func probabilities(_ chance: Double, _ text: String) {
        #expect(Figure.probability(chance) == text)
    }

    @Test func anAbsurdValueIsJudgedAndWorded() throws {
        var question = ExplanationTests.Question()
        question.baseline = [[500, 501, 502, 503, 504]]
        question.candidate = [[1e300, 1e300, 1e300, 1e300, 1e300]]
        let result = try question.asked().result
        #expect(result.verdict == .regressed)
        #expect(result.reason.contains("It changed by +1e300 ms"), "\(result.reason)")
    }

    @Test(arguments: [(0.579, "57"), (0.001, "0"), (1e300, "1e302"), (.nan, "not a number")] as [(Double, String)])
    func coverages(_ coverage: Double, _ text: String) throws {
        let metric = Metric(id: "dropped_frames", unit: .frames, better: .lower)
        let cell = try CellCase(
            cell: Cell(page: Page("P"), metric: metric.id, environment: JudgeTests.phone), metric: metric,
            policy: CellPolicy(
                isGated: Setting(true, from: .builtIn), tolerance: Setting(0.1, from: .builtIn),
                minChange: Setting(1, from: .builtIn), limit: nil),
            confirmation: .off, expectation: Expectation(), measurement: nil, entry: nil, comparisons: 1)
        let sentence = Sentence(Decision(.missing, because: .framesStopped(FrameCoverage(share: coverage))), on: cell)
        #expect(sentence.text == "Frame ticks cover only \(text) % of a scroll: the recorder stopped.")
    }
}
