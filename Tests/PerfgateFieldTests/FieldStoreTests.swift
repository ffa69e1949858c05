import Foundation
import PerfgateModel
import PerfgateStats
import SeededRandom
import Testing

@testable import PerfgateField

/// Files of the store, results from engines, and exported tables.
@Suite struct FieldStoreTests {
    private let pair = FieldPair(base: "7.117", candidate: "7/129 \"x\"")

    private func options() -> FieldOptions {
        var options = FieldOptions()
        options.pair = pair
        return options
    }

    private func rolledUp(_ bench: Bench, seed: UInt64 = 1) throws -> FieldStore {
        var random = SeededGenerator(seed: seed)
        let lines = (0..<600).map { _ in
            var event = RandomEvent.random(&random)
            if event.texts["app_version"] == "7.129" { event.texts["app_version"] = pair.candidate }
            return event.line(&random)
        }
        _ = try FieldRollUp.run([try bench.write(lines, to: "a.ndjson")], options(), into: bench.store)
        return bench.store
    }

    private func table(_ store: FieldStore, _ form: FieldExport.Form = .raw) throws -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try FieldExport(store, as: form).write { bytes += $0 }
        return bytes
    }

    @Test func whatIsExportedCanBeImported() throws {
        let bench = try Bench()
        let store = try rolledUp(bench)
        let file = try bench.write(table(store), to: "t.csv")
        let other = bench.store("Other")
        let summary = try FieldImport.run([file], FieldOptions(), into: other)
        #expect(try summary.rows > 300 && summary.days == store.days())
        #expect(try bench.lines(of: other) == bench.lines(of: store))
        let before = try bench.files(of: other)
        #expect(try FieldImport.run([file], FieldOptions(), into: other).knownFiles == [file])
        #expect(try bench.files(of: other) == before)
    }

    /// One event of a wrong clock, in a store from before such days were refused, hid all days before it.
    @Test func aFewEventsAreNoNewestDay() throws {
        let bench = try Bench()
        func rows(_ day: String, _ count: Int) -> [String] {
            (0..<count).map { #"{"at":"\#(day)T00:00:00Z","app_version":"8","page":"P\#($0)","ttil_ms":2}"# }
        }
        let lines = rows("2026-11-24", 300) + rows("2026-11-25", 200) + rows("2099-01-01", 1)
        _ = try FieldRollUp.run([try bench.write(lines, to: "a.ndjson")], FieldOptions(), into: bench.store)
        #expect(try bench.store.days().count == 3)
        #expect(try bench.store.newestDay()?.text == "2026-11-25")
        #expect(try bench.store.newestDay(until: CalendarDay("2026-11-24"))?.text == "2026-11-24")
        let text = String(decoding: try table(bench.store, .openMetrics(isHistory: false)), as: UTF8.self)
        #expect(text.contains("P199") && !text.contains("P299"))
        #expect(try FieldTrend().read(bench.store)?.range.upperBound == CalendarDay("2026-11-25")?.number)
    }

    @Test func anEnginesImpossibleDaysAndUnknownOutcomesAreRefused() throws {
        let bench = try Bench()
        let head = "app,page,release,day,metric,events,quanta,buckets\n"
        let good = "shop,P,8,2026-11-25,ttil,1,0,0:1\n"
        var options = FieldOptions()
        options.today = CalendarDay("2026-11-25")
        let path = try bench.write(Array((head + good + "shop,P,8,2099-01-01,ttil,1,0,0:1\n").utf8), to: "a.csv")
        let summary = try FieldImport.run([path], options, into: bench.store)
        #expect(summary.impossibleRows == 1 && summary.days.map(\.text) == ["2026-11-25"])
        let odd = try bench.write(Array((head + "shop,P,8,2026-11-24,unknown_outcome,7,0,0:7\n").utf8), to: "b.csv")
        let error = #expect(throws: FieldImportError.self) {
            try FieldImport.run([odd], options, into: bench.store)
        }
        #expect(error?.problem.hasPrefix("7 events have an outcome other than loaded, error and abandoned") == true)
        #expect(try bench.store.days().map(\.text) == ["2026-11-25"])
    }

    /// An engine's answers are the same from memory as from a folder.
    @Test func answersInMemoryAreThoseOfAFolder() throws {
        let bench = try Bench()
        let store = try rolledUp(bench)
        var table: [UInt8] = []
        _ = try FieldExport(store, as: .raw).write { table += $0 }
        var cells: [UInt8] = []
        _ = try FieldExport(store, as: .raw).write(pair, users: false) { cells += $0 }
        let (held, summary) = try FieldImport.store(
            of: [("the answer to T", table), ("the answer to G", cells)], options(), name: "perfgate_field"
        ) { $0 }
        #expect(try summary.days == store.days() && held.name == "perfgate_field")
        #expect(try bench.lines(of: held) == bench.lines(of: store))
        #expect(try bench.lines(of: pair, in: held).rows == bench.lines(of: pair, in: store).rows)
        #expect(try held.releases() == store.releases() && held.newestDay() == store.newestDay())
        var again: [UInt8] = []
        _ = try FieldExport(held, as: .raw).write { again += $0 }
        #expect(again == table)
    }

    @Test func rowsOfGReplaceTheirDays() throws {
        let bench = try Bench()
        let store = try rolledUp(bench)
        let days = try store.days(of: pair).compactMap { try store.day($0, of: pair) }
        var rows = TableText()
        rows.append(FieldTableKind.pair.header.utf8)
        var users = TableText()
        users.append(FieldTableKind.users.header.utf8)
        for day in days {
            day.cells.reversed().forEach { rows.append($0, day: day.day) }
            day.users.reversed().forEach { users.append($0, day: day.day) }
        }
        let files = [try bench.write(users.bytes, to: "users.csv"), try bench.write(rows.bytes, to: "g.csv")]
        let other = bench.store("Other")
        for _ in 0..<2 {
            let summary = try FieldImport.run(files, options(), into: other)
            #expect(summary.pairDays == days.map(\.day))
            #expect(try bench.lines(of: pair, in: other) == bench.lines(of: pair, in: store))
        }
        #expect(throws: FieldImportError.self) { try FieldImport.run(files, FieldOptions(), into: other) }
        #expect(throws: FieldImportError.self) { try FieldImport.run([files[0]], options(), into: other) }
    }

    @Test func columnsAndPairsComeInAnyOrderAndAsDoubles() throws {
        let bench = try Bench()
        let csv = """
            \u{FEFF}quanta,buckets,"events",day,metric,release,page,os,app\r
            1.4E1,"7:1.0 3:1 4:1",3.0,2026-11-20 00:00:00,ttil,7,"a ""b"", c",iOS 17,\r

            12,12:1,1,2026-11-21,own,8,d,,shop\r
            """
        let json = """
            {"APP":null,"page":"a \\"b\\", c","release":7,"day":"2026-11-20","metric":"ttil","os":"iOS 17","events":3,\
            "quanta":14,"buckets":"3:1 4:1 7:1"}
            {"app":"shop","page":"d","release":"8","day":"2026-11-21","metric":"own","os":null,"events":1.0,"quanta":12,\
            "buckets":"12:1"}
            """
        var stores: [[String]] = []
        for (name, text) in [("a.csv", csv), ("b.ndjson", json)] {
            let store = bench.store(name + "-store")
            _ = try FieldImport.run([try bench.write(Array(text.utf8), to: name)], FieldOptions(), into: store)
            stores.append(try bench.lines(of: store))
        }
        #expect(
            stores[0] == [
                "shop|d|8|2026-11-21|own||1|12|12:1", "|a \"b\", c|7|2026-11-20|ttil|iOS 17|3|14|3:1 4:1 7:1",
            ])
        #expect(stores[1] == stores[0])
    }

    @Test(arguments: [
        ("a,7,2026-11-20,ttil,2,10,5:1", "2: events is 2, and the buckets hold 1"),
        ("a,7,2026-11-20,ttil,2,10,5:1 5:1", "2: buckets must be pairs"),
        ("a,7,2026-11-20,ttil,1,5,5:-1", "2: buckets must be pairs"),
        ("a,7,2026-11-20,ttil,1,5,1708:1", "2: buckets must be pairs"),
        ("a,7,2026-11-20,ttil,1,6,5:1", "2: quanta is 6, and values in these buckets sum to 5 … 5"),
        ("a,7,2026-11-20,ttil,-1,5,5:1", "2: events must be a whole number"),
        ("a,7,2026-11-20,ttil,1,5.5,5:1", "2: quanta must be a whole number"),
        ("a,7,2026-11-20,ttil,1,9007199254740993,5:1", "2: quanta must be a whole number"),
        ("a,7,2026-11-20,ttil,9007199254740992,5,5:9007199254740992", "2: quanta is 5, and"),
        ("a,7,2026-11-32,ttil,1,5,5:1", "2: day must be a date"),
        (",7,2026-11-20,ttil,1,5,5:1", "2: page is empty"),
        ("a,7,2026-11-20,ttil,1,5", "2: the row has 6 fields, and the header 7"),
        ("\"a,7,2026-11-20,ttil,1,5,5:1", "2: a quote isn't closed"),
        ("a,7,2026-11-20,ttil,1,5,5:1\n\na,7,2026-11-20,ttil,1,6,6:1", "4: the row comes a second time"),
    ])
    func contradictionsAreRefusedWithTheirLine(row: String, problem: String) throws {
        let bench = try Bench()
        let header = "page,release,day,metric,events,quanta,buckets"
        let file = try bench.write(Array("app,\(header)\n,\(row.replacing("\na", with: "\n,a"))\n".utf8), to: "t.csv")
        let error = #expect(throws: FieldImportError.self) {
            try FieldImport.run([file], FieldOptions(), into: bench.store)
        }
        let text = error.map { "\($0)" } ?? ""
        let expected = problem.replacing("6 fields, and the header 7", with: "7 fields, and the header 8")
        #expect(text.hasPrefix("\(file):\(expected)"), "\(text)")
        #expect(!FileManager.default.fileExists(atPath: bench.store.folder))
    }

    @Test(arguments: [
        ("app,page,release,day,metric,events,quanta", "add buckets"),
        ("app,page,release,day,metric,events,quanta,buckets,os_major", "no column is called \"os_major\""),
        ("app,page,release,day,metric,events,quanta,buckets,n", "leave out n"),
        ("app,app,page,release,day,metric,events,quanta,buckets", "a column comes twice"),
    ])
    func headersOfNoRollUpAreRefused(header: String, advice: String) throws {
        let bench = try Bench()
        let file = try bench.write([header], to: "t.csv")
        let error = #expect(throws: FieldImportError.self) {
            try FieldImport.run([file], FieldOptions(), into: bench.store)
        }
        #expect(error.map { "\($0)" }?.contains(advice) == true)
    }

    @Test func damagedFilesAreReportedAndNeverWrittenOver() throws {
        let bench = try Bench()
        let store = try rolledUp(bench)
        let day = try #require(store.days().first)
        let path = "\(store.folder)/days/\(day.text).csv.gz"
        let sound = Array(try Data(contentsOf: URL(filePath: path)))
        let text = String(decoding: try WholeFile.read(path), as: UTF8.self)
        let foreign = [
            Array(sound.dropLast(20)), Array("hello\n".utf8), gzipped(Array("{\"schema\":2}\n".utf8)),
            gzipped(Array(text.replacing("\"day\":\"\(day)\"", with: "\"day\":\"2020-01-01\"").utf8)),
            gzipped(Array(text.replacing(",ttil,", with: ",ttfl,").utf8)), [],
        ]
        let late = try bench.write(
            [#"{"at":"\#(day)","page":"A","app_version":"7","ttfl_ms":1}"#], to: "late.ndjson")
        for bytes in foreign {
            try Data(bytes).write(to: URL(filePath: path))
            let error = #expect(throws: FieldStoreError.self) { try store.day(day) }
            #expect(error?.path == path)
            #expect(throws: FieldStoreError.self) { try FieldRollUp.run([late], FieldOptions(), into: store) }
            #expect(try Data(contentsOf: URL(filePath: path)) == Data(bytes))
        }
    }

    /// A day of G with names that need quotes, and cells with one bucket and with several.
    private static let pairDay: PairDay = {
        var day = PairDay(day: CalendarDay(number: 20_000), conditions: ["network=wifi"])
        for page in ["Cart", "a \"b\", c", "e,d"] {
            for (side, buckets) in [(FieldSide.base, [3, 70, 1_500]), (.candidate, [9])] {
                let values = buckets.map { bucket in
                    WeightedHistogram.Bucket(
                        index: bucket, count: bucket, weight: 9_000 * bucket, squares: 81_000_000 * bucket)
                }
                day.cells.append(PairCell(app: "shop", page: page, side: side, metric: "ttil", buckets: values))
            }
        }
        day.cells.sort()
        var users = UserSums()
        users.add(events: 2, indices: 80)
        day.users = [UserRow(app: "shop", page: "Cart", release: "7.117", metric: "ttil", sums: users)]
        return day
    }()

    @Test func cellsOfAPairAreReadAsTheyWereWritten() throws {
        let bench = try Bench()
        let store = bench.store
        try store.write(Self.pairDay, of: pair)
        #expect(try store.day(Self.pairDay.day, of: pair) == Self.pairDay)
        let cells = try #require(try store.day(Self.pairDay.day, of: pair))
        #expect(cells.cells.map(\.buckets.count) == [3, 1, 3, 1, 3, 1])
        #expect(cells.cells.map(\.page) == ["Cart", "Cart", "a \"b\", c", "a \"b\", c", "e,d", "e,d"])
    }

    /// A row is validated whether its names are new or equal the previous row's.
    @Test(arguments: [
        (
            ",ttil,70,70,630000,5670000000", ",ttil,3,70,630000,5670000000",
            "4: the row is of another day, or out of order"
        ),
        (
            ",ttil,70,70,630000,5670000000", ",ttil,2,70,630000,5670000000",
            "4: the row is of another day, or out of order"
        ),
        (",ttil,70,70,630000,5670000000", ",ttil,1708,70,630000,5670000000", "4: bucket must be from 0 to 1707"),
        (
            ",ttil,70,70,630000,5670000000", ",ttil,70,0,630000,5670000000",
            "4: bucket must be from 0 to 1707 and n at least 1"
        ),
        (",ttil,70,70,630000,5670000000", ",ttil,70,70,700001,5670000000", "4: w is Σ w of n values"),
        (",ttil,70,70,630000,5670000000", ",ttil,70,70,630000,7000000000", "4: w is Σ w of n values"),
        (",ttil,70,70,630000,5670000000", ",ttil,70,70,630000", "4: the row has 8 fields, and the header 9"),
        (",ttil,70,70,630000,5670000000", ",ttil,70,70,630000,99999999999999999999", "4: w2 must be a whole number"),
        ("shop,Cart,base,2024-10-04,ttil,70,", "shop,Cart,base,2024-10-05,ttil,70,", "4: the row is of another day"),
        (
            "shop,Cart,base,2024-10-04,ttil,70,", "shop,Cart,bass,2024-10-04,ttil,70,",
            "4: side must be base or candidate"
        ),
        (
            "base,2024-10-04,ttil,70,", "candidate,2024-10-04,ttil,70,",
            "5: the row is of another day, or out of order"
        ),
    ])
    func aDamagedRowOfAPairIsReported(_ sound: String, _ damaged: String, _ problem: String) throws {
        let bench = try Bench()
        let store = bench.store
        try store.write(Self.pairDay, of: pair)
        let folder = try #require(try FileManager.default.contentsOfDirectory(atPath: "\(store.folder)/pairs").first)
        let path = "\(store.folder)/pairs/\(folder)/\(Self.pairDay.day.text).csv.gz"
        let text = String(decoding: try WholeFile.read(path), as: UTF8.self)
        let place = try #require(text.range(of: sound))
        try Data(gzipped(Array(text.replacingCharacters(in: place, with: damaged).utf8))).write(to: URL(filePath: path))
        let error = #expect(throws: FieldStoreError.self) { try store.day(Self.pairDay.day, of: pair) }
        #expect(error.map { "\($0)" }?.hasPrefix("\(path):\(problem)") == true, "\(String(describing: error))")
    }

    /// A faulty app can send hours instead of milliseconds, more often than doubles can count exactly.
    @Test func sumsBeyondDoublesAreStored() throws {
        let bench = try Bench()
        let most = WholeNumber.exact / Quantum.most
        let bucket = QuantumBucket(of: Quantum.most).index
        for count in [most, most - 1, most - 2] {
            let row = ",a,7,2026-11-20,ttil,\(count),\(count * Quantum.most),\(bucket):\(count)"
            let file = try bench.write(["app,page,release,day,metric,events,quanta,buckets", row], to: "\(count).csv")
            _ = try FieldImport.run([file], FieldOptions(), into: bench.store)
        }
        let day = try #require(try bench.store.days().first)
        #expect(try bench.store.day(day)?.rows.map(\.quanta) == [(3 * most - 3) * Quantum.most])
    }

    @Test func filesHaveNoTimeAndNoNameOfTheMachine() throws {
        let bench = try Bench()
        let store = try rolledUp(bench)
        for (name, bytes) in try bench.files(of: store) {
            #expect(bytes.prefix(10) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 4, 255], "\(name)")
        }
        #expect(try store.pairs() == [pair])
    }

    @Test func quantilesAreInterpolatedInTheMetricsUnit() throws {
        let bench = try Bench()
        let lines = (1...1_000).map { #"{"at":"2026-11-20","page":"A","app_version":"7","ttil_ms":\#($0)}"# }
        _ = try FieldRollUp.run([try bench.write(lines, to: "a.ndjson")], FieldOptions(), into: bench.store)
        let text = String(decoding: try table(bench.store, .quantiles), as: UTF8.self).split(separator: "\n")
        #expect(text.first == "app,page,release,day,metric,unit,events,mean,p50,p75,p90,p95,p99")
        let cells = try #require(text.last).split(separator: ",", omittingEmptySubsequences: false)
        #expect(cells.prefix(8) == ["", "A", "7", "2026-11-20", "ttil", "ms", "1000", "500.500"])
        for (cell, value) in zip(cells.dropFirst(8), [500.5, 750.5, 900.5, 950.5, 990.5]) {
            #expect(abs((Double(cell) ?? 0) / value - 1) < 0.005)
        }
    }

    /// Names come from users' events; the table that `field import` reads keeps them.
    @Test func noNameIsAFormulaInASpreadsheet() throws {
        let bench = try Bench()
        let line = #"{"at":"2026-11-20","page":"=1+2","app_version":"@7","ttil_ms":500}"#
        _ = try FieldRollUp.run([try bench.write([line], to: "a.ndjson")], FieldOptions(), into: bench.store)
        let text = String(decoding: try table(bench.store, .quantiles), as: UTF8.self)
        #expect(text.contains(",'=1+2,'@7,2026-11-20,ttil,ms,"), "\(text)")
        #expect(String(decoding: try table(bench.store, .raw), as: UTF8.self).contains(",=1+2,@7,"))
    }

    @Test func aQuantileIsInItsBucket() {
        let row = FieldRow(
            app: "", page: "A", release: "7", metric: "m", events: 4, quanta: 0,
            buckets: [.init(index: 0, count: 1), .init(index: 10, count: 2), .init(index: 200, count: 1)])
        let histogram = row.histogram
        #expect(histogram.quantile(0) == 0 && histogram.quantile(0.5) == 10 && histogram.quantile(0.75) == 10.5)
        let last = QuantumBucket(index: 200).map { Double($0.low + $0.width) - 0.5 }
        #expect(histogram.quantile(1) == last)
    }
}
