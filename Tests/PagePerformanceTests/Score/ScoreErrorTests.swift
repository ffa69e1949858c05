import Testing

@testable import PagePerformance

struct ScoreErrorTests {
    private static func refusal(_ components: [(PageMetric, Double, Double?)]) throws -> ScoreError? {
        let curve = try ScoreCurve(good: 300, poor: 1_000)
        do throws(ScoreError) {
            _ = try ScoreFormula(
                version: "t", components: components.map { ScoreComponent($0, weight: $1, curve: curve, cap: $2) })
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            ([], "the score's formula has no metric; give at least one"),
            ([(.ttfl, 0.5, nil), (.ttfl, 0.5, nil)], "ttfl is in the score's formula twice; give it once"),
            (
                [(.ttfl, 0, nil), (.ttil, 1, nil)],
                "the weight of ttfl is 0.0; give a number above 0, or leave the metric out"
            ),
            (
                [(.ttfl, .infinity, nil)],
                "the weight of ttfl is inf; give a number above 0, or leave the metric out"
            ),
            ([(.ttfl, 0.5, nil), (.alt, 0.25, nil)], "the weights of the score sum to 0.75; make them sum to 1"),
            ([(.ttfl, 1, 0)], "the cap of ttfl is 0.0; give a number above 0, or none"),
            ([(.ttfl, 1, .nan)], "the cap of ttfl is nan; give a number above 0, or none"),
        ] as [([(PageMetric, Double, Double?)], String)])
    func aFormulaIsRefusedWithAReason(_ components: [(PageMetric, Double, Double?)], _ wording: String) throws {
        #expect(try Self.refusal(components)?.description == wording)
    }

    @Test func weightsMaySumTo1WithinRounding() throws {
        #expect(try Self.refusal([(.ttfl, 0.1, nil), (.ttil, 0.2, nil), (.alt, 0.7, 1)]) == nil)
    }

    @Test func aCurveIsRefusedWithItsPoints() {
        #expect(
            ScoreError.curve(better: 3, worse: 2).description
                == "a curve of the score goes from 3.0 to 2.0; give two numbers above 0, the better one smaller")
    }
}
