import PerfgateModel

/// Which function makes a page slower, from recorded stacks of both sides; or why that can't be said. It changes no
/// verdict. If nothing changed, a call names a function in at most `alpha` of all cases.
package struct WhyAnswer: Sendable, Hashable {
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        case named
        /// A function grew, but not what calls it: it was renamed, moved or inlined.
        case moved
        /// The main thread takes hardly longer: the page waited.
        case waited
        /// No function stands out, and all together take longer.
        case everything
        case nothing
        /// There are too few recordings, visits or samples.
        case few
        case environment
        /// Too much of the app's code has no symbols.
        case symbols
    }

    package struct Function: Sendable, Hashable {
        package var name = "", binary = ""
        /// Where it is defined; empty and 0 if unknown.
        package var file = "", line = 0
        package var owner = ""
        /// How much longer it takes per visit with all that it calls, and the 95 % interval; in the answer's unit.
        package var growth = 0.0, low = 0.0, high = 0.0
        /// What it took in the base, per visit.
        package var base = 0.0
        /// The p-value, multiplied by the number of examined functions; 0…1.
        package var p = 0.0
        /// The callers that carry at least half of the growth, the nearest first.
        package var chain: [String] = []
        /// The caller that mostly causes the growth: it calls the function more often than before; empty: none.
        package var newCaller = ""

        package init() {}
    }

    /// A node of the tree of calls, for the picture.
    package struct Call: Sendable, Hashable {
        package var name = ""
        /// The place of its caller in the list; −1: none. Callers come first.
        package var parent = -1
        /// Its time per visit with all that it calls, on both sides; in the answer's unit.
        package var base = 0.0, head = 0.0
        /// Whether it lies on the path to the named function.
        package var isOnPath = false

        package init() {}
    }

    package struct Grown: Sendable, Hashable {
        package var name: String, growth: Double

        package init(name: String = "", growth: Double = 0) { (self.name, self.growth) = (name, growth) }
    }

    package static let mostCalls = 400, mostGrown = 200

    package var outcome = Outcome.nothing
    /// The interval whose stacks were compared, in words.
    package var interval = ""
    /// `ms` or `Mcycles`.
    package var unit = "ms"
    package var function: Function?
    package var examined = 0
    /// The numbers of compared recordings, base and head.
    package var recordings = [0, 0]
    package var visits: [Int] = []
    /// The time of the main thread per visit on both sides.
    package var baseTotal = 0.0, headTotal = 0.0
    /// The 95 % interval of the growth of that time, as fractions; 0 and 0 if unknown.
    package var totalLow = 0.0, totalHigh = 0.0
    /// By how much the metric got worse, in ms; 0 if unknown or if the metric isn't a time of a visit.
    package var metricGrowth = 0.0
    /// The chance to name a function if none changed.
    package var alpha = 0.01
    /// What is missing or different, as a clause; empty: nothing.
    package var detail = ""
    /// All functions that take longer, the largest growth first.
    package var grown: [Grown] = []
    package var calls: [Call] = []

    package init() {}
}

extension WhyAnswer.Call {
    /// Calls from a file, without those whose caller doesn't come before them.
    package static func sound(_ calls: [Self]) -> [Self] {
        calls.indices.allSatisfy { (-1..<$0).contains(calls[$0].parent) } ? calls : []
    }
}

extension WhyAnswer {
    /// The answer for people: `Search.decodeThumbnail +61 ms a visit on the main thread (95 %: 48–74; 61 of the 82 ms),
    /// called from FeedCell.bind. 4+4 recordings, 212 functions, false name ≤ 1 %.`
    package var sentence: String {
        switch outcome {
        case .named: "\(named)\(waiting) \(evidence)"
        case .moved:
            "A function takes longer, but what calls it doesn't: code was renamed, moved or inlined, and no name can be "
                + "given. \(evidence)"
        case .waited:
            "The page waited: it is \(text(metricGrowth)) slower, and its main thread takes \(longer) in a visit. Look at "
                + "the network, locks, the disk and other threads. \(evidence)"
        case .everything:
            "No function stands out: all together take \(percent(totalLow)) to \(percent(totalHigh)) longer. Look at the "
                + "machine, the system and the settings of the build. \(evidence)"
        case .nothing:
            totalLow > 0
                ? "No function takes longer beyond chance, though all together take \(percent(totalLow)) to "
                    + "\(percent(totalHigh)) longer: record more visits. \(evidence)"
                : "No function takes longer beyond chance. \(evidence)"
        case .few: "There are too few recordings: \(detail)."
        case .environment: "Both sides were recorded under different conditions: \(detail)."
        case .symbols: "Too much code has no symbols: \(detail)."
        }
    }

    package var lead: String { "Why: \(sentence)" }

    private var named: String {
        guard let function else { return "" }
        let range = "\(Figure.text(rounded(function.low)))–\(Figure.text(rounded(function.high)))"
        let share = metricGrowth > 0 && unit == "ms" ? "; \(number(function.growth)) of the \(text(metricGrowth))" : ""
        let caller = function.newCaller.isEmpty ? function.chain.first : function.newCaller
        let how = function.newCaller.isEmpty ? ", called from " : ", mostly when called from "
        let calls = caller.map { how + Self.shown($0) }
        return "\(Self.shown(function.name)) \(signed(function.growth)) a visit on the main thread "
            + "(95 %: \(range)\(share))\(calls ?? "")."
    }

    private var waiting: String {
        guard metricGrowth > 0, unit == "ms", headTotal - baseTotal < 0.3 * metricGrowth else { return "" }
        return " The page mostly waits: its main thread takes \(longer) in all."
    }

    private var longer: String {
        rounded(headTotal - baseTotal) > 0 ? "\(text(headTotal - baseTotal)) longer" : "no longer"
    }

    private var evidence: String {
        let sides = recordings.map(String.init).joined(separator: "+")
        return "\(sides) recordings, \(Figure.count(examined, "function")), false name ≤ \(percent(alpha))."
    }

    /// A name of a function on one line; long ones, such as those with generic arguments, are cut.
    package static func shown(_ name: String) -> String { CleanText.line(name, most: 100) }

    private func rounded(_ value: Double) -> Double { abs(value) < 10 ? (10 * value).rounded() / 10 : value.rounded() }

    private func number(_ value: Double) -> String { Figure.text(rounded(value)) }

    package func text(_ value: Double) -> String { Figure.withUnit(number(value), unit) }

    package func signed(_ value: Double) -> String { (value < 0 ? "−" : "+") + text(abs(value)) }

    private func percent(_ share: Double) -> String { Figure.withUnit(Figure.text(rounded(100 * share)), "%") }
}

/// The phase that carries most of a change of a time to initial load, and what changed with it: where to look first.
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
    /// The phase, and the other one, in ms; after first layout the difference of two medians: samples name no visit.
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
        guard let layout = siblings[Metric(.ttfl).id],
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

extension [CellResult.Draft] {
    /// Says which phase carries the change of each time to initial load that got worse.
    mutating func tellPhases() {
        let all = map(\.result)
        let places = Set(all.filter { $0.isWorse && $0.metric.id == Metric(.ttil).id }.map(\.place))
        guard !places.isEmpty else { return }
        let pages = Dictionary(grouping: all.filter { places.contains($0.place) }, by: \.place)
        revise { load in
            guard load.isWorse, load.metric.id == Metric(.ttil).id, let page = pages[load.place] else { return nil }
            let siblings = Dictionary(page.map { ($0.metric.id, $0) }) { first, _ in first }
            guard let phases = PhaseShift(load, among: siblings) else { return nil }
            var facts = load.facts
            facts.phases = phases
            return facts
        }
    }
}
