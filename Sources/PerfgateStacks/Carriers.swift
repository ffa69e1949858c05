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

    /// The function to name; `nil` if none can be.
    ///
    /// Of the growth D of the function f₀ that grew most: an app's function whose own time below f₀ carries 70 % of D,
    /// where own time includes the system's functions that it calls; else the shortest one with 90, 80 or 70 % of D.
    var carrier: Int? {
        guard let (first, growth) = grown.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return nil }
        let nameable = grown.keys.filter { tree.functions[$0].isNameable }.sorted()
        let own = ownGrowth(below: first)
        let owner = nameable.max { (own[$0], $1) < (own[$1], $0) }
        if let owner, own[owner] >= 0.7 * growth { return owner }
        let shared = sharedGrowth(with: first)
        let lengths = FunctionSums(tree).byFunction.map { row in
            row.prefix(tree.baseCount).mean + row.dropFirst(tree.baseCount).mean
        }
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
        guard let most = growths(byCallerOf: function).first, most.caller >= 0, let growth = grown[function] else {
            return nil
        }
        let times = tree.inclusive
        let base = { (nodes: [Int]) in nodes.reduce(0) { $0 + tree.rows(times, $1).prefix(tree.baseCount).mean } }
        let calls = calls(of: function)
        let share = base(calls.filter { caller(of: $0) == most.caller }) / max(base(calls), 1e-9)
        return most.growth >= 0.7 * growth && share < 0.5 && tree.functions[most.caller].isApp ? most.caller : nil
    }
}
