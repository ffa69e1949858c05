import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Made-up results in the formats of tools for React Native.
enum ReactNativeFixture {
    static let reassure = """
        {"metadata":{"branch":"main","commitHash":"0a1b","creationDate":"2026-11-20T10:00:00.250Z"}}
        {"name":"Search list","type":"render","runs":3,"meanDuration":21,"stdevDuration":1,"durations":[20.5,21,22],\
        "warmupDurations":[290],"meanCount":2,"stdevCount":0,"counts":[2,2,3],"issues":{"initialUpdateCount":1}}
        {"name":"sort","type":"function","runs":2,"meanDuration":4,"stdevDuration":0,"durations":[4.25,4],"meanCount":1,\
        "stdevCount":0,"counts":[1,1]}

        """

    static let flashlight = """
        { "name" : "Feed", "status" : "SUCCESS", "iterations" : [
          { "time" : 1000, "startTime" : 20, "status" : "SUCCESS", "measures" : [
            { "fps" : 54.5, "ram" : 200, "time" : 500, "cpu" : { "perName" : { "UI Thread" : 40, "mqt_js" : 80.5 }, "perCore" : { "0" : 60 } } },
            { "fps" : 60, "ram" : 210.5, "time" : 1000, "cpu" : { "perName" : { "UI Thread" : 20, "Thread-6" : null }, "perCore" : { "0" : 60 } } } ] },
          { "time" : 500, "status" : "FAILURE", "measures" : [
            { "fps" : 1, "ram" : 1, "time" : 500, "cpu" : { "perName" : {}, "perCore" : {} } } ] },
          { "time" : 500, "measures" : [ { "ram" : 220, "time" : 500, "cpu" : { "perName" : {}, "perCore" : {} } } ] } ] }
        """
}

/// The results of reading Reassure's `.perf` files.
///
/// Real files were read, and every value was compared with a script's: `pass-culture/pass-culture-app-native`:
/// `.reassure/baseline.perf`, `gmsgowtham/react-native-marked`, `luke-h1/reassure-rn`,
/// `marcinkornek/circle-reassure-danger-test`, `TomaszRej/reassure-demo` and `jacobarvidsson/automated-testing`:
/// `.reassure/current.perf`.
struct ReassureReaderTests {
    @Test func timesAndRendersAreAPageEach() throws {
        let result = try LogFolder.measurements(ReactNativeFixture.reassure)
        #expect(result.values("Search list", "render_duration") == [20.5, 21, 22])
        #expect(result.values("Search list", "render_count") == [2, 2, 3])
        #expect(result.values("sort", "measured_time") == [4.25, 4])
        #expect(result.values("sort", "render_count") == nil)
        #expect(
            try #require(result.runs.first).context.fields == [
                "commit": .text("0a1b"), "started_at": .text("2026-11-20T10:00:00Z"),
            ])
        #expect(result.runs.map(\.isComplete) == [true])
    }

    /// A damaged line, or a line with fewer values than runs.
    @Test(arguments: [
        #""name":"sort","durations":[1],"counts":[1]}"#, #"{"name":"x","runs":3,"durations":[1,2],"counts":[1,1]}"#,
        #"{"name":"x","runs":2,"durations":[1,2],"counts":[1]}"#, #"{"name":"x","durations":[-1],"counts":[1]}"#,
        #"{"name":"x","durations":[1]}"#,
    ])
    func aDamagedLineIsReported(_ line: String) throws {
        let result = try LogFolder.measurements(ReactNativeFixture.reassure + line + "\n")
        #expect(result.diagnostics.filter { $0.code == .badRecord }.map(\.line) == [4])
        #expect(result.runs.map(\.isComplete) == [false])
        #expect(result.values("Search list", "render_count") == [2, 2, 3])
    }

    /// Newer versions separate outliers.
    @Test func outliersAreCounted() throws {
        let line = #"{"name":"x","runs":3,"durations":[1,2],"outlierDurations":[9],"counts":[1,1,1]}"#
        let result = try LogFolder.measurements(line)
        #expect(result.values("x", "render_duration") == [1, 2])
    }

    @Test(arguments: [#""runs":0,"durations":[]"#, #""runs":1,"durations":[],"outlierDurations":[9]"#])
    func aTestThatNeverRanIsNotMeasured(_ times: String) throws {
        let result = try LogFolder.measurements(
            ReactNativeFixture.reassure + #"{"name":"x",\#(times),"counts":[]}"# + "\n")
        #expect(Set(result.cells.keys.map(\.page.name)) == ["Search list", "sort"])
        #expect(result.diagnostics.map(\.message).contains("1 of 3 tests left out: no run of them was measured."))
        #expect(result.runs.map(\.isComplete) == [true])
    }

    @Test func testsOfOneNameAreReported() throws {
        let line = #"{"name":"x","durations":[1,2],"counts":[1,1]}"# + "\n"
        let result = try LogFolder.measurements(line + line.replacing("[1,2]", with: "[8,9]"))
        #expect(result.values("x", "render_duration") == [1, 2, 8, 9])
        #expect(result.diagnostics.filter { $0.code == .repeatedTest }.count == 1)
    }

    /// A run without measurements writes only its header.
    @Test func aHeadAloneMeasuresNothing() throws {
        let result = try LogFolder.measurements(#"{"metadata":{"branch":"main","commitHash":"0a1b"}}"#)
        #expect(result.faultyInputs.map(\.fault) == [.notFound])
    }
}

/// The results of reading Flashlight files.
///
/// Real files were read, and every value was compared with a script's: `bamlab/flashlight`:
/// `packages/commands/report/src/example-reports/*.json` and `website/static/examples/report/complex-list/*/*.json`,
/// `marcocaldera/reanimated-demo-project`: `test-1/results/*.json` and `test-2/results/*.json`, `betagouv/agir-mobile`:
/// `flashlight/results.json` (at 9695b0b) and `flashlight/results_2.json`, `jugshaurya/rn_vs_flutter`: the 30 files
/// `*/results_*.json`.
struct FlashlightReaderTests {
    @Test func anIterationIsTheMeanOfItsSamples() throws {
        let result = try LogFolder.measurements(ReactNativeFixture.flashlight)
        #expect(result.values("Feed", "average_fps") == [57.25])
        #expect(result.values("Feed", "average_cpu") == [70.25, 0])
        #expect(result.values("Feed", "average_ram") == [205.25, 220])
        #expect(
            result.cells.first { $0.key.metric == "average_ram" }?.value.runs.flatMap(\.samples).map(\.iteration) == [
                0, 2,
            ])
        #expect(result.diagnostics.contains { $0.message.hasSuffix("left out: the test failed in them.") })
        #expect(result.runs.map(\.isComplete) == [true])
    }

    @Test func severalTestsAreAList() throws {
        let text = ReactNativeFixture.flashlight
        let result = try LogFolder.measurements("[\(text), \(text.replacing("Feed", with: "Map"))]")
        #expect(Set(result.pages.keys.map(\.page.name)) == ["Feed", "Map"])
    }

    @Test func testsOfOneNameAreReported() throws {
        let text = ReactNativeFixture.flashlight
        let result = try LogFolder.measurements("[\(text), \(text.replacing("54.5", with: "14.5"))]")
        #expect(result.values("Feed", "average_fps") == [57.25, 37.25])
        #expect(result.diagnostics.filter { $0.code == .repeatedTest }.count == 1)
    }

    @Test(arguments: [("54.5", "-1"), ("80.5", "\"x\""), ("\"measures\" : [ { \"ram", "\"other\" : [ { \"ram")])
    func aDamagedIterationIsReported(_ good: String, _ bad: String) throws {
        let result = try LogFolder.measurements(ReactNativeFixture.flashlight.replacing(good, with: bad))
        #expect(result.runs.map(\.isComplete) == [false])
    }

    /// Samples of Instruments aren't frames.
    @Test func samplesOfIOSAreLeftOut() throws {
        let result = try LogFolder.measurements(
            #"{"name":"A","type":"IOS_EXPERIMENTAL","iterations":[{"time":1,"measures":[[10,1],[20,1]]}]}"#)
        #expect(result.runs.isEmpty)
        #expect(result.diagnostics.contains { $0.message.hasSuffix("left out: nothing was sampled in them.") })
    }
}
