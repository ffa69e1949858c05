import Foundation
import SeededRandom
import Testing

@testable import PerfgateStats

struct PairSequenceTests {
    /// Times and counts of pages measured in turn; the sixth time may be slower on head.
    private struct Pages {
        var pages = 12
        var slower = 0.0
        var fasterOthers = 0.0
        var firstRun = 0.0
        var drift = 0.0
        var seed: UInt64 = 1

        var cells: [PairSequence.Cell] {
            get throws {
                try (0..<pages).flatMap { page in
                    [
                        PairSequence.Cell(
                            page: page, isTime: true, tolerance: try Tolerance(relative: 0.1, absolute: 16), limit: nil),
                        PairSequence.Cell(
                            page: page, isTime: true, tolerance: try Tolerance(relative: 0.1, absolute: 16), limit: nil),
                        PairSequence.Cell(
                            page: page, isTime: false, tolerance: try Tolerance(relative: 0.1, absolute: 0.5), limit: 1),
                    ]
                }
            }
        }

        func pair(_ number: Int, measuring wanted: Set<Int>? = nil) -> [PairSequence.Samples?] {
            var random = SeededGenerator(seed: seed, stream: UInt64(number))
            func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + random.uniform() } }
            let runs = (0..<2).map { side -> Double in
                let first = number == 0 && side == 0 ? firstRun : 0
                return first + drift * Double(2 * number + side) + 0.02 * normal()
            }
            return (0..<3 * pages).map { cell in
                let sides = (0..<2).map { side -> [Double] in
                    let change = side == 0 ? 0 : cell == 18 ? slower : 0 - fasterOthers
                    let effect = runs[side] + 0.025 * normal() + change
                    return (0..<5).map { _ -> Double in
                        guard cell % 3 < 2 else { return random.uniform() < 0.7 ? 0 : 1 }
                        return 500 * exp(effect + 0.05 * normal())
                    }
                }
                return wanted.map { $0.contains(cell / 3) } ?? true ? (sides[0], sides[1]) : nil
            }
        }

        func measured(rule: PairSequence.Rule = PairSequence.Rule(), filtered: Bool = true) throws -> PairSequence {
            var sequence = PairSequence(try cells, rule: rule)
            repeat {
                let wanted = sequence.pairs < 2 || !filtered ? nil : sequence.openPages.union(sequence.anchors)
                try sequence.add(pair(sequence.pairs, measuring: wanted))
            } while sequence.isOpen
            return sequence
        }
    }

    @Test(arguments: 1...20)
    func unchangedPagesPass(_ seed: Int) throws {
        let sequence = try Pages(seed: UInt64(seed)).measured()
        #expect(sequence.evidence.allSatisfy { $0.state != .regressed })
        #expect(sequence.together?.state == .same)
    }

    @Test(arguments: 1...10)
    func aSlowerPageIsFoundAndNoOther(_ seed: Int) throws {
        let sequence = try Pages(slower: 0.3, seed: UInt64(seed)).measured()
        let accused = sequence.evidence.indices.filter { sequence.evidence[$0].state == .regressed }
        #expect(accused == [18])
        #expect(sequence.evidence[18].pairs >= 6 && sequence.evidence[18].score >= sequence.evidence[18].needed)
    }

    /// A phone that warms up, and a first run that fills caches, aren't head's fault.
    @Test(arguments: 1...10)
    func driftAndASlowFirstRunAccuseNothing(_ seed: Int) throws {
        let sequence = try Pages(firstRun: 0.15, drift: 0.01, seed: UInt64(seed)).measured()
        #expect(sequence.evidence.allSatisfy { $0.state != .regressed } && sequence.together?.state != .regressed)
    }

    /// If all other pages became 10 % faster, the one that stayed isn't slower.
    @Test(arguments: 1...10)
    func pagesThatStayAreNotAccusedBesideFasterOnes(_ seed: Int) throws {
        let sequence = try Pages(fasterOthers: 0.1, seed: UInt64(seed)).measured()
        #expect(sequence.evidence[18].state != .regressed)
    }

    @Test func allPagesTogetherAreAccused() throws {
        let sequence = try Pages(slower: 0.25, fasterOthers: -0.25).measured()
        #expect(sequence.together?.state == .regressed)
        #expect(abs((sequence.together?.change ?? 0) - 0.25) < 0.05)
    }

    @Test func theSamePairsGiveTheSameDecisions() throws {
        let pages = Pages(slower: 0.2, seed: 5)
        let live = try pages.measured()
        var wanted: Set<Int>?
        var replayed = PairSequence(try pages.cells)
        for pair in 0..<live.pairs {
            try replayed.add(pages.pair(pair, measuring: wanted))
            wanted = replayed.pairs < 2 ? nil : replayed.openPages.union(replayed.anchors)
        }
        #expect(replayed.evidence == live.evidence && replayed.shifts == live.shifts)
    }

    /// Decided pages need no more runs, but enough anchors stay to show the shift of a run.
    @Test func onlyOpenPagesAndAnchorsAreAskedFor() throws {
        let sequence = try Pages(pages: 40).measured()
        #expect(sequence.anchors.count == 8 && sequence.anchors.first == 0)
        let few = PairSequence(
            try (0..<20).map {
                PairSequence.Cell(
                    page: $0, isTime: true, tolerance: try Tolerance(relative: 0.1, absolute: 16), limit: nil)
            })
        #expect(few.anchors.count == 12)
    }

    @Test func measuringEverythingAccusesNothingElse() throws {
        let sequence = try Pages(slower: 0.3, seed: 3).measured(filtered: false)
        #expect(sequence.evidence.indices.filter { sequence.evidence[$0].state == .regressed } == [18])
    }

    @Test func anUndecidedCellSaysHowManyPairsItNeeds() throws {
        var rule = PairSequence.Rule()
        rule.mostPairs = 3
        let sequence = try Pages(slower: 0.25, seed: 2).measured(rule: rule)
        #expect(sequence.pairs == 3 && !sequence.isOpen && sequence.evidence[18].state == .open)
        let needed = try #require(sequence.pairsNeeded(for: 18))
        #expect(1...10 ~= needed.pairs && !needed.isIfChanged)
    }

    @Test func aTimeOnAClockOfFramesIsJudgedWithItsRounding() throws {
        var sequence = PairSequence(
            [
                PairSequence.Cell(
                    page: 0, isTime: true, tolerance: try Tolerance(relative: 0.1, absolute: 16), limit: nil)
            ])
        let frame = 50.0 / 3
        for _ in 0..<2 {
            try sequence.add([([6, 7, 6, 6, 8].map { $0 * frame }, [6, 6, 7, 6, 6].map { $0 * frame })])
        }
        let (variance, base) = (try #require(sequence.evidence[0].variance), 6 * frame)
        #expect(variance > 2 * PairShift.unknownOwn + frame * frame / (6 * base * base))
    }

    /// M counts what the first two pairs measured: a decision must not depend on what comes later.
    @Test func laterCellsDoNotMoveTheThreshold() throws {
        let pages = Pages()
        var sequence = PairSequence(try pages.cells, otherComparisons: 63)
        for number in 0..<4 {
            var pair = pages.pair(number)
            if number < 2 { for cell in 30..<36 { pair[cell] = nil } }
            try sequence.add(pair)
        }
        #expect(abs(sequence.evidence[0].needed - log((30 + 1 + 63) / 0.004)) < 1e-12)
        #expect(sequence.evidence[30].state == .open && sequence.evidence[30].pairs == 0)
    }
}
