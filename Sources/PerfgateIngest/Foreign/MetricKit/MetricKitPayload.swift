import PerfgateJSON
import PerfgateModel

/// One payload: what a device measured in a day.
struct MetricKitPayload {
    /// The object.
    let node: JSONNode
    /// How its numbers are read.
    let quantities: MetricKitQuantities

    /// A payload of its object.
    init(_ node: JSONNode) {
        self.node = node
        let sections = MetricKitSection.read.union(MetricKitSection.other).union(["applicationTimeMetrics"])
        let members = (try? node.members()) ?? []
        quantities = MetricKitQuantities(learningFrom: members.filter { sections.contains($0.key) }.map(\.node))
    }

    /// The histogram of hangs; `nil` where there is none.
    var hangs: JSONNode? { find("applicationResponsivenessMetrics", "histogrammedAppHangTime") }
    /// The histogram of launches; `nil` where there is none.
    var launches: JSONNode? { find("applicationLaunchMetrics", "histogrammedTimeToFirstDrawKey") }
    /// The hitch time ratio of scrolls; `nil` where there is none.
    var scrollHitchRatio: JSONNode? { find("animationMetrics", "scrollHitchTimeRatio") }

    /// How long the app was in use; `nil` where it isn't said.
    var foregroundTime: JSONNode? { find("applicationTimeMetrics", "cumulativeForegroundTime") }

    /// What is known of the device and the app.
    var context: Context {
        var context = Context()
        let string = { (path: String...) in node(at: path).flatMap { try? $0.string() } }
        context["app"] = string("metaData", "bundleIdentifier").map { .text($0) }
        context["app_version"] = string("appVersion").map { .text($0) }
        context["device"] = string("metaData", "deviceType").map { .text($0) }
        context["started_at"] = string("timeStampBegin").flatMap(UTCTime.text(of:)).map { .text($0) }
        // "iPhone OS 14.0.1 (18A393)" is what everybody else calls iOS 14.0.1.
        let system = string("metaData", "osVersion")?.replacing("iPhone OS", with: "iOS") ?? ""
        let words = system.split(separator: " ", maxSplits: 1).map(String.init)
        if words.count == 2 { context.setSystem(platform: words[0], version: words[1]) }
        return context
    }

    private func find(_ section: String, _ key: String) -> JSONNode? { node(at: [section, key]) }

    private func node(at path: [String]) -> JSONNode? {
        path.reduce(node) { node, key in (try? node?.optional(key)) ?? nil }
    }
}
