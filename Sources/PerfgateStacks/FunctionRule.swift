import PerfgateCompare
import PerfgateStats

/// The rule that finds which function of a page takes longer: hypotheses, their tests, and the function that carries
/// the change. <doc:NamedFunctions> states it and its error rates.
package struct FunctionRule: Sendable {
    /// The chance to name any function if none changed; above 0 and below 1.
    package var alpha = 0.01
    /// The share of a visit that a growth must exceed, and that a function must have to be examined; 0…1.
    private static let smallestShare = 0.01

    package init(alpha: Double = 0.01) { self.alpha = alpha }

    package struct Finding: Sendable {
        /// The named function, with numbers that aren't rounded; above 0 is longer.
        package var named: WhyAnswer.Function?
        /// Whether a function grew, but not what calls it: it was renamed, moved or inlined.
        package var isMoved = false
        package let examined: Int
        /// The functions that grew, most certain first, and by how much.
        package let grown: [(function: StackFunction, growth: Double)]
        package let factors: [Double]
    }

    /// Applies the rule to a tree with 2 or more recordings a side.
    /// - Parameter unit: The time of one sample divided by the visits of a recording; above 0.
    package func finding(of tree: CallTree, unit: Double) -> Finding {
        let factors = tree.runFactors
        let even = tree.divided(by: factors)
        let sums = FunctionSums(even)
        let smallest = Self.smallestShare * sums.visit
        let hypotheses = sums.hypotheses(atLeast: smallest)
        guard !hypotheses.isEmpty else { return Finding(examined: 0, grown: [], factors: factors) }
        let test = ModeratedGrowth(
            hypotheses.map { sums.byFunction[$0] }, baseCount: tree.baseCount, unit: unit, smallest: smallest)
        let raw = FunctionSums(tree)
        let grown = test.grown(alpha: alpha).filter { place in
            tree.growth(raw.byFunction[hypotheses[place]]) >= test.quantities[place].growth / 2
        }
        var finding = Finding(
            examined: hypotheses.count,
            grown: grown.map { (tree.functions[hypotheses[$0]], test.quantities[$0].growth) }, factors: factors)
        let growths = Dictionary(uniqueKeysWithValues: grown.map { (hypotheses[$0], test.quantities[$0].growth) })
        let carriers = Carriers(even, grown: growths)
        guard let function = carriers.carrier, let place = hypotheses.firstIndex(of: function) else { return finding }
        finding.isMoved = carriers.isMoved(function)
        if finding.isMoved { return finding }
        let (quantity, known) = (test.quantities[place], tree.functions[function])
        let margin = test.margin(of: quantity)
        var named = WhyAnswer.Function()
        (named.name, named.binary) = (known.name, known.binary ?? "")
        (named.file, named.line) = (known.file ?? "", known.line ?? 0)
        (named.growth, named.base) = (quantity.growth, quantity.base)
        (named.low, named.high) = (quantity.growth - margin, quantity.growth + margin)
        named.p = min(1, quantity.p * Double(hypotheses.count))
        named.chain = carriers.chain(from: function).map { tree.functions[$0].name }
        named.newCaller = carriers.newCaller(of: function).map { tree.functions[$0].name } ?? ""
        finding.named = named
        return finding
    }
}

/// The times of functions, each stack counted once.
struct FunctionSums {
    let byFunction: [[Double]]
    private let tree: CallTree
    /// A name for the set of stacks that each function is in: equal sets have equal names.
    private let stackSets: [SIMD2<UInt64>]

    init(_ tree: CallTree) {
        self.tree = tree
        let count = tree.recordingCount
        var sums = Array(repeating: Array(repeating: 0.0, count: count), count: tree.functions.count)
        var sets = tree.nodes.indices.map { node in
            tree.rows(tree.own, node).contains { $0 > 0 } ? Self.drawn(node) : .zero
        }
        for node in tree.nodes.indices.reversed() where tree.parents[node] >= 0 {
            sets[tree.parents[node]] &+= sets[node]
        }
        var stackSets = Array(repeating: SIMD2<UInt64>.zero, count: tree.functions.count)
        let (inclusive, outermost) = (tree.inclusive, tree.outermost)
        for node in tree.nodes.indices where outermost[node] {
            stackSets[tree.nodes[node]] &+= sets[node]
            for recording in 0..<count { sums[tree.nodes[node]][recording] += inclusive[node * count + recording] }
        }
        (byFunction, self.stackSets) = (sums, stackSets)
    }

    /// The time of a visit: of the function with the longest time, which is usually the outermost one.
    var visit: Double {
        let means = byFunction.map { tree.means($0) }
        return ((means.map(\.base).max() ?? 0) + (means.map(\.head).max() ?? 0)) / 2
    }

    /// The functions with a time of at least `bound`, in order; of functions in the same stacks the deepest.
    func hypotheses(atLeast bound: Double) -> [Int] {
        var deepest: [SIMD2<UInt64>: Int] = [:]
        for function in byFunction.indices {
            let means = tree.means(byFunction[function])
            let mean = (means.base + means.head) / 2
            if mean >= bound, mean > 0 { deepest[stackSets[function]] = function }
        }
        return deepest.values.sorted()
    }

    /// Two numbers that look drawn at random: SplitMix64 of the node.
    private static func drawn(_ node: Int) -> SIMD2<UInt64> {
        func mixed(_ value: UInt64) -> UInt64 {
            var z = value &* 0x9E37_79B9_7F4A_7C15
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
        return SIMD2(mixed(UInt64(2 * node + 1)), mixed(UInt64(2 * node + 2)))
    }
}

/// Which of the functions that grew carries the growth, and who calls it.
struct Carriers {
    private let tree: CallTree
    private let outermost: [Bool]
    /// The growth of each node with everything that it calls.
    private let inclusive: [Double]
    private let grown: [Int: Double]

    /// Takes the calls, without the factors of recordings, and the growths of the functions that grew; above 0.
    init(_ tree: CallTree, grown: [Int: Double]) {
        (self.tree, self.grown) = (tree, grown)
        let times = tree.inclusive
        inclusive = tree.nodes.indices.map { tree.growth(tree.rows(times, $0)) }
        outermost = tree.outermost
    }

    /// The function to name; `nil` if none can be. With the growth D of the function f₀ that grew most, an app's function
    /// whose own time below f₀, with the system's functions, carries 70 % of D; else the shortest with 90, 80 or 70 % of D.
    var carrier: Int? {
        guard let (first, growth) = grown.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return nil }
        let nameable = grown.keys.filter { tree.functions[$0].isNameable }.sorted()
        let own = ownGrowth(below: first)
        if let owner = nameable.max(by: { (own[$0], $1) < (own[$1], $0) }), own[owner] >= 0.7 * growth { return owner }
        let shared = sharedGrowth(with: first)
        let lengths = FunctionSums(tree).byFunction.map { tree.means($0).base + tree.means($0).head }
        for share in [0.9, 0.8, 0.7] {
            let carriers = nameable.filter { shared[$0] >= share * growth }
            if let shortest = carriers.min(by: { (lengths[$0], $0) < (lengths[$1], $1) }) { return shortest }
        }
        return nil
    }

    /// For each function the growth of the stacks with both it and another one.
    private func sharedGrowth(with other: Int) -> [Double] {
        var growths = Array(repeating: 0.0, count: tree.functions.count)
        var path: [Int] = []
        var isBelow = 0
        tree.walk { node, isEntered in
            let function = tree.nodes[node]
            guard isEntered else {
                path.removeLast()
                if function == other { isBelow -= 1 }
                return
            }
            if function == other, isBelow == 0 { for caller in Set(path) { growths[caller] += inclusive[node] } }
            if function == other { isBelow += 1 }
            // Below the other one: a function that already stands above it has counted all of these stacks.
            if isBelow > 0, outermost[node] { growths[function] += inclusive[node] }
            path.append(function)
        }
        return growths
    }

    /// For each function of the app the growth of its time as the app's innermost one, in the stacks with `other`.
    private func ownGrowth(below other: Int) -> [Double] {
        var growths = Array(repeating: 0.0, count: tree.functions.count)
        var innermost = Array(repeating: -1, count: tree.nodes.count)
        var isBelow = Array(repeating: false, count: tree.nodes.count)
        for (node, function) in tree.nodes.enumerated() {
            let parent = tree.parents[node]
            innermost[node] = tree.functions[function].isApp ? function : parent < 0 ? -1 : innermost[parent]
            isBelow[node] = function == other || parent >= 0 && isBelow[parent]
            guard isBelow[node], innermost[node] >= 0 else { continue }
            growths[innermost[node]] += tree.growth(tree.rows(tree.own, node))
        }
        return growths
    }

    /// The growth of a function by its direct callers (−1: none), from its outermost nodes.
    private func growths(byCallerOf function: Int) -> [(caller: Int, growth: Double)] {
        var growths: [Int: Double] = [:]
        for node in calls(of: function) { growths[caller(of: node), default: 0] += inclusive[node] }
        return growths.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    private func calls(of function: Int) -> [Int] {
        tree.nodes.indices.filter { tree.nodes[$0] == function && outermost[$0] }
    }

    private func caller(of node: Int) -> Int { tree.parents[node] < 0 ? -1 : tree.nodes[tree.parents[node]] }

    /// Whether a function's callers grew by less than half of what they carry: the time was there before, under another
    /// name or in another function.
    func isMoved(_ function: Int) -> Bool {
        let growths = growths(byCallerOf: function)
        guard let most = growths.first, most.caller >= 0, let growth = grown[function] else { return false }
        if most.growth >= growth / 2 { return self.growth(ofAnyOf: [most.caller]) < most.growth / 2 }
        let callers = growths.map(\.caller).filter { $0 >= 0 }
        return self.growth(ofAnyOf: Set(callers)) < growth / 2
    }

    /// The growth of the stacks with any of some functions.
    private func growth(ofAnyOf functions: Set<Int>) -> Double {
        var (depth, sum) = (0, 0.0)
        tree.walk { node, isEntered in
            guard functions.contains(tree.nodes[node]) else { return }
            if isEntered, depth == 0 { sum += inclusive[node] }
            depth += isEntered ? 1 : -1
        }
        return sum
    }

    /// Up to three callers, one above the other, that each carry at least half of a function's growth.
    func chain(from function: Int) -> [Int] {
        guard let growth = grown[function] else { return [] }
        var chain: [Int] = []
        var places = calls(of: function).map { (call: $0, node: $0) }
        for _ in 0..<3 {
            let byCaller = Dictionary(grouping: places.filter { tree.parents[$0.node] >= 0 }) { caller(of: $0.node) }
            let sums = byCaller.mapValues { $0.reduce(0) { $0 + inclusive[$1.call] } }
            guard let (most, sum) = sums.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), sum >= growth / 2 else {
                break
            }
            chain.append(most)
            places = (byCaller[most] ?? []).map { ($0.call, tree.parents[$0.node]) }
        }
        return chain
    }

    /// The app's caller that carries at least 70 % of a function's growth, and less than half of its time in the base.
    func newCaller(of function: Int) -> Int? {
        guard let most = growths(byCallerOf: function).first, most.caller >= 0, let growth = grown[function]
        else { return nil }
        let times = tree.inclusive
        let base = { (nodes: [Int]) in nodes.reduce(0) { $0 + tree.means(tree.rows(times, $1)).base } }
        let calls = calls(of: function)
        let share = base(calls.filter { caller(of: $0) == most.caller }) / max(base(calls), 1e-9)
        return most.growth >= 0.7 * growth && share < 0.5 && tree.functions[most.caller].isApp ? most.caller : nil
    }
}
