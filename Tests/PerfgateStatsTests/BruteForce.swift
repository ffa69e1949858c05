/// Chances computed by enumerating every division of the pooled samples: slow, and too simple to be wrong.
enum BruteForce {
    /// Twice U, computed from every pair.
    static func doubledU(_ baseline: [Double], _ candidate: [Double]) -> Int {
        candidate.reduce(0) { sum, c in
            sum + baseline.reduce(0) { $0 + (c > $1 ? 2 : c == $1 ? 1 : 0) }
        }
    }

    /// The number of divisions for each value of 2U.
    static func divisions(_ baseline: [Double], _ candidate: [Double]) -> [Int: Double] {
        let pooled = baseline + candidate
        var found: [Int: Double] = [:]
        for mask in 0..<(1 << pooled.count) where mask.nonzeroBitCount == candidate.count {
            var sides: (b: [Double], c: [Double]) = ([], [])
            for (index, value) in pooled.enumerated() {
                if mask >> index & 1 == 1 { sides.c.append(value) } else { sides.b.append(value) }
            }
            found[doubledU(sides.b, sides.c), default: 0] += 1
        }
        return found
    }

    /// P(U ≥ u) and P(U ≤ u).
    static func chances(_ baseline: [Double], _ candidate: [Double]) -> (greater: Double, less: Double) {
        let divisions = divisions(baseline, candidate)
        let observed = doubledU(baseline, candidate)
        let all = divisions.values.reduce(0, +)
        let greater = divisions.filter { $0.key >= observed }.values.reduce(0, +)
        let less = divisions.filter { $0.key <= observed }.values.reduce(0, +)
        return (greater / all, less / all)
    }
}
