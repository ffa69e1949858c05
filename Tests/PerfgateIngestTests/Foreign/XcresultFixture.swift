/// Made-up metrics in xcresulttool's format.
enum XcresultFixture {
    static let prefix = "com.apple.dt.XCTMetric_OSSignpost-Scroll_Deceleration."

    /// One test with a hitch time ratio and a duration.
    static let text = document([
        test(
            "FeedTests/testScroll()",
            [
                metric(prefix + "animation.hitch.time.ratio", "ms per s", "4.5, 0, 2e1"),
                metric(prefix + "duration", "s", "2.5, 2.25, 2"),
            ])
    ])

    static func metric(_ identifier: String, _ unit: String, _ values: String, _ more: String = "") -> String {
        """
        { "displayName" : "shown", "identifier" : "\(identifier)", "measurements" : [ \(values) ],
          "unitOfMeasurement" : "\(unit)"\(more) }
        """
    }

    static func test(_ name: String, _ metrics: [String], device: String? = nil) -> String {
        let device = device.map { #""device" : { "deviceId" : "\#($0)", "deviceName" : "Phone" }, "# } ?? ""
        return """
            { "testIdentifier" : "\(name)", "testRuns" : [ { \(device)"metrics" : [
            \(metrics.joined(separator: ",\n")) ] } ] }
            """
    }

    static func document(_ tests: [String]) -> String { "[\n\(tests.joined(separator: ",\n"))\n]\n" }
}

/// The content that names the tests' device.
extension XcresultFixture {
    static let ratio = prefix + "animation.hitch.time.ratio"

    static func device(_ id: String, _ model: String, _ platform: String, _ version: String) -> String {
        """
        { "architecture" : "arm64", "deviceId" : "\(id)", "deviceName" : "Phone", "modelName" : "\(model)",
          "osBuildNumber" : "21F79", "osVersion" : "\(version)", "platform" : "\(platform)" }
        """
    }

    static func summary(_ devices: [String], start: String? = nil) -> String {
        let entries = devices.map { #"{ "device" : \#($0), "failedTests" : 0, "passedTests" : 1 }"# }
        return """
            { "devicesAndConfigurations" : [ \(entries.joined(separator: ",\n")) ], "result" : "Passed",
              "title" : "Test - Sample", "totalTestCount" : 1\(start.map { ", \"startTime\" : \($0)" } ?? "") }
            """
    }

    static func details(_ devices: [String], start: String) -> String {
        """
        { "devices" : [ \(devices.joined(separator: ",\n")) ], "hasPerformanceMetrics" : true, "startTime" : \(start),
          "testIdentifier" : "FeedTests/testScroll()", "testPlanConfigurations" : [ ], "testRuns" : [ ] }
        """
    }
}
