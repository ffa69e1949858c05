import LibC
import PerfgateModel
import PerfgateStacks
import SeededRandom

/// How often `perfgate why` names a function, and the right one, in Markdown.
package struct WhyReport: Sendable {
    private let seed: UInt64
    private let pairs: Int

    package init(seed: UInt64, pairs: Int) { (self.seed, self.pairs) = (seed, pairs) }

    package enum Table: String, Sendable, CaseIterable {
        case clean, changes, names
    }

    package func write(_ table: Table, _ line: (String) -> Void) {
        switch table {
        case .clean: writeClean(line)
        case .changes: writeChanges(line)
        case .names: writeNames(line)
        }
    }

    /// The answer to one drawn pair.
    package struct Answer: Sendable {
        package var name: String?
        /// Whether the name, or a caller in the shown chain, is a changed function.
        package var isInChain = false
        package var isExact = false
        /// The largest difference of a plain comparison names a function always: this is it.
        package var isPlainExact = false
        /// Whether a plain comparison accuses a function of 5 % of a visit or more.
        package var isPlainLoud = false
        /// Whether the 95 % interval holds the true growth.
        package var holdsGrowth = false
    }

    /// Draws pairs of one kind; those for which no function suits are left out.
    package func answers(
        _ change: WhyWorld.Change?, _ share: (Int) -> Double = { _ in 0 }, count: Int, noise: Double = 1,
        visits: Int = 8,
        stream: UInt64
    ) -> [Answer] {
        let shares = (0..<pairs).map(share)
        return Array(0..<pairs).concurrentMap { pair -> Answer? in
            let number = stream << 32 + UInt64(pair)
            let world = WhyWorld(seed: seed &+ number, noise: noise, visits: visits)
            var random = SeededGenerator(seed: seed, stream: number)
            let drawn = change.map { world.head($0, shares[pair], &random) } ?? world.unchanged
            guard let head = drawn else { return nil }
            return answer(world.calls(head, count: count, &random), head, world.unit, growth: 250 * shares[pair])
        }.compactMap(\.self)
    }

    private func answer(_ tree: CallTree, _ head: WhyWorld.Head, _ unit: Double, growth: Double) -> Answer {
        let named = FunctionRule().finding(of: tree, unit: unit).named
        var answer = Answer(name: named?.name)
        if let named {
            answer.isExact = head.right.contains(named.name)
            answer.isInChain = answer.isExact || named.chain.contains(where: head.right.contains)
            answer.holdsGrowth = (named.low...named.high).contains(growth)
        }
        let plain = PlainDifference(tree)
        answer.isPlainExact = head.right.contains(plain.name)
        answer.isPlainLoud = plain.share >= 0.05
        return answer
    }

    private func writeClean(_ line: (String) -> Void) {
        line("| without a change | recordings a side | pairs | rule names | plain difference of 5 % of a visit |")
        line("|---|---|---|---|---|")
        let worlds: [(title: String, change: WhyWorld.Change?, noise: Double, visits: Int)] = [
            ("8 visits", nil, 1, 8), ("8 visits, twice the noise", nil, 2, 8), ("3 visits", nil, 1, 3),
            ("everything 15 % slower", .everything, 1, 8),
        ]
        for (index, world) in worlds.enumerated() {
            for count in [3, 4, 6] {
                let all = answers(
                    world.change, { _ in 0.15 }, count: count, noise: world.noise, visits: world.visits,
                    stream: UInt64(10 * index + count))
                line(
                    "| \(world.title) | \(count) | \(all.count) | \(Self.share(all) { $0.name != nil }) | "
                        + "\(Self.share(all) { $0.isPlainLoud }) |")
            }
        }
    }

    private static let sizes = [0.05, 0.1, 0.2, 0.3]

    private func writeChanges(_ line: (String) -> Void) {
        line(
            "| changed | recordings a side | pairs | named | changed function in the chain, of named | exactly, of named | "
                + "plain difference, exactly | interval holds the growth |")
        line("|---|---|---|---|---|---|---|---|")
        for count in [3, 4, 6] {
            let kinds: [WhyWorld.Change] = [.leaf, .middle, .helper, .more]
            let all = kinds.enumerated().map { index, kind in
                answers(kind, { Self.sizes[$0 % 4] }, count: count, stream: UInt64(100 + 10 * index + count))
            }
            for (kind, answers) in zip(kinds, all) { line(row("5–30 %: \(kind.rawValue)", count, answers)) }
            line(row("5–30 %: all", count, Array(all.joined())))
        }
        for size in Self.sizes {
            let all = [WhyWorld.Change.leaf, .middle, .helper].enumerated().flatMap { index, kind in
                answers(kind, { _ in size }, count: 4, stream: UInt64(200 + 10 * index) + UInt64(100 * size))
            }
            line(row("+\(Int((100 * size).rounded())) %: leaf, function, helper", 4, all))
        }
    }

    private func row(_ title: String, _ count: Int, _ answers: [Answer]) -> String {
        let named = answers.filter { $0.name != nil }
        return "| \(title) | \(count) | \(answers.count) | \(Self.share(answers) { $0.name != nil }) | "
            + "\(Self.share(named) { $0.isInChain }) | \(Self.share(named) { $0.isExact }) | "
            + "\(Self.share(answers) { $0.isPlainExact }) | \(Self.share(named) { $0.holdsGrowth }) |"
    }

    private func writeNames(_ line: (String) -> Void) {
        line("| changed | recordings a side | pairs | named | right, of named |")
        line("|---|---|---|---|---|")
        for (index, kind) in [WhyWorld.Change.renamed, .inlined, .renamedAndSlower].enumerated() {
            let all = answers(kind, { _ in 0.15 }, count: 4, stream: UInt64(400 + index))
            let named = all.filter { $0.name != nil }
            line(
                "| \(kind.rawValue) | 4 | \(all.count) | \(Self.share(all) { $0.name != nil }) | "
                    + "\(Self.share(named) { $0.isExact }) |")
        }
    }

    /// A share in percent with its Monte Carlo error; of none or all the 95 % bound.
    static func share<Element>(_ all: [Element], _ isCounted: (Element) -> Bool) -> String {
        guard !all.isEmpty else { return "–" }
        let count = Double(all.count { isCounted($0) })
        let share = count / Double(all.count)
        let error = 100 * (share * (1 - share) / Double(all.count)).squareRoot()
        let bound = 300 / Double(all.count)
        func text(_ value: Double) -> String { "\((100 * value).rounded() / 100)" }
        return share == 0
            ? "0 (≤ \(text(bound)))"
            : share == 1 ? "100 (≥ \(text(100 - bound)))" : "\(text(100 * share)) ± \(text(error))"
    }
}

/// What a plain comparison of flame graphs says: shares scaled to the base's total, and of the functions with 70 % of the
/// largest growth the shortest one.
private struct PlainDifference {
    let name: String
    /// Its growth as a share of a visit.
    let share: Double

    init(_ tree: CallTree) {
        let count = tree.baseCount + tree.headCount
        func mean(_ node: Int, _ range: Range<Int>) -> Double {
            range.reduce(0) { $0 + tree.own[node * count + $1] } / Double(range.count)
        }
        var base = tree.nodes.indices.map { mean($0, 0..<tree.baseCount) }
        var head = tree.nodes.indices.map { mean($0, tree.baseCount..<count) }
        let total = base.reduce(0, +)
        let scale = total / head.reduce(0, +)
        head = head.map { $0 * scale }
        for node in tree.nodes.indices.reversed() where tree.parents[node] >= 0 {
            base[tree.parents[node]] += base[node]
            head[tree.parents[node]] += head[node]
        }
        var (growths, times) = (
            Array(repeating: 0.0, count: tree.functions.count), Array(repeating: 0.0, count: tree.functions.count)
        )
        func isOutermost(_ node: Int) -> Bool {
            var caller = tree.parents[node]
            while caller >= 0 {
                if tree.nodes[caller] == tree.nodes[node] { return false }
                caller = tree.parents[caller]
            }
            return true
        }
        for node in tree.nodes.indices where isOutermost(node) {
            growths[tree.nodes[node]] += head[node] - base[node]
            times[tree.nodes[node]] += head[node] + base[node]
        }
        let most = growths.max() ?? 0
        let carriers = growths.indices.filter { growths[$0] >= 0.7 * most }
        let shortest = carriers.min { times[$0] < times[$1] } ?? 0
        (name, share) = (tree.functions[shortest].name, growths[shortest] / total)
    }
}
