import Foundation
import PerfgateModel
import Testing

@testable import PerfgateBaselines

/// Runs whose samples a baseline keeps, but never compares with.
struct HeldRunsTests {
    private static func run(_ day: Int) throws -> BaselineRun {
        BaselineRun(
            id: "r\(day)", startedAt: try #require(Timestamp("2026-11-\(day)T10:00:00Z")), commit: "c\(day)")
    }

    /// A page with one run per day: some runs are held in `ttil`, all are settled in `ttfl`.
    private static func file(
        _ days: [Int], held: Set<Int> = [], _ why: HeldRun.Why = .doubtful, level: Double = 500
    ) throws -> BaselineFile {
        let ids = days.map { "r\($0)" }
        let samples = Dictionary(uniqueKeysWithValues: ids.map { ($0, [level]) })
        let heldIDs = Self.ids(held)
        return BaselineFile(
            page: Page("Search"), environment: [:], runs: try days.map(run),
            metrics: [
                "ttil": BaselineMetric(
                    .init(unit: .milliseconds), samples: samples.filter { !heldIDs.contains($0.key) },
                    held: samples.filter { heldIDs.contains($0.key) }.mapValues { HeldRun(why, $0) }),
                "ttfl": BaselineMetric(.init(unit: .milliseconds), samples: samples),
            ]
        ).settled(in: .standard)
    }

    private static func ids(_ days: any Sequence<Int>) -> Set<String> { Set(days.map { "r\($0)" }) }

    @Test func areWrittenAndRead() throws {
        let file = try Self.file([11, 12, 13], held: [13, 12])
        let text = String(decoding: file.bytes(), as: UTF8.self)
        #expect(text.contains(#""r12": { "samples": [500], "why": "doubtful" },"#), "\(text)")
        #expect(
            text.contains(#""held_since": { "at": "2026-11-12T10:00:00Z", "commit": "c12", "runs": 2 }"#), "\(text)")
        #expect(text.contains(#""schema": 2"#))
        let read = try BaselineFile(reading: file.bytes())
        #expect(read == file && read.bytes() == file.bytes())
        #expect(read.samples(of: "ttil").map(\.run.id) == ["r11"] && read.samples(of: "ttfl").count == 3)
    }

    @Test(arguments: [
        (#"{ "r9": { "samples": [], "why": "refused" } }"#, "the run is not among `runs`"),
        (#"{ "r11": { "samples": [], "why": "refused" } }"#, "the run has a list under `samples`, too"),
        (#"{ "r12": { "samples": [], "why": "odd" } }"#, "write refused or doubtful or normal"),
        (#"{ "r12": [] }"#, "expected an object"),
    ])
    func whatIsWrongIsSaid(_ list: String, _ words: String) throws {
        let golden = String(decoding: try Self.file([11, 12], held: [12]).bytes(), as: UTF8.self)
        let held = "{\n        \"r12\": { \"samples\": [500], \"why\": \"doubtful\" }\n      }"
        #expect(golden.contains(held), "\(golden)")
        let error = #expect(throws: BaselineError.self) {
            try BaselineFile(reading: Array(golden.replacing(held, with: list).utf8))
        }
        #expect(error?.description.contains(words) == true, "\(error.map { "\($0)" } ?? "")")
    }

    /// The first version knew provisional runs and no anchor; the oldest settled runs are the anchor then.
    @Test func theFirstVersionIsRead() throws {
        let text = """
            {"schema": 1, "page": "Search", "environment": {}, "runs": [
            {"id": "r11", "started_at": "2026-11-11T10:00:00Z"}, {"id": "r12", "started_at": "2026-11-12T10:00:00Z"}],
            "metrics": {"ttil": {"unit": "ms", "formula": "1", "provisional": ["r12"], "samples": {"r11": [500], "r12":
            [590]}}}}
            """
        let read = try BaselineFile(reading: Array(text.utf8))
        let metric = try #require(read.metrics["ttil"])
        #expect(metric.samples == ["r11": [500]] && metric.held == ["r12": HeldRun(.doubtful, [590])])
        let settled = try #require(read.settled(in: .standard).metrics["ttil"])
        #expect(settled.anchor?.medians == [500] && settled.heldSince?.runs == 1)
        let bad = text.replacing("[\"r12\"]", with: "[\"r9\"]")
        #expect(throws: BaselineError.self) { try BaselineFile(reading: Array(bad.utf8)) }
    }

    /// Ten held nights keep the ten settled ones, but only in their metric; the count goes on when the list is full.
    @Test func pushNoSettledRunOutOfTheWindow() throws {
        var file = try Self.file(Array(10...19))
        for day in 20...30 {
            var update = try Self.night(day)
            update.standings = ["ttil": ["r\(day)": .held(.refused)]]
            file = try file.taking(update)
        }
        let metric = try #require(file.metrics["ttil"])
        #expect(Set(metric.samples.keys) == Self.ids(10...19))
        #expect(Set(metric.held.keys) == Self.ids(21...30))
        let start = try Self.run(20).startedAt
        #expect(metric.heldSince == HeldSince(at: start, commit: "c20", runs: 11))
        #expect(Set(file.metrics["ttfl"]?.samples.keys ?? [:].keys) == Self.ids(21...30))
        #expect(file.runs.count == 20 && file.settled(in: .standard) == file)
        #expect(try BaselineFile(reading: file.bytes()) == file)
    }

    private static func night(_ day: Int) throws -> BaselineUpdate {
        let cells = ["ttil", "ttfl"].map { cell($0, ["r\(day)": [500]]) }
        return BaselineUpdate(
            runs: [
                PerfgateBaselinesTests.run("r\(day)", at: try run(day).startedAt.text, commit: "c\(day)")
            ], cells: cells, at: try run(day).startedAt, tool: "perfgate")
    }

    @Test func episodesEndWithASettledRun() throws {
        let file = try Self.file(Array(11...17), held: [13, 14, 16, 17])
        let episodes = file.episodes(of: "ttil")
        #expect(episodes.map { $0.runs.map(\.id) } == [["r13", "r14"], ["r16", "r17"]])
        #expect(episodes.map(\.isOpen) == [false, true])
        let start = try Self.run(16).startedAt
        #expect(file.metrics["ttil"]?.heldSince?.at == start)
    }

    @Test func aMergeTakesTheUnion() throws {
        let base = try Self.file([11])
        let ours = try Self.file([11, 12], held: [12], .refused)
        let theirs = try Self.file([11, 13], held: [13])
        let merged = try BaselineFile.merge(base: base, ours: ours, theirs: theirs)
        #expect(merged.metrics["ttil"]?.held.mapValues(\.why) == ["r12": .refused, "r13": .doubtful])
        #expect(merged.metrics["ttil"]?.heldSince?.runs == 2)
        #expect(try BaselineFile.merge(base: base, ours: theirs, theirs: ours) == merged)
    }

    /// An epoch that begins after every run would drop all samples without a word; jumps are few and small.
    @Test(arguments: [
        (
            #""accepted": [{ "at": "2999-01-01T00:00:00Z", "metric": "ttil", "reason": "x" }],"#,
            "accepted[0].at: later than every run of the metric"
        ), (#""jumps": [1e300],"#, "jumps: more or larger jumps than runs can show"),
    ])
    func whatCantBeTrueIsRefused(_ addition: String, _ words: String) throws {
        let golden = String(decoding: try Self.file([11, 12]).bytes(), as: UTF8.self)
        let place = addition.contains("accepted") ? #""environment""# : #""samples""#
        let range = try #require(golden.range(of: place, options: .backwards))
        let text = golden.replacingCharacters(in: range, with: addition + place)
        let error = #expect(throws: BaselineError.self) { try BaselineFile(reading: Array(text.utf8)) }
        #expect(error?.description.contains(words) == true, "\(error.map { "\($0)" } ?? text)")
    }

    /// If the merge has the common ancestor, the side that decided wins; otherwise the runs stay held.
    @Test func aMergeKnowsWhoSettledARun() throws {
        let doubtful = try Self.file([11, 12], held: [12])
        let settled = try Self.file([11, 12])
        for (ours, theirs) in [(doubtful, settled), (settled, doubtful)] {
            #expect(try BaselineFile.merge(base: doubtful, ours: ours, theirs: theirs) == settled)
            let without = try BaselineFile.merge(base: nil, ours: ours, theirs: theirs)
            #expect(without.metrics["ttil"]?.held.keys.sorted() == ["r12"])
        }
    }

    /// An epoch that begins by itself keeps the ended one until it fills the window.
    @Test func anEarlierEpochComesBack() throws {
        let before = try Self.file(Array(10...16))
        let start = try Self.run(15).startedAt
        let change = AcceptedChange(at: start, metric: "ttil", reason: "improved by 40 % (automatic)", commit: "c15")
        let update = BaselineUpdate(standings: [:], epochs: ["ttil": change], at: start, tool: "perfgate")
        let began = try before.taking(update)
        #expect(began.samples(of: "ttil").map(\.run.id) == ["r15", "r16"] && began.accepted == [change])
        #expect(began.metrics["ttil"]?.anchor?.medians.count == 2)
        #expect(try began.taking(update) == began)
        #expect(try BaselineFile(reading: began.bytes()) == began)
        let back = try #require(began.reopening("ttil", window: .standard))
        #expect(back.samples(of: "ttil").map(\.run.id) == (10...14).map { "r\($0)" } && back.accepted.isEmpty)
        #expect(back.reopening("ttil", window: .standard) == nil)
        // A branch that still has the epoch doesn't bring it back.
        let merged = try BaselineFile.merge(base: began, ours: back, theirs: began)
        #expect(merged.accepted.isEmpty)
        // Nor do its later runs come back, which were measured in the epoch that was undone.
        let later = try began.taking(Self.night(17))
        for (ours, theirs) in [(back, later), (later, back)] {
            let both = try BaselineFile.merge(base: began, ours: ours, theirs: theirs)
            #expect(both.samples(of: "ttil").map(\.run.id) == (10...14).map { "r\($0)" })
        }
        var full = began
        for day in 17...24 { full = try full.taking(Self.night(day)) }
        #expect(full.samples(of: "ttil").count == 10 && full.metrics["ttil"]?.earlier == nil)
    }

    @Test func releasedRunsAreCompared() throws {
        let file = try Self.file([11, 12, 13], held: [12, 13], .refused)
        let now = try Self.run(14).startedAt
        let released = file.releasing("ttil", reason: "slow server", at: now, window: .standard)
        #expect(released.samples(of: "ttil").count == 3 && released.metrics["ttil"]?.heldSince == nil)
        #expect(
            released.released == [
                ReleasedRuns(at: now, metric: "ttil", reason: "slow server", runs: ["r12", "r13"])
            ])
        #expect(try BaselineFile(reading: released.bytes()) == released)
    }

    /// A drift is counted from what was let in: the older runs don't come back into the anchor.
    @Test func theAnchorBeginsWithWhatWasLetIn() throws {
        var file = try Self.file(Array(10...20), held: [19, 20], .refused)
        file = try file.taking(Self.night(21))
        #expect(file.metrics["ttil"]?.anchor?.medians.count == 10)
        let from = file.metrics["ttil"]?.anchor?.from
        let now = try Self.run(22).startedAt
        var released = file.releasing("ttil", reason: "slow server", at: now, window: .standard)
        let newest = released.samples(of: "ttil").suffix(5)
        #expect(released.metrics["ttil"]?.anchor?.medians == EpochAnchor.extended(nil, by: Array(newest))?.medians)
        for day in 22...24 { released = try released.taking(Self.night(day)) }
        #expect(released.metrics["ttil"]?.anchor?.medians.count == 8)
        #expect(released.metrics["ttil"]?.anchor?.from == from)
    }

    /// The anchor takes the epoch's first settled runs and forgets none of them.
    @Test func theAnchorStays() throws {
        var file = try Self.file([10, 11])
        for day in 12...30 { file = try file.taking(Self.night(day)) }
        let anchor = try #require(file.metrics["ttil"]?.anchor)
        let (first, last) = (try Self.run(10).startedAt, try Self.run(30).startedAt)
        #expect(anchor.from == first && anchor.to == last)
        #expect(anchor.medians.count == 21 && file.samples(of: "ttil").first?.run.id == "r21")
        let later = file.samples(of: "ttil")
        #expect(EpochAnchor.extended(anchor, by: later + later) == anchor)
        let full = EpochAnchor(from: first, to: first, medians: Array(repeating: 300, count: EpochAnchor.mostRuns))
        #expect(EpochAnchor.extended(full, by: later) == full)
        // Nights that are stored newest first make the same anchor.
        var reversed = try Self.file([20])
        for day in (11...19).reversed() { reversed = try reversed.taking(Self.night(day)) }
        #expect(reversed.metrics["ttil"]?.anchor?.from == (try Self.run(11).startedAt))
        #expect(reversed.metrics["ttil"]?.anchor?.medians == Array(anchor.medians.prefix(10)))
    }

    /// A run's jump to the next one is kept when the run leaves the lists: with the window, or with its epoch, whose last
    /// one is the step.
    @Test func jumpsOutliveTheirRuns() throws {
        var file = try Self.file(Array(11...20))
        var update = try Self.night(21)
        update.jumps = ["ttil": ["r11": 0.25, "r12": 0.5]]
        file = try file.taking(update)
        #expect(file.metrics["ttil"]?.jumps == [0.25])
        #expect(try BaselineFile(reading: file.bytes()) == file)
        let change = AcceptedChange(at: try Self.run(20).startedAt, metric: "ttil", reason: "faster")
        var epoch = BaselineUpdate(standings: [:], epochs: ["ttil": change], at: change.at, tool: "perfgate")
        epoch.jumps = ["ttil": ["r12": 0.5, "r19": 0.75, "r20": 1]]
        #expect(try file.taking(epoch).metrics["ttil"]?.jumps == [0.25, 0.5])
        var full = try Self.night(22)
        full.jumps = ["ttil": ["r12": 2]]
        file.metrics["ttil"]?.jumps = Array(repeating: 1, count: BaselineMetric.mostJumps)
        #expect(try file.taking(full).metrics["ttil"]?.jumps == Array(repeating: 1, count: 19) + [2])
    }
}
