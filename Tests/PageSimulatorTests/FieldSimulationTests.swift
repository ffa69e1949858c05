import PageSimulator
import Testing

/// The events that users of the simulated shop send.
struct FieldSimulationTests {
    private static func simulation(_ changes: [String] = []) -> FieldSimulation {
        var simulation = FieldSimulation(pages: SimulatedPage.shop(4), firstDay: 20_000)
        (simulation.days, simulation.events, simulation.users) = (4, 3_000, 400)
        simulation.changes = changes.compactMap(FieldChange.init)
        return simulation
    }

    private static func lines(_ simulation: FieldSimulation, day: Int) -> [Substring] {
        var bytes: [UInt8] = []
        simulation.play(day: day, for: simulation.audience()) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    private static func loads(_ lines: [Substring], page: String, release: String) -> [Double] {
        lines.filter { $0.contains("\"page\":\"\(page)\"") && $0.contains("\"app_version\":\"\(release)\"") }
            .compactMap { $0.firstMatch(of: /"ttil_ms":([0-9.]+)/).flatMap { Double($0.1) } }.sorted()
    }

    @Test func isTheSameForTheSameSeedAndForEachDayAlone() {
        let simulation = Self.simulation()
        #expect(Self.lines(simulation, day: 2) == Self.lines(simulation, day: 2))
        var other = simulation
        other.seed = 1
        #expect(Self.lines(other, day: 2) != Self.lines(simulation, day: 2))
        #expect(Self.lines(simulation, day: 2).count == 3_000)
    }

    @Test func aChangeMovesItsPageInItsReleaseAndNothingElse() throws {
        let change = "Home=ttil:+50%@7.129"
        let (before, after) = (Self.lines(Self.simulation(), day: 3), Self.lines(Self.simulation([change]), day: 3))
        let old = Self.loads(before, page: "Home", release: "7.129")
        let new = Self.loads(after, page: "Home", release: "7.129")
        try #require(old.count > 100)
        for (old, new) in zip(old, new) { #expect(abs(new - 1.5 * old) < 0.002) }
        for (page, release) in [("Home", "7.117"), ("Search", "7.129")] {
            #expect(Self.loads(before, page: page, release: release) == Self.loads(after, page: page, release: release))
        }
    }

    @Test func newReleasesArriveByAndBy() {
        let simulation = Self.simulation()
        let shares = (0..<4).map { day in
            Self.lines(simulation, day: day).count { $0.contains("\"app_version\":\"7.129\"") }
        }
        #expect(shares[0] == 0 && shares[1] == 0 && shares[2] < shares[3] && shares[3] > 1_000, "\(shares)")
    }

    @Test(arguments: ["Home=ttil:20@7.129", "Home=ttil:+20%", "=ttil:+20%@1", "Home=sth:+20%@1", "Home=ttil:+20%@"])
    func refusesWhatIsNoChange(_ text: String) {
        #expect(FieldChange(text) == nil)
    }
}
