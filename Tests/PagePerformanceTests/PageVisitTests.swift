import Testing

@testable import PagePerformance

struct PageVisitTests {
    private static func visit(_ outcome: PageVisit.Outcome) -> PageVisit {
        var visit = PageVisit(outcome: outcome)
        visit.firstLayout = .milliseconds(41)
        visit.initialLoad = .milliseconds(513)
        visit.scrollThreadHang = .zero
        var loads = LoadTimes()
        for duration in [0, 250, 50] as [Double] { loads.add(.milliseconds(duration)) }
        visit.additionalLoads = loads
        visit.richContentLoads = LoadTimes()
        return visit
    }

    @Test(arguments: [
        (PageMetric.ttfl, 41.0 as Double?), (.ttil, 513), (.scrollThreadHang, 0), (.alt, 100), (.altShown, 150),
        (.rclt, nil),
        (.rcltShown, nil),
    ])
    func aLoadedVisitGivesItsSamples(_ metric: PageMetric, _ sample: Double?) {
        #expect(Self.visit(.loaded).sample(of: metric) == sample)
        #expect(Self.visit(.loaded).measures(metric))
    }

    @Test(arguments: [PageVisit.Outcome.error, .abandoned])
    func otherVisitsGiveLayoutAndHangOnly(_ outcome: PageVisit.Outcome) {
        let given = PageMetric.allCases.filter { Self.visit(outcome).sample(of: $0) != nil }
        #expect(given == [.ttfl, .scrollThreadHang])
    }

    @Test func whatWasNotMeasuredIsAbsent() {
        let visit = PageVisit()
        #expect(PageMetric.allCases.allSatisfy { !visit.measures($0) && visit.sample(of: $0) == nil })
    }
}
