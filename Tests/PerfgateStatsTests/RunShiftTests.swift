import Foundation
import Testing

@testable import PerfgateStats

struct RunShiftTests {
    @Test(
        arguments: [
            ([], nil), ([3], 3), ([1, 5], 3), ([1, 2, 9], 1.5), ([0, 10, 11, 12], 11), ([5, 1, 2, 3, 9], 2),
            ([-1, 0, 0.1, 0.2, 7, 8], 0.05),
        ] as [([Double], Double?)])
    func shorthIsTheMedianOfTheShortestHalf(values: [Double], shorth: Double?) throws {
        let found = RunShift.shorth(values)
        #expect((found == nil) == (shorth == nil))
        if let found, let shorth { #expect(abs(found - shorth) < 1e-12) }
    }

    /// A plain median follows the changed pages; the shorth stays with the unchanged ones.
    @Test func changesOfFewerThanHalfOfThePagesDontMoveIt() throws {
        let still = (0..<60).map { Double($0 % 7 - 3) / 100 }
        let slower = (0..<40).map { 0.14 + Double($0 % 9 - 4) / 500 }
        let shorth = try #require(RunShift.shorth(still + slower))
        #expect(abs(shorth) < 0.011)
        let median = (still + slower).sorted()[50]
        #expect(median >= 0.02)
    }

    @Test func twoRunsMeetHalfWay() throws {
        let shifts = RunShift.shifts(of: 2) { _, _ in 0.04 }
        #expect(shifts == [0.02, -0.02])
        #expect(RunShift.shifts(of: 1) { _, _ in 0.04 } == [nil])
    }

    @Test func aRunsShiftIsItsDistanceFromTheMean() throws {
        let effects = [0.05, -0.02, 0, 0.01]
        let shifts = RunShift.shifts(of: 4) { effects[$0] - effects[$1] }
        for (shift, effect) in zip(shifts, effects) { #expect(abs(try #require(shift) - (effect - 0.01)) < 1e-12) }
    }

    @Test func aRunThatSharesNothingHasNone() throws {
        let shifts = RunShift.shifts(of: 3) { $1 == 2 ? nil : 0.02 }
        #expect(shifts == [0.01, -0.01, nil])
    }

    /// SciPy: `t.sf(f / SE, R + 3)`; s² and SE by the formulas.
    @Test func spreadAndChanceFollowTheirFormulas() throws {
        let spread = ShiftSpread([0.03, -0.01, -0.04, 0.02, 0])
        #expect(spread.degrees == 8)
        #expect(abs(spread.deviation - 0.028722813232690145) < 1e-15)
        #expect(abs(spread.standardError(of: 3) - 0.02097617696340303) < 1e-15)
        #expect(abs(spread.chance(of: 0.08, in: 3) / 0.0025672146221784754 - 1) < 1e-9)
        #expect(ShiftSpread([0]).deviation == 0.03)
    }

    @Test func whatIsTakenOutIsBounded() throws {
        let spread = ShiftSpread([0])
        let error = spread.standardError(of: 1)
        #expect(spread.taken(0.02, asking: .worse) == 0.02)
        #expect(spread.taken(0.5, asking: .worse) == 2 * error)
        #expect(spread.taken(-0.5, asking: .improved) == -2 * error)
        #expect(spread.taken(-2.5 * error, asking: .worse) == -2 * error)
        // Most pages became faster: that fails no other page.
        #expect(spread.taken(-3.1 * error, asking: .worse) == 0)
        #expect(spread.taken(3.1 * error, asking: .improved) == 0)
    }
}
