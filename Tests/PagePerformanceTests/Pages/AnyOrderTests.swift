import Testing

@testable import PagePerformance

/// In any order of a page's signals, its events equal the reference's, and their times are consistent.
struct AnyOrderTests {
    private struct Play: Sendable {
        let seed: UInt64
        let signals: [PageSignal]
        let trace: PageTrace
        let events: [PageVisitEvent]
        let counts: PPSCounts
        var isClockSteady: Bool { seed.isMultiple(of: 2) }

        init(seed: UInt64) {
            self.seed = seed
            let app = seed.isMultiple(of: 7) ? PPSStateMachine.AppState.launching : .active
            let script = PageScript(page: seed.isMultiple(of: 5) ? nil : "A", app: app)
            let start = script.clock.now.count
            var page = RandomPage(seed: seed, start: start, mayTurnTheClockBack: !seed.isMultiple(of: 2))
            signals = page.signals()
            trace = PageTrace(page: script.machine.pageName, start: start, app: app, signals)
            script.play(signals)
            events = script.events
            counts = script.machine.counts
        }
    }

    private static let plays = (UInt64(0)..<1_000).map { Play(seed: $0) }

    @Test func eventsAreThoseOfTheReference() {
        for play in Self.plays {
            let reference = PageReference(play.trace, configuration: PPSConfiguration())
            #expect(play.events == reference.events, "seed \(play.seed): \(play.signals)")
            #expect(play.counts == reference.counts, "seed \(play.seed): \(play.signals)")
        }
    }

    @Test func noTimeIsNegativeOrInfinite() {
        for play in Self.plays {
            for event in play.events {
                #expect(event.times.allSatisfy { $0.value.isFinite && $0.value >= 0 }, "seed \(play.seed): \(event)")
                #expect(event.threadHangs?.contains(.zero) != true, "seed \(play.seed): \(event)")
            }
        }
    }

    @Test func noTimeIsCountedTwice() {
        for play in Self.plays where play.isClockSteady {
            for event in play.events where !event.isCheckpoint {
                guard let visit = play.trace.visits.first(where: { "v\($0.number)" == event.visitID }) else {
                    Issue.record("seed \(play.seed): no visit \(event.visitID)")
                    continue
                }
                let steps = play.trace.steps
                let first = steps[visit.steps.lowerBound].time
                let life = Milliseconds(Nanoseconds(steps[visit.steps.upperBound - 1].time - first))
                let loads = Milliseconds((event.additionalLoads ?? []).reduce(0) { $0 + $1.value })
                let waits = Milliseconds((event.richContent ?? []).reduce(0) { $0 + $1.duration.value })
                // Waits for loads never overlap. Waits for images overlap, one per slot, in 3 slots. The last digits of
                // a sum of hours are rounded.
                let parts = [event.firstLayout, event.initialLoad, event.duration, loads, waits.map { $0 / 3 }]
                let longest = life.map { $0 + 1e-6 }
                #expect(parts.allSatisfy { $0 ?? .zero <= longest }, "seed \(play.seed): \(event) in \(life)")
            }
        }
    }

    @Test func aVisitHasOneFinalEventAndItIsItsLast() {
        for play in Self.plays {
            for (index, event) in play.events.enumerated() where !event.isCheckpoint {
                #expect(!play.events[(index + 1)...].contains { $0.visitID == event.visitID }, "seed \(play.seed)")
            }
        }
    }

    /// A page that receives every signal twice measures the same as with every signal once.
    @Test func aRepeatedLevelChangesNothing() {
        for once in Self.plays {
            let twice = PageScript(page: once.trace.steps[0].page, app: once.trace.steps[0].app)
            twice.play(once.signals.flatMap { $0.isLevel ? [$0, $0] : [$0] })
            #expect(twice.events == once.events, "seed \(once.seed): \(once.signals)")
        }
    }

    /// The random sequences must cover the cases under test.
    @Test func thePlaysReachEveryMetricAndOutcome() {
        let finals = Self.plays.flatMap(\.events).filter { !$0.isCheckpoint }
        for outcome in PageVisit.Outcome.allCases {
            #expect(finals.count { $0.outcome == outcome } > 50, "\(outcome)")
        }
        for metric in PageMetric.allCases {
            #expect(finals.count { $0.visit.sample(of: metric) ?? 0 > 0 } > 30, "\(metric)")
        }
        #expect(finals.count { !$0.candidates.isEmpty } > 100)
        #expect(finals.count { $0.duration == nil } > 30)
        #expect(finals.count(where: \.isInactive) > 100)
    }
}

extension PageVisitEvent {
    /// Every time of the event.
    fileprivate var times: [Milliseconds] {
        [duration, firstLayout, initialLoad].compactMap { $0 } + (threadHangs ?? []) + (additionalLoads ?? [])
            + (richContent ?? []).map(\.duration) + candidates.values
    }
}

extension Milliseconds {
    fileprivate func map(_ change: (Double) -> Double) -> Milliseconds {
        Milliseconds(change(value))
    }
}

extension PageSignal {
    /// Whether the signal describes a state instead of a moment, so repeating it has no effect.
    fileprivate var isLevel: Bool {
        switch self {
        case .willAppear, .didLayout, .didAppear, .didDisappear, .render, .renderCycle, .loader, .bottom, .image,
            .interruption, .candidate, .willEnter, .willResign, .didSuspend, .didResume, .pageName, .initialValue:
            true
        case .wait, .setClock, .didLoad, .tick, .checkpoint: false
        }
    }
}
