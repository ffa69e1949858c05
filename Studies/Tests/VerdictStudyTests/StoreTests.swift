import PerfgateModel
import SeededRandom
import Testing

@testable import VerdictStudy

/// Histories of stores use the gate's own code, and their shares know that calls of one history depend on each other.
struct StoreTests {
    @Test(arguments: [(StoreTeam.small(), 40, 16, 3), (.large(), 500, 300, 0)])
    func teamsHaveTheirNumberOfComparisons(team: StoreTeam, cells: Int, times: Int, noisy: Int) {
        var generator = SeededGenerator(seed: 1)
        let drawn = team.cells(in: team.world((2, 2.5)), &generator)
        #expect(Set(drawn.map(\.cell)).count == cells && drawn.allSatisfy { isGated($0.metric) })
        #expect(drawn.count { $0.metric.isTime } == times && drawn.count(where: \.isNoisy) == noisy)
    }

    @Test(arguments: [false, true])
    func aGrossChangeIsRefusedAndItsStateIsRed(isCount: Bool) throws {
        let team = StoreTeam.small()
        let event = StoreEvent.step(isCount ? .moreEvents(30) : .slower(2), from: 12)
        var history = StoreHistory(of: team, in: team.world((2, 2.5)), event, changesCount: isCount, seed: 1, trial: 1)
        let cell = history.cells[history.changing].cell
        for night in 1...11 { #expect(try !history.update(on: night)) }
        #expect(try !history.check(after: 11).red.contains(cell))
        #expect(try history.update(on: 12))
        let answer = try history.check(after: 12)
        #expect(answer.redAtOnce.contains(cell) && answer.red.contains(cell))
        #expect(try !history.check(after: 12, Change.none).red.contains(cell))
        #expect(try history.stored(history.changing).runs > 5)
    }

    @Test func callsOfOneHistoryCountLessThanIndependentOnes() {
        var (together, apart) = (ShareOfHistories(), ShareOfHistories())
        for history in 0..<2 { together.add(Array(repeating: history == 0, count: 10)) }
        for trial in 0..<20 { apart.add([trial < 10]) }
        #expect(together.text == "50 ± 50.0" && apart.text == "50 ± 11.5")
    }

    private func isGated(_ metric: Metric) -> Bool { MetricCatalog.definition(for: metric).isGatedByDefault }
}
