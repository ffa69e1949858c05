import Foundation
import PerfgateModel

/// Xcode's stored values of one metric of one test.
struct XcbaselineRecord: Hashable {
    /// The test, as `Class/test()`; without the parentheses for Objective-C, as in its results.
    let test: String
    /// The metric, as the test's results name it.
    let metric: Metric
    /// The measured signpost or application; `nil` if the identifier has none.
    let label: String?
    let average: Double
    /// The worst value that passes in Xcode, in the metric's unit.
    let bound: Double

    /// Reads the averages of one run destination and counts unusable records in the tally.
    static func read(_ content: [String: Any], _ tally: inout RecordTally) -> [XcbaselineRecord] {
        var records: [XcbaselineRecord] = []
        let classes = content["classNames"] as? [String: Any] ?? [:]
        for (name, tests) in sorted(classes) {
            for (test, metrics) in sorted(tests) {
                for (identifier, values) in sorted(metrics) {
                    records += read("\(name)/\(test)", identifier, values as? [String: Any] ?? [:], &tally)
                }
            }
        }
        return records
    }

    private static func read(
        _ test: String, _ identifier: String, _ values: [String: Any], _ tally: inout RecordTally
    ) -> [XcbaselineRecord] {
        guard let unit = XcbaselineUnit.of(identifier) else {
            tally.skip(because: "the file doesn't say the unit of \(identifier), and perfgate doesn't know it")
            return []
        }
        guard values["baselineAverage"] != nil else {
            tally.skip(because: "Xcode holds no average of them")
            return []
        }
        guard let average = number(values["baselineAverage"]), average >= 0 else {
            tally.fail(because: "\(test) has no baselineAverage of \(identifier) that is a number from 0 on")
            return []
        }
        let name = XcresultMetric(
            identifier: identifier, unit: unit, better: Better(polarity: values["polarity"] as? String))
        let tolerance = XcbaselineTolerance(values, identifier: identifier)
        let bound = tolerance.bound(on: average, better: name.metric.metric.better)
        guard bound.isFinite else {
            tally.fail(because: "\(test) allows \(identifier) more than any number")
            return []
        }
        tally.countRead()
        return [
            XcbaselineRecord(
                test: test, metric: name.metric.metric, label: name.label, average: name.metric.convert([average])[0],
                bound: name.metric.convert([bound])[0])
        ]
    }

    private static func sorted(_ value: Any) -> [(String, Any)] {
        (value as? [String: Any] ?? [:]).sorted { $0.key.precedesInUTF8($1.key) }.map { ($0.key, $0.value) }
    }

    /// A finite number of a property list, integer or real; `nil` for anything else.
    static func number(_ value: Any?) -> Double? {
        let number = value as? Double ?? (value as? NSNumber)?.doubleValue
        return number.flatMap { $0.isFinite ? $0 : nil }
    }
}

/// The allowed deviation of a test from its average in Xcode: the larger of a percentage and an absolute value.
struct XcbaselineTolerance: Hashable {
    /// The relative allowance, in percent of the average; at least 0.
    let percent: Double
    /// The absolute allowance, in the unit of the average; at least 0.
    let absolute: Double

    /// Xcode's default tolerance, as it prints it with every measurement.
    static let standardPercent = 10.0
    /// The default absolute tolerance of `measure { }` before `XCTMetric`, in seconds; for newer metrics it is 0.
    static let standardSeconds = 0.1

    init(_ values: [String: Any], identifier: String) {
        let isOld = identifier == XcbaselineUnit.wallClock
        percent = max(0, XcbaselineRecord.number(values["maxPercentRegression"]) ?? Self.standardPercent)
        absolute = max(0, XcbaselineRecord.number(values["maxRegression"]) ?? (isOld ? Self.standardSeconds : 0))
    }

    /// The worst value that passes; at least 0 if greater is better.
    func bound(on average: Double, better: Better) -> Double {
        let allowance = max(average * percent / 100, absolute)
        return better == .lower ? average + allowance : max(0, average - allowance)
    }
}

/// The units of the averages, which the property lists omit.
enum XcbaselineUnit {
    /// The only metric of `measure { }` before `XCTMetric`.
    static let wallClock = "com.apple.XCTPerformanceMetric_WallClockTime"

    /// The unit of a metric, as its results spell it; `nil` for an unknown metric.
    static func of(_ identifier: String) -> String? {
        if identifier == wallClock { return "s" }
        guard identifier.hasPrefix(prefix) else { return nil }
        let isOfSignpostOrLaunch = families.contains { identifier.hasPrefix(prefix + $0) }
        return endings.first { identifier.hasSuffix($0.ending) }?.unit
            ?? (isOfSignpostOrLaunch && identifier.hasSuffix(".duration") ? "s" : nil)
    }

    private static let prefix = XcresultMetric.prefix
    /// The families with durations in seconds; the unit of the hitch family's durations isn't documented.
    private static let families = ["OSSignpost", "ApplicationLaunch"]

    /// Longer endings first.
    private static let endings: [(ending: String, unit: String)] = [
        ("hitches.total.duration", "ms"), (".time.ratio", "ms per s"), (".number", "hitches"),
        ("animation.frame.rate", "fps"), ("animation.frame.count", "frames"), (".time.monotonic", "s"),
        ("CPU.time", "s"), ("CPU.cycles", "kC"), ("CPU.instructions_retired", "kI"),
        ("Memory.physical_peak", "kB"), ("Memory.physical-peak", "kB"), ("Memory.physical", "kB"),
        ("Disk.logical_writes", "kB"),
    ]
}
