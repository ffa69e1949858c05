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
        package var named: NamedFunction?
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
        let visit = sums.visit
        let hypotheses = sums.hypotheses(atLeast: Self.smallestShare * visit)
        guard !hypotheses.isEmpty else { return Finding(examined: 0, grown: [], factors: factors) }
        let test = ModeratedGrowth(
            hypotheses.map { sums.byFunction[$0] }, baseCount: tree.baseCount, unit: unit,
            smallest: Self.smallestShare * visit)
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
        if carriers.isMoved(function) {
            finding.isMoved = true
            return finding
        }
        let quantity = test.quantities[place]
        finding.named = NamedFunction(
            function: tree.functions[function], growth: quantity.growth, margin: test.margin(of: quantity),
            base: quantity.base, head: quantity.head, p: min(1, quantity.p * Double(hypotheses.count)),
            chain: carriers.chain(from: function).map { tree.functions[$0] },
            newCaller: carriers.newCaller(of: function).map { tree.functions[$0] })
        return finding
    }
}

package struct NamedFunction: Sendable {
    package let function: StackFunction
    /// How much longer it takes per visit, with everything that it calls; above 0, in ms or millions of cycles.
    package let growth: Double
    /// Half the width of the 95 % interval around the growth; above 0.
    package let margin: Double
    /// Its means per visit on both sides, without the factors of the recordings; 0 or more.
    package let base, head: Double
    /// The p-value, multiplied by the number of examined functions; 0…1.
    package let p: Double
    /// Up to three callers that carry at least half of the growth, the nearest first.
    package let chain: [StackFunction]
    /// The caller that carries most of the growth, if it had less than half of the function's time in the base: it calls
    /// the function more often, or with more to do.
    package let newCaller: StackFunction?
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
        let bases = byFunction.map { $0.prefix(tree.baseCount).mean }
        let heads = byFunction.map { $0.dropFirst(tree.baseCount).mean }
        return ((bases.max() ?? 0) + (heads.max() ?? 0)) / 2
    }

    /// The functions with a time of at least `bound`, in order; of functions in the same stacks the deepest.
    func hypotheses(atLeast bound: Double) -> [Int] {
        var deepest: [SIMD2<UInt64>: Int] = [:]
        for function in byFunction.indices {
            let row = byFunction[function]
            let mean = (row.prefix(tree.baseCount).mean + row.dropFirst(tree.baseCount).mean) / 2
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
