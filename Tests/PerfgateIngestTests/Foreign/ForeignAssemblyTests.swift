import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Runs and cells of other tools: pages, environments, repetitions, and logs beside them.
struct ForeignAssemblyTests {
    private static let launch = ForeignMetric(id: "launch", unit: "s")

    private static func run(_ id: String = "r", path: String = "a", _ values: [Double] = [1]) -> ForeignRun {
        let cell = ForeignCell(subject: "Suite/test()", metric: launch, values: values)
        return ForeignRun(id: id, path: path, context: Context(["device": .text("D")]), cells: [cell])
    }

    private static func measurements(
        _ runs: [ForeignRun], _ change: (inout IngestOptions) -> Void = { _ in }
    ) -> Measurements {
        var options = IngestOptions()
        change(&options)
        var assembly = ForeignAssembly(options: options)
        assembly.add(ForeignResult(runs: runs), format: "zoom")
        return assembly.measurements()
    }

    @Test func aRunBecomesACellInItsEnvironment() {
        let result = Self.measurements([Self.run()]) {
            $0.context = Context(["app": .text("A"), "device": .text("X")])
        }
        #expect(result.values("Suite/test()", "launch") == [1_000])
        #expect(result.environments.map { $0["device"] } == [.text("D")])
        #expect(result.environments.map { $0["app"] } == [.text("A")])
        #expect(result.runs.map(\.sampleCount) == [1])
        #expect(result.codes == [.unknownField])
        #expect(
            result.diagnostics.first?.message.hasSuffix(
                "doesn't say its build, max_fps, os: give --build, --max-fps, --os.") == true)
    }

    @Test func conditionsSelectRuns() {
        let conditions = { IngestOptions.Condition(field: "device", value: $0) }
        #expect(Self.measurements([Self.run()]) { $0.conditions = [conditions("D")] }.cells.count == 1)
        let other = Self.measurements([Self.run()]) { $0.conditions = [conditions("E")] }
        #expect(other.cells.isEmpty)
        #expect(other.runs.map(\.sampleCount) == [0])
    }

    @Test func theSameRunTwiceCountsOnce() {
        let result = Self.measurements([Self.run(path: "b"), Self.run(path: "a")])
        #expect(result.values("Suite/test()", "launch") == [1_000])
        #expect(result.runs.map(\.isComplete) == [true])
        #expect(result.diagnostics.filter { $0.code == .repeatedStream }.map(\.path) == ["b"])
    }

    @Test func theSameRunWithOtherContentIsBad() {
        let result = Self.measurements([Self.run(path: "b", [2]), Self.run(path: "a")])
        #expect(result.values("Suite/test()", "launch") == [1_000])
        #expect(result.runs.map(\.isComplete) == [false])
        #expect(result.codes.contains(.conflictingStream))
    }

    @Test func theOrderOfRunsChangesNothing() {
        let runs = (0..<5).map { Self.run("r\($0)", path: "p\($0)", [Double($0), .infinity]) }
        #expect(Self.measurements(runs) == Self.measurements(runs.reversed()))
        #expect(Self.measurements(runs).codes.contains(.valueNotFinite))
    }

    @Test func unitsThatExcludeEachOtherAreReported() {
        var run = Self.run()
        let other = ForeignMetric(id: "launch", unit: "apples")
        run.cells.append(ForeignCell(subject: "Suite/test()", metric: other.metric, values: [1]))
        let results = [run.cells, run.cells.reversed()].map { cells in
            var run = run
            run.cells = cells
            return Self.measurements([run])
        }
        #expect(results[0] == results[1])
        #expect(results[0].codes.count { $0 == .conflictingMetric } == 1)
        #expect(results[0].runs.map(\.isComplete) == [false])
    }

    @Test func aPageWithoutANameIsDroppedOrGetsTheDefault() {
        var run = Self.run()
        run.cells = [ForeignCell(subject: " ", metric: Self.launch.metric, values: [1])]
        #expect(Self.measurements([run]).codes.contains(.pageWithoutName))
        #expect(Self.measurements([run]).cells.isEmpty)
        #expect(Self.measurements([run]) { $0.defaultPage = "Home" }.values("Home", "launch") == [1])
    }

    @Test func tooManyRecordsThatCantBeReadMakeTheRunBad() {
        var tally = RecordTally(path: "a", noun: "rows")
        tally.countRead(3)
        for line in 1...25 { tally.fail(line: line, because: "no") }
        tally.skip(line: 7, because: "they are of the system")
        let result = { (badLines: Int) in
            var options = IngestOptions()
            options.badLines = badLines
            var assembly = ForeignAssembly(options: options)
            assembly.add(ForeignResult(runs: [Self.run()], tallies: [tally]), format: "zoom")
            return assembly.measurements()
        }
        #expect(result(0).runs.map(\.streams[0].faults) == [["25 of its 29 rows can't be read."]])
        #expect(result(25).runs.map(\.isComplete) == [true])
        #expect(result(0).diagnostics.filter { $0.code == .badRecord }.count == 21)
        let note = result(0).diagnostics.first { $0.code == .skippedRecords }
        #expect(note?.message == "1 of 29 rows left out: they are of the system.")
    }

    @Test func aFileWithoutARunIsFaultyItself() {
        var broken = RecordTally(path: "b", noun: "rows")
        broken.fail(because: "no")
        var assembly = ForeignAssembly(options: IngestOptions())
        assembly.add(ForeignResult(tallies: [broken, RecordTally(path: "a", noun: "rows")]), format: "zoom")
        #expect(assembly.measurements().faultyInputs.map(\.fault) == [.notFound, .badData])
    }

    @Test func logsAndOtherFilesAreOneMeasurement() throws {
        let folder = try LogFolder()
        let log = try folder.write(
            runLine()
                + #"{"type":"metric","page":"FeedTests/testScroll()","metric":"hitch_ratio","unit":"ms/s","values":[9]}"#
                + "\n", as: "a.ndjson")
        let metrics = try folder.write(XcresultFixture.text, as: "b.json")
        var options = IngestOptions()
        options.context = Context([
            "app": .text("com.example.app"), "build": .text("Release"), "device": .text("iPhone12,1"),
            "os": .text("iOS 17.5"), "max_fps": .number(60),
        ])
        let result = Ingest(options).read([log, metrics])
        #expect(result == Ingest(options).read([metrics, log]))
        #expect(result.runs.count == 2)
        #expect(result.values("FeedTests/testScroll()", "hitch_ratio") == [9, 4.5, 0, 20])
        #expect(result.diagnostics.isEmpty)
    }
}
