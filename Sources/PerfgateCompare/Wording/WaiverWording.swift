import PerfgateModel

/// What is said of a waiver beside the sentence of the verdict.
struct WaiverWording {
    /// The waiver.
    let waiver: Waiver
    /// The metric with its unit and direction.
    let metric: Metric

    /// While it holds: until when, up to where, and why.
    var holds: String {
        let link = waiver.link.map { ", \($0)" } ?? ""
        return "Waived until \(waiver.until) \(bound): \(reason) (\(waiver.origin)\(link))."
    }

    /// Why it doesn't help any more.
    var expired: String { "The waiver of \(waiver.origin) expired on \(waiver.until)." }

    /// Why it doesn't help this time.
    func exceeded(by value: Double) -> String {
        "\(figure(value)) is beyond the waiver of \(waiver.origin), which holds \(bound)."
    }

    private var bound: String { "\(metric.better == .lower ? "up" : "down") to \(figure(waiver.ceiling))" }

    private var reason: String {
        var text = waiver.reason[...]
        while text.hasSuffix(".") { text.removeLast() }
        return String(text)
    }

    private func figure(_ value: Double) -> String { Figure.text(value, metric.unit.symbol) }
}
