import SeededRandom
import Testing

@testable import VerdictStudy

/// The simulated pages of the study of named functions; the numbers are in its documentation.
struct WhyStudyTests {
    private let report = WhyReport(seed: 7, pairs: 60)

    @Test func aSlowerFunctionIsNamed() {
        let answers = report.answers(.leaf, { _ in 0.3 }, count: 4, stream: 1)
        #expect(answers.count > 50)
        #expect(answers.count { $0.isExact } > 45 && answers.allSatisfy { $0.name == nil || $0.isInChain })
        #expect(answers.count { $0.holdsGrowth } > 40)
    }

    @Test func pagesWithoutAChangeNameHardlyAny() {
        let answers =
            report.answers(nil, count: 4, stream: 2) + report.answers(.inlined, { _ in 0.15 }, count: 4, stream: 3)
        #expect(answers.count > 60 && answers.count { $0.name != nil } <= 3)
    }

    @Test func aHeadDiffersWhereItWasChanged() throws {
        let world = WhyWorld(seed: 3)
        var random = SeededGenerator(seed: 4)
        let head = try #require(world.head(.leaf, 0.2, &random))
        var (first, second) = (SeededGenerator(seed: 5), SeededGenerator(seed: 5))
        let (same, changed) = (world.calls(world.unchanged, count: 30, &first), world.calls(head, count: 30, &second))
        let growth = changed.totals.suffix(30).reduce(0, +) / 30 - same.totals.suffix(30).reduce(0, +) / 30
        #expect(abs(growth - 50) < 10)
        #expect(head.right.count == 1 && changed.functions.contains { head.right.contains($0.name) })
    }
}
