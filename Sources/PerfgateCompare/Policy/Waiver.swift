import PerfgateModel

/// A team's leave for one metric of one page to be worse for a while, up to a ceiling.
package struct Waiver: Sendable, Hashable {
    /// The page.
    package let page: Page
    /// The identifier of the metric.
    package let metric: String
    /// The fields that the environment must have, by name; empty: every environment.
    package let environment: [String: FieldValue]
    /// The value that must not be passed, in the metric's unit; a floor where higher is better.
    package let ceiling: Double
    /// The first day, in UTC, on which it no longer holds.
    package let until: CalendarDay
    /// Why, for a person.
    package let reason: String
    /// Where it is discussed; `nil` where nobody said.
    package let link: String?
    /// Where it was written.
    package let origin: Origin

    /// Makes a waiver of its parts.
    package init(
        page: Page, metric: String, environment: [String: FieldValue] = [:], ceiling: Double, until: CalendarDay,
        reason: String, link: String? = nil, from origin: Origin
    ) {
        self.page = page
        self.metric = metric
        self.environment = environment
        self.ceiling = ceiling
        self.until = until
        self.reason = reason
        self.link = link
        self.origin = origin
    }

    /// Whether it is about a cell.
    package func concerns(_ cell: Cell) -> Bool {
        cell.page == page && cell.metric == metric && cell.environment.has(environment)
    }

    /// Whether it no longer holds on a day; without a day it does.
    package func isExpired(on day: CalendarDay?) -> Bool {
        day.map { $0 >= until } ?? false
    }

    /// Whether it allows a value of a metric.
    package func allows(_ value: Double, better: Better) -> Bool {
        better == .lower ? value <= ceiling : value >= ceiling
    }
}

extension Policy {
    /// The waiver that decides about a cell; `nil` where none concerns it, or all have expired.
    ///
    /// Of several the strictest decides, so that a second entry can't widen a first unseen.
    package func waiver(of cell: Cell, better: Better) -> Waiver? {
        waivers.filter { $0.concerns(cell) && !$0.isExpired(on: day) }.min {
            better == .lower ? $0.ceiling < $1.ceiling : $0.ceiling > $1.ceiling
        }
    }
}

/// What is said of a waiver beside the sentence of the verdict.
package struct WaiverWording: Sendable {
    private let waiver: Waiver
    private let metric: Metric

    /// Takes a waiver and the metric that it is about.
    package init(_ waiver: Waiver, of metric: Metric) {
        self.waiver = waiver
        self.metric = metric
    }

    /// While it holds: the end of a sentence that says until when, up to where, and why.
    package var terms: String {
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
