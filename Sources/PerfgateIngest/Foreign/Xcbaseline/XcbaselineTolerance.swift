import PerfgateModel

/// By how much a test may be worse than its average before Xcode fails it: by the percentage or the absolute value,
/// whichever allows more.
struct XcbaselineTolerance: Hashable {
    /// The relative allowance, in percent of the average; at least 0.
    let percent: Double
    /// The absolute allowance, in the unit of the average; at least 0.
    let absolute: Double

    /// Xcode's own tolerance where the file says nothing, as it prints it with every measurement.
    static let standardPercent = 10.0
    /// The absolute one of `measure { }` before `XCTMetric`, in seconds; of the metrics since then it is 0.
    static let standardSeconds = 0.1

    /// The tolerance of one metric of one test.
    init(_ values: [String: Any], identifier: String) {
        let isOld = identifier == XcbaselineUnit.wallClock
        percent = max(0, XcbaselineRecord.number(values["maxPercentRegression"]) ?? Self.standardPercent)
        absolute = max(0, XcbaselineRecord.number(values["maxRegression"]) ?? (isOld ? Self.standardSeconds : 0))
    }

    /// The worst value that passes; where greater is better it is at least 0.
    func bound(on average: Double, better: Better) -> Double {
        let allowance = max(average * percent / 100, absolute)
        return better == .lower ? average + allowance : max(0, average - allowance)
    }
}
