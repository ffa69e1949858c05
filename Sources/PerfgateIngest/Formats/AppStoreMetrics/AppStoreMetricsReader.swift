import PerfgateJSON
import PerfgateModel

/// Reads the power and performance metrics of App Store Connect: percentiles of all users by version and device.
///
/// A run is a version on a device. A percentile has no samples. It becomes a quantile of Apple's metric
/// (`launchTime@p90`): limits judge it, and comparisons ignore it.
enum AppStoreMetricsReader: ForeignReader {
    static let name = "app-store-connect"
    static let title = "power and performance metrics of App Store Connect"
    static let recipe = "GET https://api.appstoreconnect.apple.com/v1/apps/ID/perfPowerMetrics"

    static func recognises(_ head: ForeignHead) -> Bool { head.outline?.has("productData[].metricCategories") ?? false }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        var tally = RecordTally(path: file.path, noun: "percentiles")
        var runs: [Conditions: ForeignRun] = [:]
        try file.readJSON { root throws(JSONDocumentError) in
            for product in try root["productData"].elements() {
                let platform = try product["platform"].string()
                for category in try product["metricCategories"].elements() {
                    for metric in try category["metrics"].elements() {
                        for dataset in try metric["datasets"].elements() {
                            tally.attempt { tally throws(JSONDocumentError) in
                                try read(dataset, of: metric, platform, file.path, &runs, &tally)
                            }
                        }
                    }
                }
            }
        }
        return ForeignResult(runs: runs.map { $1.named("app-store-\($0.versionInOrder)") }, tallies: [tally])
    }

    private struct Conditions: Hashable {
        let platform, device, version: String

        /// The version in a spelling that sorts in version order, because no date gives the order.
        var versionInOrder: String {
            let parts = version.split(separator: ".", omittingEmptySubsequences: false)
            return parts.map { String($0).padded(toWidth: 4) }.joined(separator: ".")
        }
    }

    private static func read(
        _ dataset: JSONNode, of metric: JSONNode, _ platform: String, _ path: String,
        _ runs: inout [Conditions: ForeignRun], _ tally: inout RecordTally
    ) throws(JSONDocumentError) {
        let criteria = try dataset["filterCriteria"]
        let device = try criteria["device"].string()
        let points = try dataset["points"].elements()
        guard let percent = percents[try criteria["percentile"].string()] else {
            for point in points { tally.skip(line: point.line, because: "neither the 50th nor the 90th of the users") }
            return
        }
        let unit = try metric["unit"]
        let shown = try unit.optional("displayName")
        let spelling = if let shown { try shown.string() } else { try unit["identifier"].string() }
        let quantity = ForeignMetric(id: "\(try metric["identifier"].string())@p\(percent)", unit: spelling)
        for point in points {
            let version = try point["version"].string()
            let value = try point["value"].double()
            let conditions = Conditions(platform: platform, device: device, version: version)
            let context = Context(["device": .text(device), "os": .text(platform), "app_version": .text(version)])
            runs[conditions, default: ForeignRun(id: "", path: path, context: context)].cells.append(
                ForeignCell(subject: ForeignCell.wholeApp, metric: quantity, values: [value]))
            tally.countRead()
        }
    }

    private static let percents = ["percentile.fifty": 50, "percentile.ninety": 90]
}
