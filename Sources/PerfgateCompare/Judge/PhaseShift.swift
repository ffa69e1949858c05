import PerfgateModel

/// The phase of a page's visits that carries most of a change of its time to initial load, and what changed with it: it
/// tells where to look before anybody records a profile.
package struct PhaseShift: Sendable, Hashable {
    /// A phase of a visit. Both together are the time to initial load.
    package enum Part: String, Sendable, Hashable, CaseIterable {
        /// From the start of the visit to its first layout: `ttfl`.
        case beforeFirstLayout = "before_first_layout"
        /// From the first layout to the initial load: `ttil` − `ttfl`.
        case afterFirstLayout = "after_first_layout"
    }

    package struct Medians: Sendable, Hashable {
        package var baseline = 0.0, candidate = 0.0
        package var change: Double { candidate - baseline }
    }

    package var part = Part.beforeFirstLayout
    /// The change of the median time to initial load, in ms; above 0.
    package var total = 0.0
    /// The phase, and the other one, in ms. After first layout it is the difference of both medians: a store's samples
    /// don't say which of them are one visit's.
    package var own = Medians(), other = Medians()
    /// A metric of the page that changed too: loads of content, hangs, or evaluations of a body; empty if none did.
    package var metric = ""
    /// The metric's centres, in its unit.
    package var values = Medians()
    /// Whether the main thread's hangs were measured, and didn't change.
    package var isMainThreadCalm = false

    /// The share of a change that a phase or a metric has to carry.
    private static let carrying = 0.7

    package init() {}

    /// Finds the phase of a time to initial load that got worse; `nil` if none carries 70 % of it beyond chance.
    /// - Parameter siblings: The comparisons of the same page and environment, by metric.
    init?(_ load: CellResult, among siblings: [String: CellResult]) {
        guard load.isWorse, load.metric.id == Metric(.ttil).id, let layout = siblings[Metric(.ttfl).id],
            let before = layout.medians, let whole = load.medians, whole.change > 0
        else { return nil }
        let after = Medians(baseline: whole.baseline - before.baseline, candidate: whole.candidate - before.candidate)
        total = whole.change
        if after.change >= Self.carrying * total, let least = load.numbers?.interval?.first,
            let most = layout.numbers?.interval?.last, least > most
        {
            (part, own, other) = (.afterFirstLayout, after, before)
        } else if before.change >= Self.carrying * total, layout.isBeyondDoubt {
            (part, own, other) = (.beforeFirstLayout, before, after)
        } else {
            return nil
        }
        isMainThreadCalm = siblings[Metric.mainThreadHang.id].map { $0.medians != nil && !$0.isBeyondDoubt } ?? false
        explain(siblings)
    }

    /// Adds the first metric that explains the phase: content explains only what follows the first layout.
    private mutating func explain(_ siblings: [String: CellResult]) {
        let needed = Self.carrying * own.change
        let times = (part == .afterFirstLayout ? [Metric(.rclt).id] : []) + [Metric.mainThreadHang.id]
        let found = times.compactMap { siblings[$0] }.first { $0.isBeyondDoubt && $0.medians?.change ?? 0 >= needed }
        let bodies = siblings.values.filter { $0.metric.id.hasPrefix(Self.evaluations) && $0.isBeyondDoubt }
        let most = bodies.max { ($0.medians?.change ?? 0, $1.metric.id) < ($1.medians?.change ?? 0, $0.metric.id) }
        guard let cause = found ?? most, let medians = cause.medians else { return }
        (metric, values) = (cause.metric.id, medians)
    }

    package static let evaluations = "body_evaluations_"
}

extension PhaseShift {
    /// `79 of the 82 ms come after first layout (ttil − ttfl 310 → 389 ms); ttfl is unchanged (41 ms). …`.
    package var sentence: String {
        let isAfter = part == .afterFirstLayout
        let share = own.change >= total ? "All" : Self.number(own.change)
        let names = isAfter ? (own: "ttil − ttfl", other: "ttfl") : (own: "ttfl", other: "ttil − ttfl")
        let rest =
            abs(other.change) < 0.1 * min(total, other.candidate)
            ? "\(names.other) is unchanged (\(Self.ms(other.candidate)))" : "\(names.other) \(Self.change(other))"
        return "\(share) of the \(Self.ms(total)) come \(isAfter ? "after" : "before") first layout "
            + "(\(names.own) \(Self.change(own))); \(rest).\(cause.map { " \($0)" } ?? "")"
    }

    private var cause: String? {
        if metric == Metric(.rclt).id {
            let cause = isMainThreadCalm ? ": the page waits for content, not for the main thread." : "."
            return "Its loads of rich content take \(Self.ms(values.change)) longer\(cause)"
        }
        if metric == Metric.mainThreadHang.id {
            return
                "Hangs of the main thread take \(Self.ms(values.change)) longer in a visit (mth): the main thread is busy."
        }
        let counts = "\(Figure.text(values.baseline)) → \(Figure.text(values.candidate))"
        return metric.isEmpty ? nil : "\(CleanText.line(metric, most: 80)) \(counts): look there."
    }

    private static func number(_ ms: Double) -> String { Figure.text(abs(ms) < 10 ? ms : ms.rounded()) }

    private static func ms(_ ms: Double) -> String { Figure.withUnit(number(ms), Unit.milliseconds.symbol) }

    private static func change(_ medians: Medians) -> String {
        "\(number(medians.baseline)) → \(ms(medians.candidate))"
    }
}

extension CellResult.Facts {
    /// Whether it is worse beyond chance, gated or not: it failed, or the interval of its shift excludes 0.
    fileprivate var isBeyondDoubt: Bool {
        guard metric.better == .lower else { return false }
        return verdict == .regressed || verdict == .overLimit || numbers?.interval?.first ?? 0 > 0
    }

    fileprivate var medians: PhaseShift.Medians? {
        guard let before = baseline?.center, let after = candidate?.center else { return nil }
        return PhaseShift.Medians(baseline: before, candidate: after)
    }
}

extension [CellResult] {
    mutating func tellPhases() {
        let worse = indices.filter { self[$0].isWorse && self[$0].metric.id == Metric(.ttil).id }
        guard !worse.isEmpty else { return }
        let places = Set(worse.map { self[$0].place })
        let siblings = Dictionary(grouping: filter { places.contains($0.place) }, by: \.place)
        for index in worse {
            let page = siblings[self[index].place, default: []].map { ($0.metric.id, $0) }
            guard let phases = PhaseShift(self[index], among: Dictionary(page) { first, _ in first }) else { continue }
            var facts = self[index].facts
            facts.phases = phases
            self[index] = CellResult(facts)
        }
    }
}
