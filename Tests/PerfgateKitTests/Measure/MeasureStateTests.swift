import Foundation
import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

struct MeasureStateTests {
    private func state(_ runs: [(Int, MeasuredSide, String?)], mostPairs: Int = 20) -> MeasureState {
        var state = MeasureState(base: "b", head: "h", mostPairs: mostPairs)
        for (pair, side, failure) in runs {
            let attempt = state.runs.contains { $0.pair == pair && $0.side == side } ? 2 : 1
            state.runs.append(
                MeasureState.Run(pair: pair, side: side, attempt: attempt, failure: failure, seconds: 60, pages: nil))
        }
        return state
    }

    /// Base head, head base, head base, base head: a linear drift cancels after two and four pairs.
    @Test func pairsFollowTheThueMorseOrder() {
        var state = self.state([])
        var order = ""
        while let next = state.next, next.pair <= 8 {
            order += next.side == .base ? "B" : "H"
            state.runs.append(
                MeasureState.Run(
                    pair: next.pair, side: next.side, attempt: next.attempt, failure: nil, seconds: 1, pages: nil))
        }
        #expect(order == "BHHBHBBHHBBHBHHB")
        var drift = [0, 0]
        for (position, side) in order.prefix(8).enumerated() { drift[side == "B" ? 0 : 1] += position }
        #expect(drift[0] == drift[1])
    }

    @Test func aFailedRunIsRepeatedOnceAtOnce() throws {
        let next = try #require(state([(1, .base, "no")]).next)
        #expect(next == MeasureState.Next(pair: 1, side: .base, attempt: 2))
        #expect(state([(1, .base, "no"), (1, .base, nil)]).next?.side == .head)
    }

    @Test func noPairBeginsAfterTheLast() {
        let pairs: [(Int, MeasuredSide, String?)] = [
            (1, .base, nil), (1, .head, nil), (2, .head, nil), (2, .base, nil),
        ]
        #expect(state(pairs, mostPairs: 2).next == nil)
        #expect(state(pairs, mostPairs: 3).next == MeasureState.Next(pair: 3, side: .head, attempt: 1))
        #expect(state(pairs).finishedPairs == [1, 2])
    }

    /// A head that fails first in its pair has crashed only if base's run of that pair passes.
    @Test func headHasCrashedIfBasePassesInThatPair() {
        let failed: [(Int, MeasuredSide, String?)] = [
            (1, .base, nil), (1, .head, nil), (2, .head, "no"), (2, .head, "no"),
        ]
        #expect(state(failed).crash == nil)
        #expect(state(failed).next == MeasureState.Next(pair: 2, side: .base, attempt: 1))
        let known = state(failed + [(2, .base, nil)])
        #expect(known.crash == MeasureState.Crash(ofHead: 2, ofBase: 0) && known.next == nil)
        let both = state(failed + [(2, .base, "no"), (2, .base, "no")])
        #expect(both.crash == nil && both.next == nil)
    }

    @Test func baseThatFailsTwiceEndsTheMeasurement() {
        let broken = state([(1, .base, "no"), (1, .base, "no")])
        #expect(broken.next == nil && broken.crash == nil && broken.broken?.side == .base)
    }

    /// Resuming tries the pair again that base couldn't measure; a crash of head stays one.
    @Test func aMendedBaseGoesOnInItsPair() {
        var broken = state([(1, .base, nil), (1, .head, nil), (2, .head, nil), (2, .base, "no"), (2, .base, "no")])
        broken.retryBase()
        #expect(
            broken.next == MeasureState.Next(pair: 2, side: .base, attempt: 1) && broken.failures(of: .base).count == 2)
        broken.runs.append(
            MeasureState.Run(pair: 2, side: .base, attempt: 1, failure: "no", seconds: 1, pages: nil))
        #expect(broken.next == MeasureState.Next(pair: 2, side: .base, attempt: 2))
        var crashed = state([(1, .base, nil), (1, .head, "no"), (1, .head, "no")])
        crashed.retryBase()
        #expect(crashed.next == nil && crashed.crash != nil)
    }

    @Test(arguments: [(2, 0, false), (3, 0, true), (4, 1, false), (5, 1, true)])
    func headThatOftenFailsIsNeverGreen(_ ofHead: Int, _ ofBase: Int, _ isCrash: Bool) {
        let head = (1...ofHead).flatMap {
            [($0, MeasuredSide.head, "no"), ($0, .head, nil)] as [(Int, MeasuredSide, String?)]
        }
        let base = (0..<ofBase).map { ($0 + 1, MeasuredSide.base, "no") as (Int, MeasuredSide, String?) }
        #expect((state(head + base).crash != nil) == isCrash)
    }

    @Test func theStateSurvivesItsFile() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let folder = MeasuredFolder(place.path)
        #expect(try folder.state() == nil)
        var state = state([(1, .base, nil), (1, .head, "it's \"cut\"\n")])
        state.dropped[1] = "base: none, head: heat"
        try folder.save(state)
        #expect(try folder.state() == state)
        for change in ["\"seconds\" : 60", "\"pair\" : 1", "\"attempt\" : 1", "\"mostPairs\" : 20"] {
            let text = try String(contentsOfFile: folder.stateFile, encoding: .utf8)
            let damaged = text.replacingOccurrences(of: change, with: change.split(separator: ":")[0] + ": -7")
            #expect(damaged != text)
            try damaged.write(toFile: folder.stateFile, atomically: true, encoding: .utf8)
            #expect(throws: UnreadableState.self, "\(change)") { try folder.state() }
            try folder.save(state)
        }
        try "{}".write(toFile: folder.stateFile, atomically: true, encoding: .utf8)
        #expect(throws: UnreadableState.self) { try folder.state() }
    }

    /// The pair is the folder directly below the side's; what a command makes inside may have any name.
    @Test(arguments: [
        ("out/head/03/a.ndjson", "out/head", "3"), ("out/head/03/head/1/a.ndjson", "./out/head/", "3"),
        ("head/7/out/head/02/a.ndjson", "head/7/out/head", "2"), ("out/head/a.ndjson", "out/head", nil),
        ("out/header/03/a.ndjson", "out/head", nil),
    ])
    func aRunHasThePairOfItsFolder(_ path: String, _ folder: String, _ pair: String?) {
        var measurements = Measurements(
            runs: [Run(id: "r", context: Context([:]), streams: [Run.Stream(path: path)])])
        measurements.number(pairsOf: .head, in: folder)
        #expect(measurements.runs[0].pair == pair)
    }

    @Test func aRunOfTwoPairsIsBadData() {
        let streams = ["out/base/01/a", "out/base/02/a"].map { Run.Stream(path: $0) }
        var measurements = Measurements(runs: [Run(id: "r", context: Context([:]), streams: streams)])
        measurements.number(pairsOf: .base, in: "out/base")
        #expect(measurements.runs[0].streams[0].faults.first?.contains("Give each run a run_id of its own") == true)
    }

    @Test func onlyTheTwoSidesOfAMeasurementAreOne() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let (base, head) = ("\(place.path)/base", "\(place.path)/head/")
        #expect(MeasuredFolder(base: [base], head: [head]) == nil)
        try MeasuredFolder(place.path).save(state([]))
        #expect(MeasuredFolder(base: [base], head: [head])?.path == place.path)
        #expect(MeasuredFolder(base: [head], head: [base]) == nil)
        #expect(MeasuredFolder(base: [base, base], head: [head]) == nil)
    }
}
