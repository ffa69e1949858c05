import PerfgateModel
import Testing

@testable import PerfgateField

/// The app's own dimensions as keys of T.
struct FieldTagsTests {
    private let bench: Bench

    init() throws { bench = try Bench() }

    private func options(_ tags: [String: FieldMapping.Source] = ["market": .name("market")]) -> FieldOptions {
        var options = FieldOptions()
        options.mapping.tags = tags
        return options
    }

    private func event(_ ttil: Int, _ rest: String = "", day: Int = 20) -> String {
        #"{"at":"2026-11-\#(day)T08:00:00Z","app_version":"7.1","page":"Cart","ttil_ms":\#(ttil)\#(rest)}"#
    }

    /// Events of each market, which has as many events as its number says.
    private func events(_ counts: [(market: String, count: Int)], day: Int = 20) -> [String] {
        counts.flatMap { market, count in
            (0..<count).map { event($0 % 90, #","tags":{"market":"\#(market)"}"#, day: day) }
        }
    }

    private func rows(_ store: FieldStore? = nil, _ day: String = "2026-11-20") throws -> [FieldRow] {
        let number = try #require(CalendarDay(day))
        return try (store ?? bench.store).day(number)?.rows ?? []
    }

    @Test func eventsOfLogsAndRowsAreGroupedByTags() throws {
        let run = #"{"type":"run","app":"","app_version":"7.1","started_at":"2026-11-20T08:00:00Z","tags":{"Arm":"a"}}"#
        let files = [
            [
                run, #"{"type":"pps","page":"Cart","ttil_ms":1}"#, #"{"type":"state","tags":{"Arm":"b"}}"#,
                #"{"type":"pps","page":"Cart","ttil_ms":2}"#,
            ],
            [
                event(3, #","Arm":"b""#), event(4, #","tags":{"Arm":"b"}"#), event(5), event(6, #","Arm":7"#),
                event(7, #","Arm":null"#), event(8, #","Arm":true"#),
            ],
        ]
        let paths = try files.enumerated().map { try bench.write($1, to: "\($0).ndjson") }
        _ = try FieldRollUp.run(paths, options(["arm": .name("Arm")]), into: bench.store)
        let sums = try rows().filter { $0.metric == "ttil" }.map { "\($0.strata[0]):\($0.events):\($0.quanta)" }
        #expect(sums == [":2:12000", "7:1:6000", "a:1:1000", "b:3:9000", "true:1:8000"])
        let lines = try bench.lines(of: bench.store)
        #expect(lines.count == Set(lines).count)
    }

    @Test func aTagsSourceIsNoOtherKeyOfALine() throws {
        // Lines with a type have the log's own keys, whatever a column of rows is called.
        let run = #"{"type":"run","app_version":"7.1","started_at":"2026-11-20T08:00:00Z"}"#
        let lines = [run, #"{"type":"pps","market":"de","page":"Cart","ttil_ms":1}"#]
        _ = try FieldRollUp.run([try bench.write(lines, to: "a.ndjson")], options(), into: bench.store)
        #expect(try rows().filter { $0.metric == "ttil" }.map(\.strata) == [[""]])
    }

    @Test func theMostFrequentValuesStayAndTheRestCountsTogether() throws {
        var counts: [(market: String, count: Int)] = (0..<120).map { ("m\($0)", 5) }
        counts += [("de", 40), ("other", 3), ("fr", 30)]
        let lines = events(counts) + (0..<50).map { event($0) } + events([("m119", 1)], day: 21)
        _ = try FieldRollUp.run([try bench.write(lines, to: "a.ndjson")], options(), into: bench.store)
        let sums = try rows().reduce(into: [:]) { $0[$1.strata[0], default: 0] += $1.events }
        // 98 of m0 … m119, in the order of their names.
        let names = (0..<120).map { "m\($0)" }.sorted()
        #expect(Set(sums.keys) == Set(["", "de", "fr", "other"] + names.prefix(98)))
        #expect(sums["other"] == 3 + 22 * 5 && sums["de"] == 40 && sums[""] == 50)
        let total: Int = counts.map { $0.count * ($0.count - 1) / 2 }.reduce(50 * 49 / 2, +)
        let quanta = try rows().map(\.quanta).reduce(0, +)
        #expect(quanta == 1_000 * total)
        #expect(try rows(nil, "2026-11-21").map(\.strata) == [["m119"]])

        // A late file: the values of before and its own are ranked together; `other` is none of them.
        let late = try bench.write(events([("late", 50), ("other", 70)]), to: "b.ndjson")
        _ = try FieldRollUp.run([late], options(), into: bench.store)
        let later = try rows().reduce(into: [:]) { $0[$1.strata[0], default: 0] += $1.events }
        #expect(later.count == 102 && later["late"] == 50 && later["other"] == 3 + 22 * 5 + 70 + 5)
        #expect(try bench.lines(of: bench.store).count == 103)
    }

    @Test func tagsAreNoStrataOfTwoReleases() throws {
        let pair = FieldPair(base: "7.1", candidate: "7.2")
        let lines = (0..<400).map { number in
            event(number, #","tags":{"market":"m\#(number % 7)"},"user":"u\#(number % 30)""#)
                .replacing("7.1", with: number % 3 == 0 ? "7.2" : "7.1")
        }
        let file = try bench.write(lines, to: "a.ndjson")
        var options = options()
        options.pair = pair
        _ = try FieldRollUp.run([file], options, into: bench.store)
        options.mapping.tags = [:]
        _ = try FieldRollUp.run([file], options, into: bench.store("Plain"))
        #expect(try bench.lines(of: pair, in: bench.store) == bench.lines(of: pair, in: bench.store("Plain")))
        #expect(try bench.lines(of: bench.store).count == 14 && bench.lines(of: bench.store("Plain")).count == 2)
    }

    @Test func aStoreWithTagsIsReadAgainAndOneWithoutStaysAsItIs() throws {
        var options = options(["market": .name("market"), "arm": .sql("x")])
        options.mapping.strata = [.os]
        let file = try bench.write(
            [event(1, #","os":"iOS 17.1","tags":{"market":"de","arm":"a"}"#)], to: "a.ndjson")
        _ = try FieldRollUp.run([file], options, into: bench.store)
        let number = try #require(CalendarDay("2026-11-20"))
        let day = try #require(try bench.store.day(number))
        #expect(day.strata == [.os, .tag("arm"), .tag("market")])
        // A tag of an expression in SQL isn't found in logs.
        #expect(try rows().map(\.strata) == [["iOS 17", "", "de"]])
        var exported: [UInt8] = []
        _ = try FieldExport(bench.store, as: .raw).write { exported += $0 }
        let text = String(decoding: exported, as: UTF8.self)
        #expect(text.hasPrefix("app,page,release,day,metric,os,tags_arm,tags_market,events,quanta,buckets\n"))
        // What was exported can be imported, in any order of columns and of JSON's keys.
        let other = bench.store("Other")
        _ = try FieldImport.run([bench.write([text], to: "t.csv", ending: "")], FieldOptions(), into: other)
        #expect(try bench.lines(of: other) == bench.lines(of: bench.store))
        let json =
            #"{"tags_market":"de","tags_arm":"","os":"iOS 17","app":"","page":"Cart","release":"7.1","#
            + #""day":"2026-11-20","metric":"ttil","buckets":"317:1","quanta":1000,"events":1}"#
        let third = bench.store("Third")
        _ = try FieldImport.run(
            [bench.write([json], to: "t.ndjson")], FieldOptions(), into: third)
        #expect(try rows(third).map(\.strata) == [["iOS 17", "", "de"]])

        let plain = bench.store("Plain")
        _ = try FieldRollUp.run([file], FieldOptions(), into: plain)
        let before = try bench.files(of: plain)
        #expect(throws: FieldRollUpError.self) {
            try FieldRollUp.run([try bench.write([event(2)], to: "c.ndjson")], options, into: plain)
        }
        #expect(try bench.files(of: plain) == before && rows(plain).map(\.strata) == [[]])
    }

    @Test func aTagThatNoEventHasIsReported() throws {
        let file = try bench.write(events([("de", 2)]), to: "a.ndjson")
        let options = options(["market": .name("market"), "plan": .name("Plan")])
        let said = try FieldRollUp.run([file], options, into: bench.store).diagnostics.map(\.message)
        #expect(said == ["No event has the tag or key \"Plan\", which field.tags names for plan: correct the name."])
    }

    @Test func aTrendIsSplitAndChosenByTags() throws {
        let lines = events([("de", 40), ("fr", 30)])
        _ = try FieldRollUp.run([try bench.write(lines, to: "a.ndjson")], options(), into: bench.store)
        var trend = FieldTrend()
        trend.by = .tag("market")
        let days = try #require(try trend.read(bench.store))
        #expect(days.lines == ["de", "fr"])
        #expect(days.pages.first?.metrics["ttil"]?.map(\.events) == [70, 40, 30])
        trend.by = nil
        let field = try #require(FieldTrend.Field(condition: "tags.market"))
        trend.conditions = [field: ["fr"]]
        #expect(try trend.read(bench.store)?.pages.first?.metrics["ttil"]?.map(\.events) == [30])
        trend.by = .tag("plan")
        #expect {
            try trend.read(bench.store)
        } throws: { error in
            "\(error)".hasSuffix(
                "isn't grouped by tags.plan: write `field: { tags: [plan] }` into perfgate.yml, and roll the events up again "
                    + "into a new folder.")
        }
    }
}
