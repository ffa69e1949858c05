import PerfgateBaselines
import PerfgateModel
import Testing
import SeededRandom

struct MergingTests {
    private let empty = BaselineFile(searchOnPhone)
    private let wide = WindowPolicy(runs: 100, perDay: 2)

    private func taking(_ file: BaselineFile, _ id: String, day: Int, _ cells: [CellMeasurement]) throws -> BaselineFile
    {
        try file.taking(try update([run(id, at: "2026-11-\(day)T10:00:00Z")], cells), window: wide)
    }

    @Test func theUnionOfBothSidesIsKeptUpToTheWindow() throws {
        let base = try taking(empty, "r1", day: 11, [cell(["r1": [1]])])
        let ours = try taking(base, "r2", day: 12, [cell(["r2": [2]])])
        let theirs = try taking(base, "r3", day: 13, [cell("ttfl", ["r3": [3]])])
        let all = try BaselineFile.merge(base: base, ours: ours, theirs: theirs)
        #expect(all.runs.map(\.id) == ["r1", "r2", "r3"])
        #expect(all.metrics["ttil"]?.samples == ["r1": [1], "r2": [2]])
        #expect(all.metrics["ttfl"]?.samples == ["r3": [3]])
        let newest = try BaselineFile.merge(
            base: base, ours: ours, theirs: theirs, window: WindowPolicy(runs: 2, perDay: 2))
        #expect(newest.metrics == all.metrics)
        let one = try BaselineFile.merge(
            base: base, ours: ours, theirs: theirs, window: WindowPolicy(runs: 1, perDay: 2))
        #expect(one.runs.map(\.id) == ["r2", "r3"])
        #expect(try BaselineFile.merge(base: nil, ours: ours, theirs: theirs) == all)
    }

    @Test func whatOneSideAcceptedHoldsForBoth() throws {
        let base = try taking(empty, "r1", day: 11, [cell(["r1": [1]])])
        let late = try taking(base, "r2", day: 12, [cell(["r2": [2]]), cell("ttfl", ["r2": [2]])])
        let accepting = try base.taking(
            try update(
                [run("r3", at: "2026-11-13T10:00:00Z")], [cell(["r3": [9]])], accepting: ["ttil"], reason: "a map"))
        let merged = try BaselineFile.merge(base: base, ours: late, theirs: accepting)
        #expect(merged.metrics["ttil"]?.samples == ["r3": [9]])
        #expect(merged.metrics["ttfl"]?.samples == ["r2": [2]])
        #expect(merged.accepted == accepting.accepted)
    }

    /// A nightly run of the main branch between the acceptance on a branch and its merge lacks the change.
    @Test func runsThatTheOtherSideStoredSinceAreOfTheOldEpoch() throws {
        let base = try taking(empty, "r1", day: 11, [cell(["r1": [1]])])
        let accepting = try base.taking(
            try update(
                [run("r3", at: "2026-11-13T10:00:00Z")], [cell(["r3": [9]])], accepting: ["ttil"], reason: "a map"))
        let nightly = try taking(base, "r4", day: 14, [cell(["r4": [1]]), cell("ttfl", ["r4": [2]])])
        let merged = try BaselineFile.merge(base: base, ours: nightly, theirs: accepting)
        #expect(merged.metrics["ttil"]?.samples == ["r3": [9]])
        #expect(merged.metrics["ttfl"]?.samples == ["r4": [2]])
        #expect(try BaselineFile.merge(base: base, ours: accepting, theirs: nightly) == merged)
        let next = try taking(merged, "r5", day: 15, [cell(["r5": [9]])])
        #expect(try BaselineFile.merge(base: merged, ours: merged, theirs: next) == next)
    }

    /// `git revert` of an accepting commit after later nights: the epoch before it begins again, unless a later change
    /// was accepted since.
    @Test func revertingAnAcceptanceReopensItsEpochAlone() throws {
        func accepting(_ file: BaselineFile, _ id: String, day: Int, _ reason: String) throws -> BaselineFile {
            try file.taking(
                try update(
                    [run(id, at: "2026-11-\(day)T10:00:00Z")], [cell([id: [Double(day)]])], accepting: ["ttil"],
                    reason: reason), window: wide)
        }
        let before = try taking(empty, "r1", day: 11, [cell(["r1": [1]])])
        let first = try accepting(before, "r2", day: 12, "a map")
        let nights = try taking(first, "r3", day: 13, [cell(["r3": [12]])])
        let reverted = try BaselineFile.merge(base: first, ours: nights, theirs: before)
        #expect(reverted.metrics["ttil"]?.samples == ["r1": [1]] && reverted.accepted.isEmpty)
        let second = try accepting(nights, "r4", day: 14, "a video")
        let later = try taking(second, "r5", day: 15, [cell(["r5": [14]])])
        let kept = try BaselineFile.merge(base: first, ours: later, theirs: before)
        #expect(kept.metrics["ttil"]?.samples == later.metrics["ttil"]?.samples)
        #expect(kept.accepted.map(\.reason) == ["a video"])
    }

    @Test func aRenamedPageTakesInTheOtherSidesRuns() throws {
        let base = try taking(empty, "r1", day: 11, [cell(["r1": [1]])])
        let renamed = base.renamed(to: Page("Find"))
        let night = try taking(base, "r2", day: 12, [cell(["r2": [2]])])
        let merged = try BaselineFile.merge(base: base, ours: renamed, theirs: night)
        #expect(merged == night.renamed(to: Page("Find")))
        #expect(try BaselineFile.merge(base: base, ours: night, theirs: renamed) == merged)
        // git took the file of a new page for the renamed one of a removed page.
        let other = try taking(empty, "r3", day: 13, [cell(["r3": [7]])]).renamed(to: Page("Checkout"))
        #expect(throws: BaselineError.self) { try BaselineFile.merge(base: base, ours: other, theirs: night) }
        let error = #expect(throws: BaselineError.self) {
            try BaselineFile.merge(base: base, ours: renamed, theirs: night.renamed(to: Page("Results")))
        }
        #expect(error?.description.contains("If both sides renamed it, take one with `git checkout --ours`") == true)
    }

    @Test func theSideThatChangedADefinitionWins() throws {
        let base = try taking(empty, "r1", day: 11, [cell(["r1": [1]])])
        let changed = try taking(base, "r2", day: 12, [cell(formula: "2", ["r2": [2]])])
        let same = try taking(base, "r3", day: 13, [cell(["r3": [3]])])
        let merged = try BaselineFile.merge(base: base, ours: changed, theirs: same)
        #expect(merged.metrics["ttil"]?.samples == ["r2": [2]])
        #expect(try BaselineFile.merge(base: base, ours: same, theirs: changed) == merged)
        let newest = try BaselineFile.merge(base: nil, ours: changed, theirs: same)
        #expect(newest.metrics["ttil"]?.samples == ["r1": [1], "r3": [3]])
    }

    @Test func aMetricThatOneSideRemovedStaysAwayUnlessTheOtherGoesOn() throws {
        let base = try taking(empty, "r1", day: 11, [cell(["r1": [1]]), cell("ttfl", ["r1": [1]])])
        let removed = try taking(empty, "r1", day: 11, [cell(["r1": [1]])])
        #expect(try BaselineFile.merge(base: base, ours: removed, theirs: base) == removed)
        let going = try taking(base, "r2", day: 12, [cell("ttfl", ["r2": [2]])])
        let merged = try BaselineFile.merge(base: base, ours: removed, theirs: going)
        #expect(merged.metrics["ttfl"]?.samples == ["r1": [1], "r2": [2]])
        #expect(try BaselineFile.merge(base: nil, ours: removed, theirs: base) == base)
    }

    @Test func ofAListThatOneSideChangedItsVersionIsKept() throws {
        let base = try taking(empty, "r1", day: 11, [cell(["r1": [1]])])
        let changed = try taking(empty, "r1", day: 11, [cell(["r1": [2]])])
        #expect(try BaselineFile.merge(base: base, ours: base, theirs: changed) == changed)
        #expect(try BaselineFile.merge(base: base, ours: changed, theirs: base) == changed)
        let error = #expect(throws: BaselineError.self) {
            try BaselineFile.merge(base: nil, ours: base, theirs: changed)
        }
        #expect(error?.cause == .otherSamples(run: "r1", metric: "ttil"))
    }

    @Test func differentPlacesDoNotMerge() throws {
        let other = empty.renamed(to: Page("Cart"))
        let error = #expect(throws: BaselineError.self) {
            try BaselineFile.merge(base: nil, ours: empty, theirs: other)
        }
        #expect(error?.description.hasPrefix("page Search (app com.example.app, build Release") == true)
        #expect(error?.description.contains(" and page Cart (") == true)
    }

    @Test(arguments: Array(1...40) as [UInt64])
    func sidesCanChangePlacesAndMergingAgainChangesNothing(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let base = try Self.grown(empty, by: 12, using: &random)
        let ours = try Self.grown(base, by: 5, using: &random)
        let theirs = try Self.grown(base, by: 5, using: &random)
        let merged = try BaselineFile.merge(base: base, ours: ours, theirs: theirs)
        #expect(try BaselineFile.merge(base: base, ours: theirs, theirs: ours) == merged, "seed \(seed)")
        #expect(
            try BaselineFile.merge(base: ours, ours: merged, theirs: ours).bytes() == merged.bytes(), "seed \(seed)")
        #expect(try BaselineFile.merge(base: base, ours: merged, theirs: merged) == merged, "seed \(seed)")
        #expect(try BaselineFile.merge(base: nil, ours: ours, theirs: ours) == ours, "seed \(seed)")
        #expect(merged.metrics.values.allSatisfy { $0.samples.count <= 10 }, "seed \(seed)")
        #expect(try BaselineFile(reading: merged.bytes()) == merged, "seed \(seed)")
        #expect(Self.respectsEpochs(merged), "seed \(seed)")
    }

    private static func respectsEpochs(_ file: BaselineFile) -> Bool {
        file.accepted.allSatisfy { change in
            file.samples(of: change.metric).allSatisfy { !$0.run.startedAt.isEarlier(than: change.at) }
        }
    }

    /// A file after several updates: separate runs, out of order, some accepted, some with a new formula.
    private static func grown(
        _ file: BaselineFile, by count: Int, using random: inout SeededGenerator
    ) throws -> BaselineFile {
        try (0..<count).reduce(file) { file, _ in
            let id = "r\(random.next() % 1_000_000)"
            let start = Timestamp(secondsSince1970: 1_795_000_000 + Int.random(in: 0..<6, using: &random) * 30_000)
            let cells = ["ttil", "ttfl", "alt"].filter { _ in Bool.random(using: &random) }.map { metric in
                let formula = Int.random(in: 0..<12, using: &random) == 0 ? "2" : "1"
                return cell(metric, formula: formula, [id: [Double.random(in: 0..<1e4, using: &random), 1e-7, 16.6]])
            }
            let accepted: Set<String> = Int.random(in: 0..<6, using: &random) == 0 ? ["ttil"] : []
            return try file.taking(try update([run(id, at: start.text)], cells, accepting: accepted, reason: "ü\n"))
        }
    }
}
