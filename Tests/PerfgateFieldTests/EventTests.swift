import Foundation
import PerfgateModel
import PerfgateStats
import Testing

@testable import PerfgateField

/// The counts from single lines.
@Suite struct EventTests {
    private static let run =
        #"{"type":"run","run_id":"r","app":"shop","app_version":"7.1","os":"iOS 17.5","device":"iPhone12,1","#
        + #""network":"wifi","low_power_mode":true,"started_at":"2026-11-20T10:00:00Z"}"#

    /// The rows from lines, as `page release day metric events quanta`.
    private func rows(_ lines: [String], _ options: FieldOptions = FieldOptions()) throws -> [String] {
        let bench = try Bench()
        _ = try FieldRollUp.run([try bench.write(lines, to: "a.ndjson")], options, into: bench.store)
        return try bench.store.days().flatMap { day in
            try bench.store.day(day)?.rows.map { row in
                ([row.page, row.release, day.text, row.metric, "\(row.events)", "\(row.quanta)"] + row.strata)
                    .joined(separator: " ")
            } ?? []
        }
    }

    private func leftOut(_ lines: [String]) throws -> [FieldOmission: Int] { try summary(lines).leftOut }

    private func summary(_ lines: [String], _ options: FieldOptions = FieldOptions()) throws -> FieldRollUp.Summary {
        let bench = try Bench()
        return try FieldRollUp.run([try bench.write(lines, to: "a.ndjson")], options, into: bench.store)
    }

    /// Epoch seconds read as milliseconds are of January 1970, and a wrong clock may be in 2099.
    @Test func impossibleDaysAreRefusedWithTheirNumber() throws {
        func event(_ at: String) -> String { #"{"at":\#(at),"app_version":"8","page":"Cart","ttil_ms":2}"# }
        let good = event(#""2026-11-25T00:00:00Z""#)
        let lines = [good, event("1764000000"), event(#""2099-01-01T00:00:00Z""#), event(#""2026-11-27T00:00:00Z""#)]
        var options = FieldOptions()
        options.today = CalendarDay("2026-11-25")
        #expect(try rows(lines, options) == ["Cart 8 2026-11-25 ttil 1 2000"])
        let summary = try summary(lines, options)
        #expect(summary.leftOut == [.impossibleDay: 3])
        #expect(summary.diagnostics.map(\.code) == [.impossibleTime] && summary.diagnostics[0].line == 2)
        #expect(try self.summary([event(#""2026-11-26T23:00:00Z""#)], options).leftOut == [:])
    }

    @Test(arguments: [#""success""#, #""Loaded""#, "true", "1", #""""#])
    func unknownOutcomesAreErrors(_ word: String) throws {
        let line = #"{"at":"2026-11-25T00:00:00Z","app_version":"8","page":"Cart","outcome":\#(word)}"#
        let faults = try summary([line, line]).faults
        #expect(faults.map(\.fault) == [.badData])
        let own = #"{"type":"login","outcome":\#(word)}"#
        #expect(try summary([own, own]).faults.isEmpty)
        #expect(
            faults[0].message.contains("the outcome \"") && faults[0].message.contains("a visit is loaded, error or"))
    }

    @Test func linesInheritWhatTheirRunSays() throws {
        let lines = [
            Self.run, #"{"type":"pps","page":"Cart","outcome":"loaded","ttil_ms":2}"#,
            #"{"type":"pps","page":"Cart","outcome":"loaded","ttil_ms":3,"at":"2026-11-22T00:00:00Z","app_version":"8"}"#,
            #"{"type":"end"}"#, #"{"type":"pps","page":"Cart","ttil_ms":4}"#,
        ]
        var options = FieldOptions()
        options.mapping.strata = FieldStratum.allCases
        #expect(
            try rows(lines, options) == [
                "Cart 7.1 2026-11-20 load_failures 1 0 iOS 17 iPhone12,1 wifi true",
                "Cart 7.1 2026-11-20 ttil 1 2000 iOS 17 iPhone12,1 wifi true",
                "Cart 8 2026-11-22 load_failures 1 0 iOS 17 iPhone12,1 wifi true",
                "Cart 8 2026-11-22 ttil 1 3000 iOS 17 iPhone12,1 wifi true",
            ])
        #expect(try leftOut(lines) == [.day: 1])
    }

    @Test func visitsOfAnInactiveAppHaveNoLoadTimes() throws {
        let lines = [
            Self.run, #"{"type":"pps","page":"Cart","visit_id":"a","checkpoint":true,"inactive":true}"#,
            #"{"type":"pps","page":"Cart","visit_id":"a","inactive":true,"sth_ms":[3]}"#,
            #"{"type":"pps","page":"Cart","visit_id":"b","outcome":"loaded","inactive":true,"ttil_ms":9,"ttfl_ms":1,"#
                + #""alt_ms":[1],"rclt":[{"ms":4}]}"#,
            #"{"type":"pps","page":"Cart","visit_id":"c","outcome":"loaded","ttil_ms":2}"#,
        ]
        #expect(
            try rows(lines) == [
                "Cart 7.1 2026-11-20 load_failures 1 0", "Cart 7.1 2026-11-20 scroll_thread_hang 1 3000",
                "Cart 7.1 2026-11-20 ttil 1 2000",
            ])
        #expect(try leftOut(lines) == [.inactive: 2, .empty: 1])
    }

    @Test func aVisitOfTwoPartsCountsOnce() throws {
        let lines = [
            Self.run, #"{"type":"pps","page":"Cart","visit_id":"a","checkpoint":true,"outcome":"loaded","ttil_ms":2}"#,
            #"{"type":"end","run_id":"r"}"#, Self.run,
            #"{"type":"pps","page":"Cart","visit_id":"a","continued":true,"outcome":"loaded","ttil_ms":2,"sth_ms":[1]}"#,
        ]
        #expect(try rows(lines) == ["Cart 7.1 2026-11-20 load_failures 1 0", "Cart 7.1 2026-11-20 ttil 1 2000"])
        #expect(try leftOut(lines) == [.continued: 1])
    }

    @Test(arguments: [true, false]) func loadsBeyondAListAreAddedToIt(isFirst: Bool) throws {
        let list = #""alt_ms":[1,3],"rclt":[{"ms":4}]"#
        let more = #""alt_more":{"count":2,"shown":2,"ms":6.5},"rclt_more":{"count":1,"shown":0,"ms":0}"#
        let line =
            #"{"type":"pps","page":"Cart","outcome":"loaded",\#(isFirst ? "\(more),\(list)" : "\(list),\(more)")}"#
        #expect(
            try rows([Self.run, line]) == [
                "Cart 7.1 2026-11-20 alt 1 2625", "Cart 7.1 2026-11-20 load_failures 1 0",
                "Cart 7.1 2026-11-20 rclt 1 2000",
            ])
    }

    @Test func eventsAreSelectedByTheAppsOwnDimensions() throws {
        let run = Self.run.dropLast() + #","tags":{"market":"de"}}"#
        let lines = [
            String(run), #"{"type":"pps","page":"Cart","ttil_ms":2}"#, #"{"type":"state","tags":{"market":"f\u0072"}}"#,
            #"{"type":"pps","page":"Cart","ttil_ms":3}"#,
        ]
        func values(_ name: String, _ value: String) throws -> [String] {
            var options = FieldOptions()
            options.conditions = [FieldCondition(tag: name, value: value)]
            return try rows(lines, options).filter { $0.contains("ttil") }
        }
        #expect(try values("market", "de") == ["Cart 7.1 2026-11-20 ttil 1 2000"])
        #expect(try values("market", "fr") == ["Cart 7.1 2026-11-20 ttil 1 3000"])
        #expect(try values("other", "de") == [])
        #expect(FieldCondition(tag: "market", value: "de").text == "tags.market=de")
    }

    @Test func theMostFrequentValuesOfATagAndDayAreCounted() throws {
        func event(_ number: Int, day: Int) -> [String] {
            [
                #"{"type":"state","tags":{"market":"m\#(number)"}}"#,
                #"{"type":"pps","page":"Cart","visit_id":"\#(number)-\#(day)","ttil_ms":2,"at":"2026-11-0\#(day)T10:00:00Z"}"#,
            ]
        }
        var lines = [Self.run]
        for number in 0..<130 { lines += event(number, day: 1) }
        lines += event(7, day: 2) + event(129, day: 2) + event(129, day: 2)
        let bench = try Bench()
        let tags = try FieldRollUp.run([try bench.write(lines, to: "a.ndjson")], FieldOptions(), into: bench.store).tags
        let market = try #require(tags["market"])
        #expect(market.values.reduce(0, +) == 132)
        // Equal counts are sorted by name: of the first day m0, m1, m10, m100, …
        #expect(market["m7"] == 2 && market["m0"] == 1 && market["m129"] == 2 && market["other"] == 30)
    }

    @Test func listsAreSumsOfQuanta() throws {
        let line =
            #"{"type":"pps","page":"Cart","outcome":"loaded","sth_ms":[0.0005,0.0005,3],"alt_ms":[1,2.0004],"#
            + #""rclt":[{"ms":4,"outcome":"loaded","url":"x"},{"ms":9,"outcome":"hidden"},{"ms":5}]}"#
        #expect(
            try rows([Self.run, line]) == [
                "Cart 7.1 2026-11-20 alt 1 1500", "Cart 7.1 2026-11-20 load_failures 1 0",
                "Cart 7.1 2026-11-20 rclt 1 4500", "Cart 7.1 2026-11-20 scroll_thread_hang 1 3002",
            ])
    }

    @Test func onlyVisitsThatLoadedHaveLoadTimes() throws {
        let lines = [
            Self.run, #"{"type":"pps","page":"Cart","outcome":"error","ttfl_ms":1,"ttil_ms":2,"alt_ms":[3]}"#,
            #"{"type":"pps","page":"Cart","ttfl_ms":1}"#, #"{"type":"pps","page":"Cart","ttil_ms":4}"#,
        ]
        // Without an outcome, failures couldn't count, so no success does.
        #expect(
            try rows(lines) == [
                "Cart 7.1 2026-11-20 load_failures 1 1000", "Cart 7.1 2026-11-20 ttfl 2 2000",
                "Cart 7.1 2026-11-20 ttil 1 4000",
            ])
    }

    @Test func ofAVisitThatIsReportedAgainTheLastLineCounts() throws {
        let lines = [
            Self.run, #"{"type":"pps","page":"Cart","visit_id":"v","outcome":"abandoned"}"#,
            #"{"type":"pps","page":"Cart","visit_id":"w","outcome":"loaded","ttil_ms":1}"#,
            #"{"type":"pps","page":"Cart","visit_id":"v","outcome":"loaded","ttil_ms":2}"#,
        ]
        #expect(try rows(lines) == ["Cart 7.1 2026-11-20 load_failures 2 0", "Cart 7.1 2026-11-20 ttil 2 3000"])
    }

    @Test func aCheckpointCountsWhereItsRunReportsNoEnd() throws {
        let checkpoint =
            #"{"type":"pps","page":"Cart","visit_id":"v","checkpoint":true,"outcome":"loaded","ttil_ms":2,"#
            + #""at":"2026-11-20T10:00:00Z","app_version":"7.1"}"#
        let end = checkpoint.replacing(#""checkpoint":true,"#, with: "")
        let once = ["Cart 7.1 2026-11-20 load_failures 1 0", "Cart 7.1 2026-11-20 ttil 1 2000"]
        #expect(try rows([Self.run, checkpoint]) == once)
        #expect(try rows([Self.run, checkpoint, end]) == once)
        #expect(try rows([checkpoint, end]) == once)
        #expect(try leftOut([checkpoint, end]) == [.checkpoint: 1])
    }

    @Test func screensAreRatiosAndMetricsAreInTheirUnit() throws {
        let lines = [
            Self.run,
            #"{"type":"screen","page":"Cart","duration_ms":2000,"frame_count":119,"hitch_ms":10,"hang_ms":500}"#,
            #"{"type":"metric","page":"Cart","metric":"launch","unit":"s","values":[0.4,0.5,-1]}"#,
            #"{"type":"metric","page":"Cart","metric":"own","values":[7]}"#,
            #"{"type":"metric","page":"Cart","metric":"launch","unit":"fps","values":[60]}"#,
        ]
        #expect(
            try rows(lines) == [
                "Cart 7.1 2026-11-20 fps_mean 1 59500", "Cart 7.1 2026-11-20 hang_rate 1 90000",
                "Cart 7.1 2026-11-20 hitch_ratio_screen 1 5000", "Cart 7.1 2026-11-20 launch 2 900000",
                "Cart 7.1 2026-11-20 own 1 7000",
            ])
        #expect(try leftOut(lines) == [.value: 1, .unreadable: 1])
    }

    @Test func ticksOfAScrollGiveHitchesAndDrops() throws {
        let times = (0...120).map { 1_000_000_000 + $0 * 16_666_667 + ($0 > 60 ? 16_666_667 * 2 : 0) }
        let lines = [
            Self.run,
            #"{"type":"frames","page":"Cart","scroll":0,"segment":0,"duration_ns":16666667,"timestamps_ns":\#(times)}"#,
            #"{"type":"frames","page":"Cart","duration_ns":16666667,"timestamps_ns":\#(times)}"#,
        ]
        #expect(
            try rows(lines) == [
                "Cart 7.1 2026-11-20 dropped_frames_total 1 2000", "Cart 7.1 2026-11-20 hitch_ratio 1 16393",
            ])
    }

    @Test func rowsAreReadByTheNamesOfATeam() throws {
        var options = FieldOptions()
        options.mapping.columns = [
            .page: .name("screen"), .at: .name("event_time"), .ttil: .name("page"), .ttfl: nil,
            .user: .sql("hash(user)"),
        ]
        let lines = [
            #"{"event_time":1763632800000,"screen":"Cart","app_version":"7.1","page":5,"ttfl_ms":9}"#,
            #"{"page":"Home","at":"2025-11-20T10:00:00Z","app_version":"7.1","type":"pps","ttfl_ms":9}"#,
        ]
        #expect(
            try rows(lines, options) == ["Cart 7.1 2025-11-20 ttil 1 5000", "Home 7.1 2025-11-20 ttfl 1 9000"])
    }

    @Test func devicesHaveTheFirstClassThatNamesThem() throws {
        var options = FieldOptions()
        options.mapping.strata = [.deviceClass]
        options.mapping.deviceClasses = [
            .init(name: "old", devices: ["iPhone12,1", "iPhone1*"]), .init(name: "new", devices: ["iPhone*"]),
        ]
        let lines = ["iPhone12,1", "iPhone13,2", "iPhone2,1", "Pixel 8"].map {
            #"{"at":"2026-11-20","page":"Cart","app_version":"7","device":"\#($0)","ttfl_ms":1}"#
        }
        #expect(
            try rows(lines, options) == [
                "Cart 7 2026-11-20 ttfl 1 1000 new", "Cart 7 2026-11-20 ttfl 2 2000 old",
                "Cart 7 2026-11-20 ttfl 1 1000 other",
            ])
    }

    @Test func whatIsntCountedIsReportedByReason() throws {
        let row = { (members: String) in "{\"app_version\":\"7\",\"page\":\"Cart\",\"ttfl_ms\":1\(members)}" }
        let lines =
            (0..<300).map { _ in row(#","at":"2026-11-20""#) } + [
                row(""), row(#","at":"soon""#), row(#","at":"2026-11-20","page":"""#),
                #"{"at":"2026-11-20","page":"A"}"#,
                row(#","at":"2026-11-20","type":"click""#), row(#","at":"2026-11-20","ttil_ms":-1"#),
                row(#","at":"2026-11-20","ttil_ms":1e999"#), row(#","at":"2026-11-20","ttil_ms":"fast""#),
                row(#","at":"2026-11-20","ttil_ms":{}"#), #"{"at":"2026-11-20","page":"A","app_version":"7"}"#, "{oh",
            ]
        #expect(
            try leftOut(lines) == [
                .day: 2, .page: 1, .release: 1, .type: 1, .value: 4, .empty: 1, .unreadable: 1,
            ])
    }

    @Test func aFileThatIsMostlyUnreadableCountsNothing() throws {
        let bench = try Bench()
        let good = #"{"at":"2026-11-20","page":"A","app_version":"7","ttfl_ms":1}"#
        let file = try bench.write([good, "no", "no"], to: "a.ndjson")
        let summary = try FieldRollUp.run([file, "\(bench.path)/none"], FieldOptions(), into: bench.store)
        #expect(summary.faults.map(\.fault) == [.notFound, .badData])
        #expect(summary.faults.last?.message.hasPrefix("2 of 3 lines can't be read (line 2: ") == true)
        #expect(try bench.store.days().isEmpty)
    }

    @Test func aFileThatIsCutCountsNothing() throws {
        let bench = try Bench()
        let good = (0..<1_000).map { #"{"at":"2026-11-20","page":"A","app_version":"7","ttfl_ms":\#($0)}"# + "\n" }
        let bytes = gzipped(Array(good.joined().utf8))
        let file = try bench.write(Array(bytes.dropLast(9)), to: "a.ndjson.gz")
        let summary = try FieldRollUp.run([file], FieldOptions(), into: bench.store)
        #expect(summary.faults.map(\.fault) == [.badData] && summary.events == 0)
        #expect(try bench.store.days().isEmpty)
    }

    @Test func onlyTheDaysAndConditionsAskedForCount() throws {
        var options = FieldOptions()
        options.since = CalendarDay("2026-11-20")
        options.until = CalendarDay("2026-11-21")
        options.conditions = [FieldCondition(column: .network, value: "wifi")].compactMap(\.self)
        let lines = ["19", "20", "21", "22"].flatMap { day in
            ["wifi", "mobile"].map {
                #"{"at":"2026-11-\#(day)","page":"A","app_version":"7","network":"\#($0)","ttfl_ms":1}"#
            }
        }
        #expect(try rows(lines, options) == ["A 7 2026-11-20 ttfl 1 1000", "A 7 2026-11-21 ttfl 1 1000"])
        let bench = try Bench()
        _ = try FieldRollUp.run([try bench.write(lines, to: "a")], options, into: bench.store)
        let day = try #require(CalendarDay("2026-11-20"))
        #expect(try bench.store.day(day)?.conditions == ["network=wifi"])
    }
}

/// Days of moments.
@Suite struct EventDayTests {
    @Test(arguments: [
        ("2026-11-20", 20_777), ("2026-11-20T00:00:00Z", 20_777), ("2026-11-20T23:59:60Z", 20_777),
        ("2026-11-20t10:00z", 20_777), ("2026-11-20 10:00:00.123456", 20_777), ("2026-11-20T01:00:00+02:00", 20_776),
        ("2026-11-20T23:00:00-0200", 20_778), ("2026-11-20T23:00:00,5-02", 20_778), ("1970-01-01", 0),
        ("2024-02-29", 19_782), ("9999-12-31T23:59:59Z", 2_932_896),
    ])
    func isTheDayInUTC(text: String, day: Int32) {
        #expect(Array(text.utf8).withUnsafeBytes(EventDay.of(text:)) == day)
    }

    @Test(arguments: [
        "", "2026-11-2", "2026-13-01", "2026-02-29", "2026-11-31", "20261120", "2026-11-20T", "2026-11-20T24:00:00Z",
        "2026-11-20T10:60Z", "2026-11-20T10:00:61Z", "2026-11-20T10:00:00.Z", "2026-11-20T10:00:00Z ",
        "1969-12-31", "1970-01-01T00:00:00+01:00", "2026-11-20T10:00:00+1", "1763632800000",
        "9999-12-31T23:59:59-01:00",
    ])
    func isNoneOfWhatIsNoMoment(text: String) {
        #expect(Array(text.utf8).withUnsafeBytes(EventDay.of(text:)) == nil)
    }

    @Test func millisecondsCountFrom1970() {
        #expect(EventDay.of(milliseconds: 0) == 0 && EventDay.of(milliseconds: 86_399_999.9) == 0)
        #expect(EventDay.of(milliseconds: 1_763_632_800_000) == 20_412)
        #expect(EventDay.of(milliseconds: -1) == nil && EventDay.of(milliseconds: 1e300) == nil)
        #expect(EventDay.of(milliseconds: .nan) == nil)
    }

    @Test func everyDayOfFourHundredYearsHasItsNumber() {
        for number in 0..<146_097 {
            #expect(CalendarDay(number: number).number == number)
        }
    }
}
