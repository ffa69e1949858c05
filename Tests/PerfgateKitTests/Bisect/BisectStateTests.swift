import Foundation
import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

struct BisectStateTests {
    private static func commits(_ count: Int) -> [BisectCommit] {
        (0..<count).map { BisectCommit(hash: "abcdef\($0)", subject: "change \($0)", author: "Kim") }
    }

    private func plan(_ count: Int) -> BisectPlan {
        BisectPlan(
            commits: Self.commits(count), page: "Search", metric: "ttil", run: "./measure.sh", build: nil,
            iterations: 15, change: 0.2, asMeasured: false, weights: Array(repeating: 1, count: count - 1))
    }

    @Test func aLeadHoldsAtMostHalf() {
        for (source, locks) in [(Set([3]), Set<Int>()), ([1, 2, 3], [4]), ([], [1, 2, 3, 4, 5, 6, 7])] {
            let weights = BisectPlan.weights(8, [.init(8, source), .init(4, locks)])
            for group in [source, locks] where !group.isEmpty {
                let own = group.reduce(0) { $0 + weights[$1 - 1] }
                #expect(own <= max(weights.reduce(0, +) / 2, Double(group.count)) + 1e-9)
            }
            #expect(weights.allSatisfy { $0 >= 1 })
        }
        #expect(BisectPlan.weights(3, []) == [1, 1, 1])
    }

    @Test func theFirstLeadOfACommitCounts() {
        let leads: [BisectPlan.Lead] = [.init(8, [2]), .init(3, [2, 4]), .init(1.5, [4, 5, 6])]
        #expect(BisectPlan.weights(12, leads) == [1, 8, 1, 3, 1.5, 1.5, 1, 1, 1, 1, 1, 1])
    }

    @Test func theSourceOfAPageIsAPathWithoutALine() {
        var policy = Policy()
        policy.pages = [
            PolicyRule(page: "Search", metrics: [:], source: "Sources/Search.swift:42", owner: nil, from: .builtIn)
        ]
        #expect(BisectPlan.source(of: "Search", policy) == "Sources/Search.swift")
        #expect(BisectPlan.source(of: "Home", policy) == nil)
    }

    @Test func aTornLineIsARunThatWasKilled() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "bisect-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        let folder = BisectFolder(url.path)
        #expect(try folder.state(mostRuns: 60) == nil)
        try folder.append(plan(9))
        var skip = BisectRecord(.skip, n: 1, pos: 8)
        (skip.reason, skip.minutes) = ("it crashed", 2)
        try folder.append(skip)
        let whole = try Data(contentsOf: URL(filePath: folder.stateFile))
        for torn in ["{\"type\":\"measu", "{\"n\":2,\"pos\":8,\"type\":\"measured\",\"samples\":[1"] {
            try (whole + Data(torn.utf8)).write(to: URL(filePath: folder.stateFile))
            let state = try #require(try folder.state(mostRuns: 60))
            #expect(state.nextNumber == 2 && state.search.step == .measure(8, .ends) && state.minutes == 2)
            #expect(try Data(contentsOf: URL(filePath: folder.stateFile)) == whole)
        }
    }

    @Test(arguments: [
        "{\"type\":\"bisect\",\"schema\":9}\n", "not a state\n", "{\"type\":\"check\"}\n",
        "{\"asMeasured\":false,\"commits\":[{\"author\":\"\",\"hash\":\"--output=x\",\"subject\":\"\"},{\"author\":\"\",\"hash\":\"abcdef1\",\"subject\":\"\"}],\"iterations\":15,\"metric\":\"ttil\",\"page\":\"S\",\"run\":\"x\",\"schema\":1,\"type\":\"bisect\",\"weights\":[1]}\n",
    ]) func anotherFileIsRefused(text: String) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "bisect-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(text.utf8).write(to: url.appending(path: "state.ndjson"))
        #expect(throws: UnreadableState.self) { try BisectFolder(url.path).state(mostRuns: 60) }
    }

    @Test(arguments: [
        "{\"type\":\"skip\",\"n\":1,\"pos\":9}", "{\"type\":\"skip\",\"n\":9223372036854775807,\"pos\":8}",
        "{\"type\":\"skip\",\"n\":1,\"pos\":8,\"minutes\":1e300}",
        "{\"type\":\"measured\",\"n\":1,\"pos\":8,\"samples\":[]}",
        "{\"type\":\"unknown\"}",
    ]) func aLineThatNoCallWroteIsRefused(line: String) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "bisect-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        let folder = BisectFolder(url.path)
        try folder.append(plan(9))
        let whole = try Data(contentsOf: URL(filePath: folder.stateFile))
        try (whole + Data((line + "\n").utf8)).write(to: URL(filePath: folder.stateFile))
        #expect(throws: UnreadableState.self) { try folder.state(mostRuns: 60) }
    }

    /// The searched page and eight others, once a run has shown which there are.
    @Test func laterRunsAreAskedForThePageAndItsAnchors() throws {
        var state = BisectState(plan(9), mostRuns: 60)
        #expect(state.wantedPages == nil)
        var record = BisectRecord(.measured, n: 1, pos: 8)
        record.samples = [600, 610, 620]
        record.times = Dictionary(
            uniqueKeysWithValues: (0..<20).flatMap { page in
                ["ttil", "ttfl"].map { ("Page\(page)/\($0)", 6.0) }
            })
        record.minutes = 3
        state.add(record)
        let pages = try #require(state.wantedPages)
        #expect(pages.count == 9 && pages.contains("Search"))
        #expect(state.expectedMinutes(at: 8) == 3)
        var few = BisectState(plan(9), mostRuns: 60)
        record.times = ["Home/ttil": 6]
        few.add(record)
        #expect(few.wantedPages == nil)
    }
}
