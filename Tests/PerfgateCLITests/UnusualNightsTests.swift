import Foundation
import SeededRandom
import Testing

/// Nights in which a page, or most pages, change: none of them may hide a regression from the checks that follow.
struct UnusualNightsTests {
    /// What a run measures; by default what is usual.
    struct Night {
        /// The factors of the times of pages, by index.
        var factors: [Int: Double] = [:]
        /// The number of loads of the first page that take ten times as long.
        var slowLoads = 0
        /// The frames that a scroll of the first page drops in each iteration; the others drop none.
        var drops: [Int] = []
        /// The number of visits of the first page that fail.
        var failures = 0
        var iterations = 5
        var pair: String?
    }

    private static func times(_ pages: Range<Int>, _ factor: Double) -> Night {
        Night(factors: Dictionary(uniqueKeysWithValues: pages.map { ($0, factor) }))
    }

    /// Runs differ by 2 % in all times and 2.5 % in each, samples by 5 %.
    private static func log(_ run: String, day: Int, hour: Int = 3, pages: Int = 8, _ night: Night = Night()) -> String
    {
        var generator = SeededGenerator(seed: 11, stream: run.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
        let date = String(format: "2026-%02d-%02d", day / 28 + 1, day % 28 + 1)
        let pair = night.pair.map { #""pair":"\#($0)","# } ?? ""
        var lines = [
            #"{"type":"run","schema":1,"run_id":"\#(run)","commit":"c\#(day)","app":"shop","build":"Release",\#(pair)"#
                + #""device":"iPhone12,1","os":"iOS 17.5","max_fps":60,"started_at":"\#(date)T\#(10 + hour):00:00Z"}"#
        ]
        let shift = 0.02 * generator.normal()
        for page in 0..<pages {
            let own = (0..<3).map { _ in exp(shift + 0.025 * generator.normal()) }
            let level = Double(250 + 50 * page) * (night.factors[page] ?? 1)
            for iteration in 0..<night.iterations {
                let times = (0..<3).map { level * own[$0] * exp(0.05 * generator.normal()) }
                let isSlow = page == 0 && iteration < night.slowLoads
                let isFailed = page == 0 && iteration < night.failures
                let load = isFailed ? "" : #""ttil_ms":\#((isSlow ? 10 : 1) * times[1]),"#
                lines.append(
                    #"{"type":"pps","page":"P\#(page)","iteration":\#(iteration),"visit_id":"P\#(page)-\#(iteration)","#
                        + #""outcome":"\#(isFailed ? "error" : "loaded")",\#(load)"#
                        + #""ttfl_ms":\#(times[0] / 4),"alt_ms":[\#(isFailed ? "" : "\(times[2] / 2)")]}"#)
                let dropped = page == 0 && iteration < night.drops.count ? night.drops[iteration] : 0
                lines.append(
                    #"{"type":"metric","page":"P\#(page)","metric":"dropped_frames","unit":"frames","better":"lower","#
                        + #""values":[\#(dropped)],"iteration":\#(iteration)}"#)
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The files of a store of twelve usual nights of eight pages, made once.
    private static let usual = Result {
        try stored(pages: 8, window: 10).content().filter { !$0.key.hasPrefix("first/") }
    }

    private static func folder() throws -> CommandFolder {
        let folder = try CommandFolder()
        for (name, content) in try usual.get() { try folder.write(String(decoding: content, as: UTF8.self), to: name) }
        return folder
    }

    /// A store of twelve usual nights.
    private static func stored(pages: Int, window: Int) throws -> CommandFolder {
        let folder = try CommandFolder()
        try folder.write("schema: 1\nwindow: { runs: \(window) }\n", to: "perfgate.yml")
        for day in 1...12 { try folder.write(log("n\(day)", day: day, pages: pages), to: "first/\(day).ndjson") }
        #expect(try folder.run("baseline", "update", "first").code == 0)
        return folder
    }

    /// Stores nights one by one; returns the codes.
    private static func store(
        _ nights: [Night], from day: Int = 13, pages: Int = 8, in folder: CommandFolder
    ) throws -> [Int32] {
        try nights.enumerated().map { index, night in
            try folder.write(log("n\(day + index)", day: day + index, pages: pages, night), to: "night.ndjson")
            return try folder.run("baseline", "update", "night.ndjson").code
        }
    }

    private static func check(
        _ night: Night, pages: Int = 8, in folder: CommandFolder, _ options: String...
    ) throws -> (output: String, code: Int32) {
        try folder.write(log("pr", day: 40, pages: pages, night), to: "pr.ndjson")
        let said = try folder.run(["check", "pr.ndjson"] + options)
        return (said.output, said.code)
    }

    @Test(arguments: [0.5, 0.7])
    func oneFastNightHidesNoSlowdown(factor: Double) throws {
        let folder = try Self.folder()
        #expect(try Self.store([Self.times(0..<1, factor), Night(), Night()], in: folder) == [0, 0, 0])
        let said = try Self.check(Self.times(0..<1, 1.4), in: folder)
        #expect(said.code == 2, "\(said.output)")
    }

    @Test(arguments: [(2, 2), (4, 3), (8, 5), (8, 8)])
    func anImprovementOfMostPagesStartsTheirEpochs(pages: Int, improved: Int) throws {
        let folder = try pages == 8 ? Self.folder() : Self.stored(pages: pages, window: 10)
        let better = Self.times(0..<improved, 0.65)
        #expect(try Self.store([better, better], pages: pages, in: folder) == [0, 0])
        let said = try Self.check(Night(), pages: pages, in: folder)
        #expect(said.code == 2, "\(said.output)")
        #expect(try Self.check(better, pages: pages, in: folder).code == 0)
    }

    @Test func aSlowdownOfMostPagesIsRefusedEveryNight() throws {
        let folder = try Self.folder()
        let slow = Self.times(0..<5, 1.25)
        #expect(try Self.store(Array(repeating: slow, count: 10), in: folder) == Array(repeating: 2, count: 10))
        let said = try Self.check(slow, in: folder)
        #expect(said.code == 2 && said.output.contains("refused 10 times"), "\(said.output)")
    }

    @Test func anImprovementStartsAnEpochInASmallWindow() throws {
        let folder = try Self.stored(pages: 8, window: 5)
        #expect(try Self.store([Self.times(0..<1, 0.6), Self.times(0..<1, 0.6)], in: folder) == [0, 0])
        #expect(try Self.check(Night(), in: folder).code == 2)
    }

    @Test func droppedFramesInSomeIterationsNeverBecomeUsual() throws {
        let folder = try Self.folder()
        let codes = try Self.store(Array(repeating: Night(drops: [10, 10]), count: 6), in: folder)
        #expect(codes.suffix(3) == [2, 2, 2])
        #expect(try folder.run("doctor").output.contains("dropped_frames of P0"))
    }

    @Test func aFreezeNeverBecomesUsual() throws {
        let folder = try Self.folder()
        let frozen = Night(drops: [90])
        _ = try Self.store(Array(repeating: frozen, count: 6), in: folder)
        let said = try Self.check(frozen, in: folder)
        #expect(said.output.contains("P0 froze: 90 frames dropped at one instant in 1 of 5 samples"), "\(said.output)")
    }

    @Test func manyFailedVisitsAreNoPass() throws {
        let said = try Self.check(Night(failures: 3), in: Self.folder())
        #expect(said.code == 2 || said.code == 3, "\(said.output)")
    }

    @Test func anAcceptedTimeStillShowsSlowLoads() throws {
        let folder = try Self.folder()
        try folder.write(Self.log("new", day: 30, Self.times(0..<1, 1.5)), to: "new.ndjson")
        let accepted = try folder.run("baseline", "update", "new.ndjson", "--accept", "new map")
        #expect(accepted.code == 0, "\(accepted.output)")
        let told = try Self.check(Night(factors: [0: 1.5], slowLoads: 2), in: folder)
        #expect(told.code == 3 && told.output.contains("2 of 5 loads"), "\(told.output)")
    }

    @Test func pairsShowSlowLoads() throws {
        let folder = try CommandFolder()
        for pair in 1...5 {
            let (usual, slow) = (Night(pair: "p\(pair)"), Night(slowLoads: 2, pair: "p\(pair)"))
            try folder.write(Self.log("m\(pair)", day: pair, usual), to: "m\(pair).ndjson")
            try folder.write(Self.log("c\(pair)", day: pair, hour: 4, slow), to: "c\(pair).ndjson")
        }
        let (main, change) = ((1...5).map { "m\($0).ndjson" }, (1...5).map { "c\($0).ndjson" })
        let said = try folder.run(["compare"] + main + ["--with"] + change)
        #expect(said.code == 2 && said.output.contains("P0: 10 of 25 loads"), "\(said.output)")
        // A run without its partner is no reason for silence.
        let alone = try folder.run(["compare"] + main + ["--with"] + change.dropLast())
        #expect(alone.output.contains("Pair p5 has runs on one side only"), "\(alone.output)")
    }

    @Test func aRerunOfOneIterationClearsNothing() throws {
        let folder = try Self.folder()
        for attempt in 1...2 {
            let short = Self.log("again\(attempt)", day: 40, hour: 4 + attempt, Night(iterations: 1))
            try folder.write(short, to: "again\(attempt).ndjson")
        }
        try folder.write(Self.log("pr", day: 40, Self.times(0..<1, 1.6)), to: "pr.ndjson")
        let said = try folder.run(
            "check", "pr.ndjson", "again1.ndjson", "again2.ndjson", "--confirmation", "rerun")
        #expect(said.code == 3 && said.output.contains("fewer than half of its samples"), "\(said.output)")
    }
}
