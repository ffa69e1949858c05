import PerfgateBaselines
import PerfgateModel
import Testing

struct TakingTests {
    private let empty = BaselineFile(searchOnPhone)
    private let first = run("r1", at: "2026-11-20T10:00:00Z", commit: "4be1")
    private let second = run("r2", at: "2026-11-21T10:00:00Z")

    @Test func samplesKeepTheirOrder() throws {
        let file = try empty.taking(try update([first], [cell(["r1": [3, 1, 2]])]))
        #expect(file.metrics["ttil"]?.samples == ["r1": [3, 1, 2]])
        #expect(file.runs.map(\.commit) == ["4be1"])
        #expect(file.runs.map(\.tool) == ["perfgate 0.1.0"])
        #expect(file.place(by: .standard) == searchOnPhone)
        #expect(file.samples(of: "ttil").map(\.values) == [[3, 1, 2]])
    }

    @Test func whatWasMeasuredWithoutASampleIsAnEmptyList() throws {
        let silent = CellMeasurement(
            metric: Metric(id: "alt", unit: .milliseconds, better: .lower), runs: [],
            iterations: ["r1": [0, 1, 2, 3, 4], "r2": []])
        let file = try empty.taking(try update([first, second], [silent]))
        #expect(file.metrics["alt"]?.samples == ["r1": []])
        #expect(file.runs.map(\.id) == ["r1"])
    }

    @Test(arguments: [nil, "yesterday"])
    func aRunWithoutAStartBeganAtItsFirstUpdate(start: String?) throws {
        let file = try empty.taking(try update([run("r", at: start)], [cell(["r": [1]])]))
        #expect(file.runs.map(\.startedAt.text) == ["2026-12-01T12:00:00Z"])
        let later = BaselineUpdate(
            runs: [run("r", at: nil)], cells: [cell(["r": [1]]), cell("ttfl", ["r": [2]])],
            at: try #require(Timestamp("2026-12-09T12:00:00Z")), tool: "perfgate 0.2.0")
        let again = try file.taking(later)
        #expect(again.runs == file.runs)
        #expect(again.metrics.keys.sorted() == ["ttfl", "ttil"])
    }

    @Test func equalSamplesChangeNothingAndNewCellsAreAdded() throws {
        let file = try empty.taking(try update([first], [cell(["r1": [1, 2]])]))
        #expect(try file.taking(try update([first], [cell(["r1": [1, 2]])])) == file)
        let more = try file.taking(try update([first], [cell(["r1": [1, 2]]), cell("ttfl", ["r1": [9]])]))
        #expect(more.metrics["ttfl"]?.samples == ["r1": [9]])
        #expect(more.metrics["ttil"] == file.metrics["ttil"])
    }

    @Test func otherSamplesOfAStoredRunAreAnError() throws {
        let file = try empty.taking(try update([first], [cell(["r1": [1, 2]])]))
        let error = #expect(throws: BaselineError.self) {
            try file.taking(try update([first], [cell(["r1": [2, 1]])]))
        }
        #expect(error?.cause == .otherSamples(run: "r1", metric: "ttil"))
        #expect(error?.description.hasPrefix("run r1 is stored with other samples of ttil; give all parts") == true)
    }

    @Test func runsStandByStartThenIdentifier() throws {
        let same = run("r0", at: "2026-11-21T12:00:00+02:00")
        let file = try empty.taking(try update([second, first, same], [cell(["r2": [2], "r1": [1], "r0": [0]])]))
        #expect(file.runs.map(\.id) == ["r1", "r0", "r2"])
    }

    @Test func anAcceptedChangeStartsAnEpochOfItsMetricOnly() throws {
        let old = try empty.taking(try update([first], [cell(["r1": [1]]), cell("ttfl", ["r1": [5]])]))
        let cells = [cell(["r2": [9]]), cell("ttfl", ["r2": [6]])]
        let file = try old.taking(try update([second], cells, accepting: ["ttil", "rclt"], reason: "a map"))
        #expect(file.metrics["ttil"]?.samples == ["r2": [9]])
        #expect(file.metrics["ttfl"]?.samples == ["r1": [5], "r2": [6]])
        #expect(file.accepted.map(\.metric) == ["ttil"])
        #expect(file.accepted.map(\.at.text) == ["2026-11-21T10:00:00Z"])
        #expect(file.accepted.map(\.reason) == ["a map"])
    }

    @Test func aLateUpdateDoesNotReachBehindAnEpoch() throws {
        let file = try empty.taking(try update([second], [cell(["r2": [9]])], accepting: ["ttil"], reason: "a map"))
        #expect(try file.taking(try update([first], [cell(["r1": [1]])])) == file)
        let other = try file.taking(try update([first], [cell(["r1": [1]]), cell("ttfl", ["r1": [2]])]))
        #expect(other.metrics["ttil"]?.samples == ["r2": [9]])
        #expect(other.metrics["ttfl"]?.samples == ["r1": [2]])
    }

    @Test(arguments: [("2", Counting.exact), ("1", .published)])
    func anotherDefinitionStartsAnew(formula: String, counting: Counting) throws {
        let old = try empty.taking(try update([first], [cell(["r1": [1]]), cell("ttfl", ["r1": [5]])]))
        let new = cell(formula: formula, counting: counting, ["r2": [9]])
        let file = try old.taking(try update([second], [new]))
        #expect(file.metrics["ttil"]?.samples == ["r2": [9]])
        #expect(file.metrics["ttil"]?.definition == BaselineMetric(new).definition)
        #expect(file.metrics["ttfl"]?.samples == ["r1": [5]])
        #expect(try file.taking(try update([first], [cell(["r1": [1]])])) == file)
        let again = cell(formula: formula, counting: counting, ["r1": [7]])
        #expect(try old.taking(try update([first], [again])).metrics["ttil"]?.samples == ["r1": [7]])
    }

    @Test func theOrderOfRunsAndCellsDoesNotMatter() throws {
        let cells = [cell(["r1": [1], "r2": [2]]), cell("ttfl", ["r2": [3]]), cell("alt", ["r1": []])]
        let file = try empty.taking(try update([first, second], cells))
        #expect(try empty.taking(try update([second, first], cells.reversed())).bytes() == file.bytes())
        let apart = try cells.reduce(empty) { try $0.taking(try update([second, first], [$1])) }
        #expect(apart == file)
    }
}
