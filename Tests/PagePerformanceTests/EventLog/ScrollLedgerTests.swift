import Testing

@testable import PagePerformance

/// The scrolls that may end in the log.
struct ScrollLedgerTests {
    private static func key(_ number: Int) -> ScrollKey { ScrollKey(page: "P", iteration: 0, scroll: number) }

    private static func tick(_ number: Int?) -> LogEvent {
        .frame(LogEvent.Frame(place: LogEvent.Place(page: "P"), scroll: number, tick: FrameTick(timestamp: .zero)))
    }

    private static func end(_ number: Int) -> LogEvent {
        .scroll(LogEvent.Scroll(place: LogEvent.Place(page: "P"), scroll: number, duration: .zero))
    }

    @Test func aScrollIsOpenUntilItEnds() {
        var ledger = ScrollLedger()
        let first = ledger.admits(Self.tick(1))
        let open = ledger.open
        let last = ledger.admits(Self.end(1))
        #expect([first, last] == [true, true])
        #expect(open == [Self.key(1)])
        #expect(ledger.open.isEmpty)
    }

    @Test func aDamagedScrollNeverEndsAndTheNextOneDoes() {
        var ledger = ScrollLedger()
        let before = ledger.admits(Self.tick(1))
        ledger.damage(Self.key(1))
        #expect(ledger.open.isEmpty)
        let after = [Self.tick(1), Self.end(1), Self.end(2)].map { ledger.admits($0) }
        #expect([before] + after == [true, false, false, true])
    }

    @Test func whatIsOutsideScrollsPasses() {
        var ledger = ScrollLedger()
        for number in 0...ScrollLedger.limit { ledger.damage(Self.key(number)) }
        let visit = LogEvent.visit(LogEvent.Visit(place: LogEvent.Place(page: "P")))
        let admitted = [Self.tick(nil), .state(LogEvent.State()), visit].map { ledger.admits($0) }
        #expect(admitted == [true, true, true])
    }

    @Test func moreDamageThanItDistinguishesDamagesAll() {
        var ledger = ScrollLedger()
        for number in 0..<ScrollLedger.limit { ledger.damage(Self.key(number)) }
        let before = ledger.admits(Self.end(ScrollLedger.limit + 1))
        ledger.damage(Self.key(ScrollLedger.limit))
        let after = ledger.admits(Self.end(ScrollLedger.limit + 1))
        #expect([before, after] == [true, false])
    }

    @Test func openScrollsCanBeGivenUp() {
        var ledger = ScrollLedger()
        let before = [Self.tick(1), Self.tick(2)].map { ledger.admits($0) }
        ledger.damageOpenScrolls()
        #expect(ledger.open.isEmpty)
        let after = [Self.end(1), Self.end(2), Self.end(3)].map { ledger.admits($0) }
        #expect(before + after == [true, true, false, false, true])
    }
}
