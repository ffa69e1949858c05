/// Made-up payloads in MetricKit's format.
enum MetricKitFixture {
    static let text = payload()

    /// A device's format of numbers and units.
    struct Language: Sendable, CustomStringConvertible {
        let name: String
        let thousands: String
        let fraction: String
        let milliseconds: String
        let seconds: String

        var description: String { name }

        /// A number with at most one decimal place.
        func number(_ value: Double) -> String {
            let whole = Int(value)
            let tenths = Int((value * 10).rounded()) % 10
            var digits = String(whole)
            for place in stride(from: digits.count - 3, to: 0, by: -3) {
                digits.insert(contentsOf: thousands, at: digits.index(digits.startIndex, offsetBy: place))
            }
            return tenths == 0 ? digits : "\(digits)\(fraction)\(tenths)"
        }

        func time(_ value: Double) -> String { number(value) + milliseconds }
    }

    static let english = Language(name: "en", thousands: ",", fraction: ".", milliseconds: " ms", seconds: " sec")

    static let languages = [
        english, Language(name: "en, ungrouped", thousands: "", fraction: ".", milliseconds: " ms", seconds: " secs."),
        Language(name: "zh", thousands: ",", fraction: ".", milliseconds: "毫秒", seconds: "秒"),
        Language(name: "de", thousands: ".", fraction: ",", milliseconds: " ms", seconds: " Sek."),
        Language(
            name: "fr", thousands: "\u{202F}", fraction: ",", milliseconds: "\u{A0}ms", seconds: "\u{A0}s"),
        Language(name: "de-CH", thousands: "’", fraction: ".", milliseconds: " ms", seconds: " s"),
    ]

    static func histogram(_ buckets: [(Double, Double, Int)], in language: Language = english) -> String {
        let entries = buckets.enumerated().map { index, bucket in
            #""\#(index)" : { "bucketCount" : \#(bucket.2), "bucketStart" : "\#(language.time(bucket.0))", "#
                + #""bucketEnd" : "\#(language.time(bucket.1))" }"#
        }
        return
            #"{ "histogramNumBuckets" : \#(buckets.count), "histogramValue" : { \#(entries.reversed().joined(separator: ", ")) } }"#
    }

    static func payload(
        in language: Language = english, ratio: String? = nil,
        launches: [(Double, Double, Int)] = [(1_530, 1_539, 2), (1_260, 1_269, 1)],
        hangs: [(Double, Double, Int)] = [(0, 100, 7), (1_200, 1_400, 2)]
    ) -> String {
        """
        { "timeStampBegin" : "2026-10-11 03:59:00 +0200", "timeStampEnd" : "2026-10-12 03:59:00", "appVersion" : "7.1",
          "metaData" : { "osVersion" : "iPhone OS 17.5 (21F79)", "deviceType" : "iPhone12,1", "regionFormat" : "CA",
            "bundleIdentifier" : "com.example.app", "appBuildVersion" : "71" },
          "animationMetrics" : { "scrollHitchTimeRatio" : "\(ratio ?? language.number(12.5) + " ms per s")" },
          "applicationResponsivenessMetrics" : { "histogrammedAppHangTime" : \(histogram(hangs, in: language)) },
          "applicationLaunchMetrics" : {
            "histogrammedTimeToFirstDrawKey" : \(histogram(launches, in: language)),
            "histogrammedResumeTime" : \(histogram([(200, 210, 1), (1_190_070, 1_190_079, 1)], in: language)) },
          "applicationTimeMetrics" : { "cumulativeForegroundTime" : "\(language.number(1_800))\(language.seconds)" },
          "displayMetrics" : { "averagePixelLuminance" : { "averageValue" : "0 apl", "standardDeviation" : -1,
            "sampleCount" : 0 } },
          "cpuMetrics" : { "cumulativeCPUInstructions" : "\(language.number(3_990_413)) kiloinstructions" },
          "signpostMetrics" : [ { "signpostName" : "scroll", "signpostCategory" : "Feed", "totalSignpostCount" : 3,
            "signpostIntervalData" : { "histogrammedSignpostDurations" : \(histogram([(0, 100, 3)], in: language)),
              "signpostCumulativeHitchTimeRatio" : "\(language.number(3)) ms per s" } } ] }
        """
    }
}

/// The field that says which hangs a device detected.
extension MetricKitFixture {
    static func diagnostics(hang: String, binary: String) -> String {
        """
        { "timeStampBegin" : "2026-10-11 03:59:00 +0000", "timeStampEnd" : "2026-10-11 03:59:00 +0000",
          "hangDiagnostics" : [ { "version" : "1.0.0", "diagnosticMetaData" : { "hangDuration" : "\(hang)",
            "osVersion" : "iPhone OS 17.5 (21F79)", "deviceType" : "iPhone12,1", "appVersion" : "7.1",
            "bundleIdentifier" : "com.example.app" },
            "callStackTree" : { "callStackPerThread" : true, "callStacks" : [ { "threadAttributed" : true,
              "callStackRootFrames" : [ { "binaryName" : "\(binary)", "address" : 7 } ] } ] } } ] }
        """
    }

    /// A report since OS 27.
    static func report(duration: String, begin: String) -> String {
        """
        { "timeRange" : { "begin" : \(begin), "end" : \(begin) },
          "environment" : { "bundleIdentifier" : "com.example.app", "applicationVersion" : "7.1",
            "deviceType" : "iPhone18,1", "osVersion" : { "platform" : "iOS", "number" : "27.0" }, "states" : [] },
          "hangDiagnostic" : { "hangDuration" : \(duration), "callStackTree" : { "callStackThreads" : [] } } }
        """
    }
}
