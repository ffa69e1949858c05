import PagePerformance
import Testing

struct PPSFormulaTests {
    private static func event(_ formula: PPSFormula, _ candidates: [PageSignal]) throws -> PageVisitEvent {
        let events = PageScript.events(
            configuration: PPSConfiguration(formula: formula),
            [.didLoad, .milliseconds(5), .didLayout, .didAppear, .content, .milliseconds(11), .cycle] + candidates
                + [.didDisappear])
        return try #require(events.last)
    }

    @Test func aCandidateTravelsBesideTheMetric() throws {
        let event = try Self.event(.standard, [.candidate("ttil_v2", 498)])
        #expect(event.formula == "1")
        #expect(event.initialLoad == .milliseconds(16))
        #expect(event.candidates == ["ttil_v2": .milliseconds(498)])
        #expect(event.visit.sample(of: .ttil) == 16)
    }

    @Test func aPromotedCandidateTakesTheMetricsPlaceUnderANewVersion() throws {
        let formula = PPSFormula.standard.promoting("ttil_v2", to: .initialLoad, version: "2")
        let event = try Self.event(formula, [.candidate("ttil_v2", 498), .candidate("other", 1)])
        #expect(event.formula == "2")
        #expect(event.firstLayout == .milliseconds(5))
        #expect(event.initialLoad == .milliseconds(498))
        #expect(event.candidates == ["other": .milliseconds(1)])
    }

    @Test func aVisitWithoutThePromotedValueHasNoneOfTheFormerFormula() throws {
        let formula = PPSFormula.standard.promoting("ttfl_v2", to: .firstLayout, version: "2")
        let event = try Self.event(formula, [])
        #expect(event.firstLayout == nil)
        #expect(event.initialLoad == .milliseconds(16))
    }

    @Test func twoFormulasNeverShareAVersion() {
        let second = PPSFormula.standard.promoting("a", to: .initialLoad, version: "1")
        let third = second.promoting("b", to: .firstLayout, version: second.version)
        #expect([PPSFormula.standard, second, third].map(\.version) == ["1", "1+a", "1+a+b"])
        #expect(third.promoted == [.initialLoad: "a", .firstLayout: "b"])
    }
}
