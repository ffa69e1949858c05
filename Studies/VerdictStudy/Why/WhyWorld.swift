import LibC
import PerfgateStacks
import SeededRandom

/// A simulated page: a tree of calls, and recordings of it with the noise of real ones.
///
/// The noise arises where it does in phones: a recording as a whole is slower or faster (4 %, and 3 % of recordings by
/// 25 %), each function varies by recording with heavy tails (2 % in the median), some functions run a varying number
/// of times, and samples are counted.
package struct WhyWorld: Sendable {
    /// What changed in the head.
    package enum Change: String, Sendable, CaseIterable {
        case leaf, middle = "function with calls", helper, more = "called more often"
        case everything, renamed, inlined, renamedAndSlower = "renamed and slower"
    }

    private enum Kind { case app, system, helper }

    /// The scale of all noise; 1 is that of a phone.
    package var noise = 1.0
    package var visits = 8
    /// The time of one sample, in ms.
    package var sample = 1.0

    private var parents: [Int] = []
    private var nodes: [Int] = []
    private var kinds: [Kind] = []
    /// The time of each node itself per visit, in ms.
    private var weights: [Double] = []
    private var deviations: [Double] = []
    /// The mean number of calls in a visit of a function that runs a varying number of times; 0: it doesn't vary.
    private var calls: [Double] = []

    package init(seed: UInt64, noise: Double = 1, visits: Int = 8) {
        (self.noise, self.visits) = (noise, visits)
        var random = SeededGenerator(seed: seed)
        grow(&random)
        weights = nodes.indices.map { _ in exp(1.4 * random.normal()) }
        (weights[0], weights[1], weights[2]) = (0, 0, 0.2 * weights[2])
        let scale = 250 / weights.reduce(0, +)
        weights = weights.map { $0 * scale }
        deviations = kinds.map { _ in 0.02 * noise * exp(0.7 * random.normal()) }
        let times = inclusive(weights)
        calls = kinds.indices.map { function in
            let mean = random.uniform() < 0.05 ? random.uniform(0.5...5) : 0
            return times[function] > 0.15 * 250 ? 0 : mean
        }
    }

    /// Grows a tree of 600 nodes: functions of the app and of the system, and helpers that many call.
    private mutating func grow(_ random: inout SeededGenerator) {
        var children: [[(function: Int, node: Int)]] = []
        var depths: [Int] = []
        func path(_ node: Int) -> [Int] { node < 0 ? [] : path(parents[node]) + [nodes[node]] }
        func add(_ parent: Int, _ function: Int) -> Int {
            parents.append(parent)
            nodes.append(function)
            depths.append(parent < 0 ? 1 : depths[parent] + 1)
            children.append([])
            if parent >= 0 { children[parent].append((function, nodes.count - 1)) }
            return nodes.count - 1
        }
        kinds = [.app, .app, .app]
        let visit = [0, 1, 2].reduce(-1) { add($0, $1) }
        let helpers = (0..<20).map { _ in
            kinds.append(.helper)
            return kinds.count - 1
        }
        let below = helpers.map { _ in
            (0..<Int(3 * random.uniform())).map { _ in
                kinds.append(.system)
                return kinds.count - 1
            }
        }
        var grown: [Int] = []
        while nodes.count < 602 {
            let span = nodes.count - 2
            let back = random.uniform() < 0.6 ? min(120, span) : span
            var parent = nodes.count - 1 - Int(Double(back) * random.uniform())
            if depths[parent] > 14 || kinds[nodes[parent]] != .app {
                if random.uniform() < 0.8 { continue }
                parent = visit
            }
            let draw = random.uniform()
            if draw < 0.3 {
                let place = Int(20 * random.uniform() * random.uniform())
                guard !children[parent].contains(where: { $0.function == helpers[place] }) else { continue }
                let node = add(parent, helpers[place])
                for function in below[place] { _ = add(node, function) }
                continue
            }
            var function = grown.isEmpty ? 0 : grown[Int(Double(grown.count) * random.uniform())]
            if draw < 0.75 || grown.count < 20 {
                kinds.append(random.uniform() < 0.75 ? .app : .system)
                function = kinds.count - 1
                grown.append(function)
            }
            guard !path(parent).contains(function), !children[parent].contains(where: { $0.function == function })
            else { continue }
            _ = add(parent, function)
        }
        sortDepthFirst()
    }

    /// Puts all that a node calls right behind it.
    private mutating func sortDepthFirst() {
        var children: [Int: [Int]] = [:]
        for node in nodes.indices { children[parents[node], default: []].append(node) }
        var (order, pending) = ([Int](), Array((children[-1] ?? []).reversed()))
        while let node = pending.popLast() {
            order.append(node)
            pending += (children[node] ?? []).reversed()
        }
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        parents = order.map { places[parents[$0]] ?? -1 }
        nodes = order.map { nodes[$0] }
    }

    private func path(_ node: Int) -> [Int] { node < 0 ? [] : path(parents[node]) + [nodes[node]] }

    /// The time of each function with all that it calls.
    private func inclusive(_ weights: [Double]) -> [Double] {
        nodes.indices.reduce(into: Array(repeating: 0, count: kinds.count)) { sums, node in
            for function in Set(path(node)) { sums[function] += weights[node] }
        }
    }

    private func own(_ function: Int) -> Double {
        nodes.indices.reduce(0) { nodes[$1] == function ? $0 + weights[$1] : $0 }
    }
}

extension WhyWorld {
    /// A drawn head: its times, its functions, and those whose name is right.
    package struct Head: Sendable {
        fileprivate let weights: [Double]
        fileprivate let nodes: [Int?]
        /// The changed function, or the caller and the called one; empty: no name is right.
        package let right: Set<String>
    }

    /// The head without a change.
    package var unchanged: Head { Head(weights: weights, nodes: nodes, right: []) }

    /// A head with a change of `share` of a visit; `nil` if no function suits it.
    package func head(_ change: Change, _ share: Double, _ random: inout SeededGenerator) -> Head? {
        let (added, times, total) = (share * weights.reduce(0, +), inclusive(weights), weights.reduce(0, +))
        func slower(_ function: Int, nodes: [Int?]? = nil) -> Head {
            let scale = 1 + added / own(function)
            let changed = self.nodes.indices.map { weights[$0] * (self.nodes[$0] == function ? scale : 1) }
            return Head(weights: changed, nodes: nodes ?? self.nodes, right: [nodes == nil ? name(function) : "new"])
        }
        func callers(_ function: Int) -> Set<Int> {
            Set(nodes.indices.filter { nodes[$0] == function && parents[$0] >= 0 }.map { nodes[parents[$0]] })
        }
        let apps = kinds.indices.filter { kinds[$0] == .app && $0 > 2 }
        switch change {
        case .leaf:
            let leaves = apps.filter {
                (0.005 * total)...(0.1 * total) ~= times[$0] && own($0) > 0.8 * times[$0] && callers($0).count == 1
            }
            return random.pick(leaves).map { slower($0) }
        case .middle:
            let middles = apps.filter {
                (0.03 * total)...(0.3 * total) ~= times[$0] && own($0) < 0.5 * times[$0] && own($0) > 0
            }
            return random.pick(middles).map { slower($0) }
        case .helper:
            return random.pick(kinds.indices.filter { kinds[$0] == .helper && callers($0).count >= 5 }).map {
                slower($0)
            }
        case .more: return calledMore(added, &random)
        case .everything: return Head(weights: weights.map { $0 * (1 + share) }, nodes: nodes, right: [])
        case .renamed, .inlined, .renamedAndSlower:
            let fit = apps.filter { (0.05 * total)...(0.2 * total) ~= times[$0] && own($0) > 0.03 * total }
            guard let function = random.pick(fit) else { return nil }
            let renamed = nodes.map { $0 != function ? $0 : change == .inlined ? nil : kinds.count }
            return change == .renamedAndSlower
                ? slower(function, nodes: renamed) : Head(weights: weights, nodes: renamed, right: [])
        }
    }

    /// A function calls another one more often.
    private func calledMore(_ added: Double, _ random: inout SeededGenerator) -> Head? {
        var edges: [[Int]: [Int]] = [:]
        for node in nodes.indices {
            let path = path(node)
            for place in path.indices.dropFirst(3) where kinds[path[place - 1]] == .app {
                edges[[path[place - 1], path[place]], default: []].append(node)
            }
        }
        let times = edges.mapValues { $0.reduce(0) { $0 + weights[$1] } }
        let fit = edges.keys.filter { (added / 4)...(added * 1.2) ~= times[$0] ?? 0 }.sorted {
            $0.lexicographicallyPrecedes($1)
        }
        guard let edge = random.pick(fit), let called = edges[edge], let time = times[edge] else { return nil }
        var changed = weights
        for node in called { changed[node] *= 1 + added / time }
        return Head(weights: changed, nodes: nodes, right: Set(edge.map(name)))
    }

    private func name(_ function: Int) -> String { function < kinds.count ? "f\(function)" : "new" }

    /// The calls of `count` recordings of base and head each.
    package func calls(_ head: Head, count: Int, _ random: inout SeededGenerator) -> CallTree {
        let base = (0..<count).map { _ in recording(weights, &random) }
        let later = (0..<count).map { _ in recording(head.weights, &random) }
        let names = (0...kinds.count).map { number in
            StackFunction(name: name(number), isApp: number == kinds.count || kinds[number] != .system)
        }
        // Both sides in one tree: where a function changed its name, the nodes of both names stand beside each other.
        let builder = TreeBuilder()
        for node in nodes.indices {
            builder.add(path(node), base.map { $0[node] } + Array(repeating: 0, count: count))
            let changed = headPath(node, head)
            builder.add(changed, Array(repeating: 0, count: count) + later.map { $0[node] })
        }
        return builder.tree(names, count: count)
    }

    private func headPath(_ node: Int, _ head: Head) -> [Int] {
        node < 0 ? [] : headPath(parents[node], head) + [head.nodes[node]].compactMap(\.self)
    }

    private func recording(_ weights: [Double], _ random: inout SeededGenerator) -> [Double] {
        let effects = deviations.map { deviation in
            let chi = -2 * log(max(random.uniform(), 1e-300)) - 2 * log(max(random.uniform(), 1e-300))
            return deviation * random.normal() / (chi / 4).squareRoot() / 2.0.squareRoot()
        }
        let rates = calls.map { mean in
            mean > 0 ? Double(random.poisson(mean * Double(visits))) / (mean * Double(visits)) : 1
        }
        let speed = exp(0.04 * noise * random.normal()) * (random.uniform() < 0.03 ? 1.25 : 1)
        // Callers come first, so a node's factors are its caller's and its own.
        var factors = Array(repeating: 1.0, count: nodes.count)
        return nodes.indices.map { node in
            let own = exp(effects[nodes[node]]) * rates[nodes[node]]
            factors[node] = own * (parents[node] < 0 ? speed : factors[parents[node]])
            let count = random.poisson(weights[node] * factors[node] * Double(visits) / sample)
            return Double(count) * sample / Double(visits)
        }
    }

    /// The time of one sample per visit.
    package var unit: Double { sample / Double(visits) }
}

/// Collects paths of calls with their times, and makes one tree.
private struct TreeBuilder {
    private final class Node {
        var children: [Int: Node] = [:]
        var times: [Double] = []
    }

    private let root = Node()

    func add(_ path: [Int], _ times: [Double]) {
        let node = path.reduce(root) { node, function in
            let child = node.children[function] ?? Node()
            node.children[function] = child
            return child
        }
        node.times = node.times.isEmpty ? times : zip(node.times, times).map { $0 + $1 }
    }

    func tree(_ names: [StackFunction], count: Int) -> CallTree {
        var (functions, numbers) = ([StackFunction](), [Int: Int]())
        var (parents, nodes, own) = ([Int](), [Int](), [Double]())
        func add(_ node: Node, _ parent: Int) {
            for (function, child) in node.children.sorted(by: { $0.key < $1.key }) {
                if numbers[function] == nil {
                    numbers[function] = functions.count
                    functions.append(names[function])
                }
                parents.append(parent)
                nodes.append(numbers[function] ?? 0)
                own += child.times.isEmpty ? Array(repeating: 0, count: 2 * count) : child.times
                add(child, nodes.count - 1)
            }
        }
        add(root, -1)
        return CallTree(
            functions: functions, parents: parents, nodes: nodes, baseCount: count, headCount: count, own: own)
    }
}

extension SeededGenerator {
    /// One of some values; `nil` without any.
    fileprivate mutating func pick<Value>(_ values: [Value]) -> Value? {
        values.isEmpty ? nil : values[Int(Double(values.count) * uniform())]
    }
}
