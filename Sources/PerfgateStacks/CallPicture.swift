import PerfgateCompare
import PerfgateStats

/// The calls of a tree that a picture shows: those with 1 % of the visit, the longest if there are many.
struct CallPicture {
    static let smallestShare = 0.01

    let calls: [WhyAnswer.Call]

    /// - Parameter path: The named function and its callers, the nearest first; empty: none.
    init(_ tree: CallTree, path: [String]) {
        let inclusive = tree.inclusive
        let times = tree.nodes.indices.map { node in
            let row = tree.rows(inclusive, node)
            return (base: row.prefix(tree.baseCount).mean, head: row.dropFirst(tree.baseCount).mean)
        }
        let visit = times.indices.filter { tree.parents[$0] < 0 }.map { max(times[$0].base, times[$0].head) }.reduce(
            0, +)
        let shown = times.indices.filter { max(times[$0].base, times[$0].head) >= Self.smallestShare * visit }
        // A caller takes at least as long as what it calls, so the longest calls have their callers among them.
        let longest = shown.sorted {
            let (first, second) = (max(times[$0].base, times[$0].head), max(times[$1].base, times[$1].head))
            return (second, $0) < (first, $1)
        }
        let kept = longest.prefix(WhyAnswer.mostCalls).sorted()
        var places: [Int: Int] = [:]
        var calls: [WhyAnswer.Call] = []
        for node in kept {
            guard tree.parents[node] < 0 || places[tree.parents[node]] != nil else { continue }
            places[node] = calls.count
            var call = WhyAnswer.Call()
            call.name = tree.functions[tree.nodes[node]].name
            call.parent = tree.parents[node] < 0 ? -1 : places[tree.parents[node]] ?? -1
            (call.base, call.head) = times[node]
            call.isOnPath = Self.isOnPath(node, of: tree, path)
            calls.append(call)
        }
        self.calls = calls
    }

    /// Whether a node and its callers have the path's names, from some function of the path on.
    private static func isOnPath(_ node: Int, of tree: CallTree, _ path: [String]) -> Bool {
        let name = { (node: Int) in tree.functions[tree.nodes[node]].name }
        guard let start = path.firstIndex(of: name(node)) else { return false }
        var node = node
        for caller in path[(start + 1)...] {
            guard tree.parents[node] >= 0, name(tree.parents[node]) == caller else { return false }
            node = tree.parents[node]
        }
        return true
    }
}
