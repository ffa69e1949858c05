import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// A made-up response of App Store Connect, in its specified format.
enum AppStoreMetricsFixture {
    static let text = """
        {"version":"1.0.0","insights":{"regressions":[],"trendingUp":[]},"productData":[{"platform":"iOS",
        "metricCategories":[{"identifier":"LAUNCH","metrics":[{"identifier":"launchTime",
        "unit":{"identifier":"milliseconds","displayName":"ms"},"goalKeys":[{"goalKey":"good","upperBound":400}],
        "datasets":[\(dataset("percentile.fifty", [("1.9", 700.5), ("1.10", 800)])),
        \(dataset("percentile.ninety", [("1.9", 1_400), ("1.10", 1_650.25)])),
        \(dataset("percentile.ninetynine", [("1.10", 9_000)]))]}]},
        {"identifier":"ANIMATION","metrics":[{"identifier":"scrollHitchRate",
        "unit":{"identifier":"scrollHitchRate","displayName":"%"},
        "datasets":[\(dataset("percentile.fifty", [("1.10", 6.5)]))]}]}]}]}
        """

    private static func dataset(_ percentile: String, _ points: [(version: String, value: Double)]) -> String {
        let list = points.map { #"{"version":"\#($0.version)","value":\#($0.value),"goal":"good"}"# }
        return """
            {"filterCriteria":{"percentile":"\(percentile)","device":"all_iphones","deviceMarketingName":"All iPhones"},
            "points":[\(list.joined(separator: ", "))],"recommendedMetricGoal":{"value":400,"detail":"d"}}
            """
    }
}

/// The results of reading App Store Connect metrics.
///
/// No response to a team's request is public. The format follows Apple's specification and the two examples in its
/// documentation; their values were compared with a script's.
struct AppStoreMetricsReaderTests {
    @Test func aPercentileIsAQuantileOfAVersion() throws {
        let result = try LogFolder.measurements(AppStoreMetricsFixture.text)
        #expect(result.values("App", "launchTime@p50") == [700.5, 800])
        #expect(result.values("App", "launchTime@p90") == [1_400, 1_650.25])
        #expect(result.values("App", "scrollHitchRate@p50") == [6.5])
        #expect(result.cells.keys.allSatisfy { $0.metric.hasPrefix("launchTime") || $0.metric.hasPrefix("scroll") })
        #expect(result.cells.first { $0.key.metric == "launchTime@p90" }?.value.metric.unit == .milliseconds)
        #expect(
            result.diagnostics.contains {
                $0.message == "1 of 6 percentiles left out: neither the 50th nor the 90th of the users."
            })
    }

    /// 1.10 is newer than 1.9, and the file has no dates.
    @Test func aVersionIsARun() throws {
        let result = try LogFolder.measurements(AppStoreMetricsFixture.text)
        #expect(result.runs.map { $0.context.text("app_version") } == ["1.9", "1.10"])
        #expect(result.runs.allSatisfy { $0.context.text("device") == "all_iphones" && $0.context.text("os") == "iOS" })
        #expect(result.runs.map(\.isComplete) == [true, true])
    }

    @Test(arguments: [
        ("700.5", "\"700.5\""), (#""version":"1.9""#, #""version":1.9"#), (#""device":"all_iphones","#, ""),
        (#""identifier":"launchTime""#, #""id":"launchTime""#), (#""points":"#, #""other":"#),
    ])
    func aDamagedPercentileIsReported(_ good: String, _ bad: String) throws {
        let text = AppStoreMetricsFixture.text.replacing(good, with: bad)
        try #require(text != AppStoreMetricsFixture.text)
        let result = try LogFolder.measurements(text)
        #expect(result.runs.isEmpty ? !result.faultyInputs.isEmpty : result.runs.contains { !$0.isComplete })
    }
}
