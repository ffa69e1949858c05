import Foundation
import PerfgateModel

/// What Xcode stored of one metric of one test.
struct XcbaselineRecord: Hashable {
    /// The test, as `Class/test()`; without the parentheses where it is written in Objective-C, as in its results.
    let test: String
    /// The metric, as the results of its test name it.
    let metric: Metric
    /// The signpost or application that was measured; `nil` where the identifier says none.
    let label: String?
    /// The average, in the metric's unit.
    let average: Double
    /// The worst value that Xcode lets pass, in the metric's unit.
    let bound: Double

    /// Reads the averages of one run destination; what can't be read or used goes into the tally.
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

    /// A finite number of a property list, whole or not; `nil` for anything else.
    static func number(_ value: Any?) -> Double? {
        let number = value as? Double ?? (value as? NSNumber)?.doubleValue
        return number.flatMap { $0.isFinite ? $0 : nil }
    }
}
