import Foundation
import PerfgateFiles
import PerfgateModel
import SeededRandom
import Testing

@testable import PerfgateField

/// Roll-ups equal their definition; order, splitting and compression of the input don't matter.
@Suite struct RollUpTests {
    private let pair = FieldPair(base: "7.117", candidate: "7.129")

    private func options(_ strata: [FieldStratum] = [], pair: FieldPair? = nil) -> FieldOptions {
        var options = FieldOptions()
        options.mapping.strata = strata
        options.pair = pair
        return options
    }

    private func events(_ count: Int, seed: UInt64) -> (events: [RandomEvent], lines: [String]) {
        var random = SeededGenerator(seed: seed)
        let events = (0..<count).map { _ in RandomEvent.random(&random) }
        return (events, events.map { $0.line(&random) })
    }

    @Test(arguments: [[], [.os], [.deviceClass, .network], FieldStratum.allCases] as [[FieldStratum]])
    func isWhatItsDefinitionSays(strata: [FieldStratum]) throws {
        let bench = try Bench()
        let (events, lines) = events(600, seed: 11)
        let file = try bench.write(lines, to: "a.ndjson")
        var reference = ReferenceRollUp(strata: strata.map(\.rawValue))
        events.forEach { reference.add($0) }
        _ = try FieldRollUp.run([file], options(strata, pair: pair), into: bench.store)
        #expect(try bench.lines(of: bench.store) == reference.lines)
        let written = try bench.lines(of: pair, in: bench.store)
        #expect(written.rows == reference.pairLines(pair.base, pair.candidate))
        #expect(written.users == reference.userLines(pair.base, pair.candidate))
        #expect(written.rows.count > 200 && written.users.count > 40 && reference.lines.count > 200)
    }

    @Test(arguments: 1...3)
    func orderCutsAndCompressionDontMatter(seed: Int) throws {
        let bench = try Bench()
        var random = SeededGenerator(seed: UInt64(seed))
        let (_, lines) = events(250, seed: 20 + UInt64(seed))
        let whole = try bench.write(lines, to: "whole.ndjson")
        _ = try FieldRollUp.run([whole], options(pair: pair), into: bench.store)

        var options = options(pair: pair)
        options.mostBuckets = [0, 300, .max][seed % 3]
        var files: [String] = []
        var rest = lines.shuffled(using: &random)[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Int.random(in: 1...125, using: &random)))
            rest = rest.dropFirst(part.count)
            let name = "part-\(files.count).ndjson"
            let bytes = Array(part.map { $0 + "\r\n" }.joined().utf8)
            let isZipped = Bool.random(using: &random)
            files.append(try bench.write(isZipped ? gzipped(bytes) : bytes, to: isZipped ? "\(name).gz" : name))
        }
        let other = bench.store("Other")
        _ = try FieldRollUp.run(files.shuffled(using: &random), options, into: other)
        #expect(try bench.lines(of: other) == bench.lines(of: bench.store))
        #expect(try bench.lines(of: pair, in: other) == bench.lines(of: pair, in: bench.store))

        // The same files in another order, some in a separate call: the bytes are equal.
        let third = bench.store("Third")
        let shuffled = files.shuffled(using: &random)
        let plain = self.options()
        _ = try FieldRollUp.run(Array(shuffled.prefix(2)), plain, into: third)
        _ = try FieldRollUp.run(shuffled, options, into: third)
        #expect(try bench.files(of: third) == bench.files(of: other))
    }

    /// A file of more than one block is read on all cores: its runs, its first line and its line numbers stay in order.
    @Test func aLargeFileCountsAsItsPartsDo() throws {
        let bench = try Bench()
        let (_, lines) = events(4_000, seed: 31)
        let run = #"{"type":"run","run_id":"r","app":"shop","app_version":"7.117","started_at":"2026-11-20T10:00:00Z"}"#
        func visit(_ number: Int, _ ms: Int) -> String {
            #"{"type":"pps","page":"Page \#(number % 50)","visit_id":"v\#(number)","ttil_ms":\#(ms),"outcome":"loaded"}"#
        }
        let visits = (1..<4_000).map { visit($0, 300 + $0) } + [visit(0, 900)]
        let end = #"{"type":"end","run_id":"r"}"#
        let large = lines[..<3_000] + ["not JSON", run, visit(0, 100)] + visits + [end] + lines[3_000...]
        let bytes: [UInt8] = [0xEF, 0xBB, 0xBF] + Array(large.joined(separator: "\n").utf8)
        #expect(bytes.count > 3 << 19)
        let file = try bench.write(bytes, to: "large.ndjson")
        let summary = try FieldRollUp.run([file], options(pair: pair), into: bench.store)
        #expect(summary.faults.isEmpty)
        #expect(summary.diagnostics.filter { $0.code == .badLine }.map(\.line) == [3_001])

        let other = bench.store("Other")
        let files = try stride(from: 0, to: 4_000, by: 160).flatMap { start in
            let (part, ofRun) = (Array(lines[start..<start + 160]), [run] + visits[start..<start + 160] + [end])
            return try [bench.write(part, to: "\(start).ndjson"), bench.write(ofRun, to: "run-\(start).ndjson")]
        }
        _ = try FieldRollUp.run(files, options(pair: pair), into: other)
        #expect(try bench.lines(of: other) == bench.lines(of: bench.store))
        #expect(try bench.lines(of: pair, in: other) == bench.lines(of: pair, in: bench.store))
    }

    @Test func aFullDiskWhileThePairWaitsThereLeavesTheStoreAsItWas() throws {
        let bench = try Bench()
        var options = options(pair: pair)
        options.mostBuckets = 100
        let files = try (0..<3).map { try bench.write(events(300, seed: 40 + UInt64($0)).lines, to: "\($0).ndjson") }
        let folder = bench.store.folder
        FileCall.$fault.withValue({ $0 == .write && $1 == folder ? ENOSPC : nil }) {
            #expect(throws: FileError(.write, path: folder, code: ENOSPC)) {
                try FieldRollUp.run(files, options, into: bench.store)
            }
        }
        #expect(try bench.store.days().isEmpty)
        #expect(try FileAccess.names(in: folder).filter { $0.hasSuffix(".part") } == [])
        _ = try FieldRollUp.run(files, options, into: bench.store)
        #expect(try bench.store.days(of: pair).count > 1)
    }

    /// A log that is still written, and was counted before, would count twice.
    @Test func aFileThatGrewIsRefusedUntilItsNewLinesAreGiven() throws {
        let bench = try Bench()
        let (_, lines) = events(300, seed: 71)
        let first = try bench.write(Array(lines.prefix(200)), to: "a.ndjson")
        _ = try FieldRollUp.run([first], options(), into: bench.store)
        let before = try bench.lines(of: bench.store)
        let grown = try bench.write(lines, to: "b.ndjson")
        let summary = try FieldRollUp.run([grown], options(), into: bench.store)
        #expect(summary.faults.map(\.fault) == [.badData])
        #expect(
            summary.faults.first?.message
                == "It begins with all lines of a.ndjson, which are counted, so nothing in it was counted. Give only its "
                + "new lines, from line 201 on, after the run line that they belong to.")
        let other = bench.store("Other")
        #expect(try FieldRollUp.run([first, grown], options(), into: other).faults.count == 1)
        #expect(try bench.lines(of: bench.store) == before)
        let rest = try bench.write(Array(lines.dropFirst(200)), to: "c.ndjson")
        #expect(try FieldRollUp.run([rest, first], options(), into: bench.store).faults.isEmpty)
        let whole = bench.store("Whole")
        _ = try FieldRollUp.run([grown], options(), into: whole)
        #expect(try bench.lines(of: bench.store) == bench.lines(of: whole))
    }

    /// Engines read Parquet: the first of many files says how, and the others are counted.
    @Test func parquetSaysHowAnEngineReadsIt() throws {
        let bench = try Bench()
        let row = #"{"at":"2026-11-06T10:00:00Z","app_version":"7.129","page":"P","ttil_ms":5}"#
        let files = try ["a.parquet", "b.parquet"].map { try bench.write(Array("PAR1\u{15}\u{4}\n{}\n".utf8), to: $0) }
        let log = try bench.write([row], to: "c.ndjson")
        let summary = try FieldRollUp.run(files + [log], FieldOptions(), into: bench.store)
        #expect(summary.faults.map(\.fault) == [.badData] && summary.faults.map(\.path) == [files[0]])
        let said = summary.faults.first?.message ?? ""
        #expect(said.contains("perfgate field rollup --via 'duckdb -csv' --dialect duckdb"), "\(said)")
        #expect(said.contains("\"SELECT * FROM read_parquet('FILES')\""), "\(said)")
        #expect(summary.events == 1)
    }

    @Test func aColumnThatNoRowHasIsReported() throws {
        let bench = try Bench()
        var options = FieldOptions()
        options.mapping.columns = [.ttil: .name("time_ms"), .page: .name("screen")]
        let row = #"{"at":"2026-11-06T10:00:00Z","app_version":"7.129","screen":"P","ttil_ms":5,"ttfl_ms":4}"#
        let file = try bench.write([row, row], to: "a.ndjson")
        let summary = try FieldRollUp.run([file], options, into: bench.store)
        #expect(summary.diagnostics.map(\.code) == [.unusedSetting])
        let said = summary.diagnostics.first?.message ?? ""
        #expect(said.hasPrefix("No row has \"time_ms\", which field.columns names for ttil_ms: "), "\(said)")
    }

    @Test func aFileThatIsCutLeavesNothingToTheNextOne() throws {
        func lines(_ day: Int, _ count: Int) -> [UInt8] {
            let events = (0..<count).map { index in
                #"{"at":"2026-11-0\#(day)T10:00:00Z","app_version":"7.129","page":"P\#(index % 97)","ttil_ms":\#(index)}"#
                    + "\n"
            }
            return Array(events.joined().utf8)
        }
        let bench = try Bench()
        let cut = try bench.write(Array(gzipped(lines(6, 4_000)).dropLast(2_000)), to: "a.ndjson.gz")
        let whole = try bench.write(lines(7, 10), to: "b.ndjson")
        let summary = try FieldRollUp.run([cut, whole], FieldOptions(), into: bench.store)
        #expect(summary.faults.count == 1 && summary.events == 10)
        #expect(try bench.store.days().map(\.text) == ["2026-11-07"])
    }

    @Test func aFileCountsOnce() throws {
        let bench = try Bench()
        let (_, lines) = events(300, seed: 3)
        let file = try bench.write(lines, to: "a.ndjson")
        let copy = try bench.write(gzipped(Array(lines.map { $0 + "\n" }.joined().utf8)), to: "copy.ndjson.gz")
        let first = try FieldRollUp.run([file, copy, file], options(), into: bench.store)
        #expect(first.diagnostics.map(\.code) == [.repeatedStream, .repeatedStream])
        let before = try bench.files(of: bench.store)
        let second = try FieldRollUp.run([copy], options(), into: bench.store)
        #expect(second.events == 0 && second.knownFiles == [copy] && second.days.isEmpty)
        #expect(try bench.files(of: bench.store) == before)
    }

    @Test func aCallThatFailedBetweenTwoDaysIsFinishedByTheNext() throws {
        let bench = try Bench()
        let first = try bench.write(events(100, seed: 5).lines, to: "first.ndjson")
        let second = try bench.write(events(400, seed: 4).lines, to: "second.ndjson")
        let whole = bench.store("Whole")
        _ = try FieldRollUp.run([first, second], options(pair: pair), into: whole)
        _ = try FieldRollUp.run([first], options(), into: bench.store)
        for day in ["2026-11-20", "2026-11-21", "pairs"] {
            let failing: @Sendable (FileCall, String) -> Int32? = { call, path in
                call == .rename && path.contains(day) ? ENOSPC : nil
            }
            #expect(throws: FileError.self) {
                try FileCall.$fault.withValue(failing) {
                    try FieldRollUp.run([first, second], options(pair: pair), into: bench.store)
                }
            }
            #expect(try bench.files(of: bench.store) != bench.files(of: whole))
        }
        _ = try FieldRollUp.run([second, first], options(pair: pair), into: bench.store)
        #expect(try bench.files(of: bench.store) == bench.files(of: whole))
    }

    @Test func aDayOfGIsMadeOfAllItsFilesOrNotAtAll() throws {
        let bench = try Bench()
        let files = try (0..<3).map { try bench.write(events(200, seed: 50 + UInt64($0)).lines, to: "\($0).ndjson") }
        _ = try FieldRollUp.run(Array(files.prefix(2)), options(), into: bench.store)
        let error = #expect(throws: FieldRollUpError.self) {
            try FieldRollUp.run([files[0], files[2]], options(pair: pair), into: bench.store)
        }
        #expect(error.map { "\($0)" }?.contains("Of 2026-11-19 also give 1.ndjson") == true)
        #expect(try bench.store.days(of: pair).isEmpty)
        _ = try FieldRollUp.run(files, options(pair: pair), into: bench.store)
        #expect(try bench.store.days(of: pair).count == 3)
        #expect(try bench.store.pairs() == [pair])
        #expect(try bench.store.outdatedDays(of: pair).isEmpty)

        let late = try bench.write(events(50, seed: 60).lines, to: "late.ndjson")
        let summary = try FieldRollUp.run([late], options(), into: bench.store)
        #expect(summary.outdated.map(\.pair) == [pair] && summary.outdated.first?.days.count == 3)
    }

    @Test func whatIsDistinguishedOtherwiseIsRefused() throws {
        let bench = try Bench()
        let file = try bench.write(events(50, seed: 6).lines, to: "a.ndjson")
        let other = try bench.write(events(50, seed: 7).lines, to: "b.ndjson")
        _ = try FieldRollUp.run([file], options(), into: bench.store)
        let before = try bench.files(of: bench.store)
        #expect(throws: FieldRollUpError.self) {
            try FieldRollUp.run([other], options([.os]), into: bench.store)
        }
        var conditions = options()
        conditions.conditions = [FieldCondition(column: .network, value: "wifi")].compactMap(\.self)
        #expect(throws: FieldRollUpError.self) { try FieldRollUp.run([other], conditions, into: bench.store) }
        #expect(try bench.files(of: bench.store) == before)
    }
}
