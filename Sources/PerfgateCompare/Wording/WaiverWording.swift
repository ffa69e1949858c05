import PerfgateModel

/// What is said of a waiver beside the sentence of the verdict.
public struct WaiverWording: Sendable {
    private let waiver: Waiver
    private let metric: Metric

    /// Takes a waiver and the metric that it is about.
    public init(_ waiver: Waiver, of metric: Metric) {
        self.waiver = waiver
        self.metric = metric
    }

    /// While it holds: the end of a sentence that says until when, up to where, and why.
    public var terms: String {
        let link = waiver.link.map { ", \($0)" } ?? ""
        return "waived until \(waiver.until) \(bound): \(reason) (\(waiver.origin)\(link))"
    }

    /// While it holds.
    var holds: String { "It is \(terms)." }

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
