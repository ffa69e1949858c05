import LibC
import PagePerformance
import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// The question which function makes a page slower. <doc:NamedFunctions> states the rule and its error rates.
package struct WhyQuestion {
    package let page: String
    /// The metric's identifier, such as `ttil`.
    package let metric: String
    /// By how much the metric got worse, in its unit; `nil` if unknown.
    package var growth: Double?
    /// The device of the comparison; recordings of other devices are left out. `nil`: any.
    package var device: String?
    /// The chance to name any function if none changed; divided by the number of questions of a call.
    package var alpha = 0.01
    static let leastRecordings = 3, leastVisits = 3, leastSamples = 200
    /// The largest share of the time in the app's functions without a symbol.
    private static let mostWithoutSymbols = 0.2

    package init(page: String, metric: String, growth: Double? = nil, alpha: Double = 0.01) {
        (self.page, self.metric, self.growth, self.alpha) = (page, metric, growth, alpha)
    }

    private var interval: PageInterval { PageInterval(ofMetric: metric) }

    /// The part of a visit whose stacks are compared.
    package var intervalName: String { interval.rawValue }

    /// Compares the recordings of both sides, which share a table.
    package func answer(_ table: StackTable, base: [Recording], head: [Recording]) -> WhyAnswer {
        var answer = WhyAnswer()
        (answer.alpha, answer.interval) = (alpha, interval.rawValue)
        answer.metricGrowth = Self.waits.contains(metric) || metric == "mth" ? max(0, growth ?? 0) : 0
        let (base, head) = (base.filter(isOfDevice), head.filter(isOfDevice))
        let sides = [base, head].map { side in side.compactMap { ProfileCut($0, page: page, kind: interval) } }
        let cuts = sides.map { $0.filter { $0.visits >= Self.leastVisits && $0.sampleCount >= Self.leastSamples } }
        (answer.recordings, answer.visits) = (cuts.map(\.count), cuts.flatMap { $0.map(\.visits) })
        func refusal(_ outcome: WhyAnswer.Outcome, _ detail: String) -> WhyAnswer {
            (answer.outcome, answer.detail) = (outcome, detail)
            return answer
        }
        if let detail = Self.shortage(sides, cuts, recordings: [base.count, head.count], of: page, interval) {
            return refusal(.few, detail)
        }
        answer.unit = cuts[0][0].unit.rawValue
        if let detail = Self.difference(cuts) { return refusal(.environment, detail) }
        let tree = CallTree(table, base: cuts[0], head: cuts[1])
        if let names = tree.renamedBinary {
            let (base, head) = (CleanText.line(names.base, most: 60), CleanText.line(names.head, most: 60))
            return refusal(
                .environment,
                "the app's binary is \(base) in the base and \(head) in the head. Give both builds one name")
        }
        let unknown = tree.shareWithoutSymbols
        if unknown > Self.mostWithoutSymbols {
            return refusal(
                .symbols,
                "\(Int((100 * unknown).rounded())) % of the time is in functions of the app without a name. Give --dsym the "
                    + "bundles of both builds, symbolicate the recordings, or keep the symbols in the recorded build")
        }
        let unit = cuts.joined().map(\.unitPerVisit).mean
        answer.take(FunctionRule(alpha: alpha).finding(of: tree, unit: unit), tree, waits: Self.waits.contains(metric))
        return answer
    }

    private func isOfDevice(_ recording: Recording) -> Bool {
        guard let device, let own = recording.context.text("device") else { return true }
        return device.hasSameUTF8(as: recording.context.isSimulator ? own + Environment.simulatorSuffix : own)
    }

    /// The times of a visit that also grow when the main thread waits.
    private static let waits: Set = ["ttfl", "ttil", "alt", "rclt"]

    /// What is missing, as a clause; `nil` if there is enough.
    private static func shortage(
        _ sides: [[ProfileCut]], _ cuts: [[ProfileCut]], recordings: [Int], of page: String, _ interval: PageInterval
    ) -> String? {
        let missing = zip(["base", "head"], cuts.indices).compactMap { name, side -> String? in
            guard cuts[side].count < leastRecordings else { return nil }
            let page = CleanText.line(page, most: 60)
            let counted = Figure.count(recordings[side], "recording")
            return sides[side].isEmpty
                ? "none of \(counted) of the \(name) has a \(interval.rawValue) of \(page)"
                : "\(cuts[side].count) of \(counted) of the \(name) \(cuts[side].count == 1 ? "has" : "have") "
                    + "\(leastVisits) visits and \(leastSamples) samples of \(page)"
        }
        guard !missing.isEmpty else { return nil }
        return missing.joined(separator: ", and ") + ". Record at least \(leastRecordings) a side, in turn"
    }

    /// What differs between the sides, as a clause; `nil` if nothing that is known does.
    private static func difference(_ cuts: [[ProfileCut]]) -> String? {
        let units = Set(cuts.joined().map(\.unit))
        guard units.count == 1 else { return "time on one and cycles on the other. Record both with the same event" }
        for name in ["device", "os", "max_fps", "build"] {
            let values = Set(cuts.joined().compactMap { $0.context.text(name) }).sorted { $0.precedesInUTF8($1) }
            guard values.count > 1 else { continue }
            let told = values.prefix(3).map { CleanText.line($0, most: 60) }.joined(separator: " and ")
            return "\(name) is \(told). Record both on one device, with the same settings"
        }
        return nil
    }
}

extension CallTree {
    /// The app's binaries that only one side has, if each takes a fifth of its side's time: their functions would all be
    /// different ones. `nil`: none.
    fileprivate var renamedBinary: (base: String, head: String)? {
        var times: [String: (base: Double, head: Double)] = [:]
        for (node, function) in nodes.enumerated() where functions[function].isApp {
            guard let binary = functions[function].binary else { continue }
            let (sum, time) = (times[binary] ?? (0, 0), means(rows(own, node)))
            times[binary] = (sum.base + time.base, sum.head + time.head)
        }
        let totals = means(totals)
        let sorted = times.sorted { $0.key < $1.key }
        let base = sorted.first { $0.value.head == 0 && $0.value.base > totals.base / 5 }?.key
        let head = sorted.first { $0.value.base == 0 && $0.value.head > totals.head / 5 }?.key
        return base.flatMap { base in head.map { (base, $0) } }
    }

    /// The share of the time in stacks with a function of the app that has no symbol; 0…1.
    fileprivate var shareWithoutSymbols: Double {
        var isUnknown = Array(repeating: false, count: nodes.count)
        var (unknown, total) = (0.0, 0.0)
        for (node, function) in nodes.enumerated() {
            isUnknown[node] =
                functions[function].isApp && !functions[function].hasSymbol
                || parents[node] >= 0 && isUnknown[parents[node]]
            let time = rows(own, node).mean
            total += time
            if isUnknown[node] { unknown += time }
        }
        return total > 0 ? unknown / total : 0
    }

    /// The 95 % interval of the ratio of both sides' totals minus 1, from the logarithms of the recordings' totals.
    fileprivate var growthOfTotals: (low: Double, high: Double) {
        let logs = totals.map { log(max($0, 1e-9)) }
        let growth = ModeratedGrowth.interval(of: Array(logs.prefix(baseCount)), Array(logs.dropFirst(baseCount)))
        return (exp(growth.low) - 1, exp(growth.high) - 1)
    }

    private static let smallestShown = 0.01

    /// The calls that a picture shows: those with 1 % of the visit, the longest if there are many.
    /// - Parameter path: The named function and its callers, the nearest first; empty: none.
    fileprivate func shownCalls(path: [String]) -> [WhyAnswer.Call] {
        let inclusive = inclusive
        let times = nodes.indices.map { means(rows(inclusive, $0)) }
        let longer = times.map { max($0.base, $0.head) }
        let visit = nodes.indices.reduce(0) { parents[$1] < 0 ? $0 + longer[$1] : $0 }
        let shown = nodes.indices.filter { longer[$0] >= Self.smallestShown * visit }
        // A caller takes at least as long as what it calls, so the longest calls have their callers among them.
        let longest = shown.sorted { (longer[$1], $0) < (longer[$0], $1) }.prefix(WhyAnswer.mostCalls)
        var places: [Int: Int] = [:]
        var calls: [WhyAnswer.Call] = []
        for node in longest.sorted() {
            let caller = places[parents[node]]
            guard parents[node] < 0 || caller != nil else { continue }
            places[node] = calls.count
            var call = WhyAnswer.Call()
            (call.name, call.parent) = (name(node), caller ?? -1)
            (call.base, call.head) = (times[node].base.kept, times[node].head.kept)
            call.isOnPath = isOnPath(node, path)
            calls.append(call)
        }
        return calls
    }

    private func name(_ node: Int) -> String { functions[nodes[node]].name }

    /// Whether a node and its callers have the path's names, from some function of the path on.
    private func isOnPath(_ node: Int, _ path: [String]) -> Bool {
        guard let start = path.firstIndex(of: name(node)) else { return false }
        var node = node
        for caller in path[(start + 1)...] {
            node = parents[node]
            guard node >= 0, name(node) == caller else { return false }
        }
        return true
    }
}

extension WhyAnswer {
    /// The share of a metric's growth that the main thread has to take at least, or the page waited.
    private static let busyShare = 0.3

    fileprivate mutating func take(_ finding: FunctionRule.Finding, _ tree: CallTree, waits: Bool) {
        examined = finding.examined
        grown = finding.grown.sorted { ($1.growth, $0.function.name) < ($0.growth, $1.function.name) }
            .prefix(Self.mostGrown).map { Grown(name: $0.function.name, growth: $0.growth.kept) }
        let (totals, growth) = (tree.means(tree.totals), tree.growthOfTotals)
        (baseTotal, headTotal, totalLow, totalHigh) = (
            totals.base.kept, totals.head.kept, growth.low.kept, growth.high.kept
        )
        if var named = finding.named {
            (named.growth, named.base, named.p) = (named.growth.kept, named.base.kept, named.p.kept)
            (named.low, named.high) = (named.low.kept, named.high.kept)
            function = named
        }
        calls = tree.shownCalls(path: function.map { [$0.name] + $0.chain } ?? [])
        // How much slower the head's recordings are in the median of the nodes.
        let factors = tree.means(finding.factors)
        if function != nil {
            outcome = .named
        } else if finding.isMoved {
            outcome = .moved
        } else if waits, unit == StackUnit.milliseconds.rawValue, metricGrowth > 0,
            headTotal - baseTotal < Self.busyShare * metricGrowth, totalHigh * baseTotal < metricGrowth
        {
            outcome = .waited
        } else if totalLow > 0.01, factors.head / factors.base - 1 >= (headTotal / baseTotal - 1) / 2 {
            // The nodes share most of the growth.
            outcome = .everything
        }
    }
}

extension Double {
    /// The number with four digits, and below a thousand with three decimals: what a report keeps.
    fileprivate var kept: Double {
        guard self != 0, isFinite else { return 0 }
        let scale = pow(10, abs(self) < 0.1 ? 3 - log10(abs(self)).rounded(.down) : 3)
        return (self * scale).rounded() / scale
    }
}
