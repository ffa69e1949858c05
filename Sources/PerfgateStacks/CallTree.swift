import LibC

package struct StackFunction: Sendable, Hashable {
    /// Its normalised name; for code without symbols that of its binary.
    package let name: String
    /// Its binary's name, such as `Shop`; `nil` if the recordings don't say.
    package let binary: String?
    /// Where it is defined, and the line there, from 1; `nil` if unknown.
    package let file: String?, line: Int?
    /// Whether it belongs to the app: only such functions are named.
    package let isApp: Bool
    /// Whether it has a name of its own, and not only an address.
    package let hasSymbol: Bool

    package init(
        name: String, binary: String? = nil, file: String? = nil, line: Int? = nil, isApp: Bool = true,
        hasSymbol: Bool = true
    ) {
        (self.name, self.binary, self.file, self.line) = (name, binary, file, line)
        (self.isApp, self.hasSymbol) = (isApp, hasSymbol)
    }

    /// Whether an answer may consist of its name.
    var isNameable: Bool { isApp && hasSymbol }
}

/// The calls of one page in one kind of window, recorded several times on both sides: a tree with one node for each
/// path of calls, and its time per visit in each recording.
package struct CallTree: Sendable {
    /// The functions by index. Of two functions in the same stacks, the deeper one has the larger index.
    package let functions: [StackFunction]
    /// For each node its caller, −1 for the outermost, and its function. Callers come first, and a node's whole
    /// subtree follows it directly.
    package let parents, nodes: [Int]
    package let baseCount, headCount: Int
    /// The time that each node itself takes per visit, node by node in the order of the recordings, the base's first; 0
    /// or more, in ms or millions of cycles.
    package private(set) var own: [Double]

    /// - Precondition: The orders and counts are as described at the properties.
    package init(
        functions: [StackFunction], parents: [Int], nodes: [Int], baseCount: Int, headCount: Int, own: [Double]
    ) {
        (self.functions, self.parents, self.nodes) = (functions, parents, nodes)
        (self.baseCount, self.headCount, self.own) = (baseCount, headCount, own)
    }

    var recordingCount: Int { baseCount + headCount }

    /// The time of each node with everything that it calls, as `own`.
    package var inclusive: [Double] {
        var sums = own
        for node in nodes.indices.reversed() where parents[node] >= 0 {
            for recording in 0..<recordingCount {
                sums[parents[node] * recordingCount + recording] += sums[node * recordingCount + recording]
            }
        }
        return sums
    }

    /// The time of all nodes per visit, by recording.
    package var totals: [Double] {
        own.indices.reduce(into: Array(repeating: 0, count: recordingCount)) { $0[$1 % recordingCount] += own[$1] }
    }

    /// The nodes whose function no caller of theirs has: the time of a function that calls itself counts once.
    var outermost: [Bool] {
        var depths = Array(repeating: 0, count: functions.count)
        var isOutermost = Array(repeating: false, count: nodes.count)
        walk { node, isEntered in
            if isEntered { isOutermost[node] = depths[nodes[node]] == 0 }
            depths[nodes[node]] += isEntered ? 1 : -1
        }
        return isOutermost
    }

    /// Enters and leaves every node, callers first.
    func walk(_ body: (_ node: Int, _ isEntered: Bool) -> Void) {
        var path: [Int] = []
        for node in nodes.indices {
            while let last = path.last, last != parents[node] {
                body(last, false)
                path.removeLast()
            }
            body(node, true)
            path.append(node)
        }
        while let last = path.popLast() { body(last, false) }
    }

    /// The same calls with the times of each recording divided by its factor.
    func divided(by factors: [Double]) -> CallTree {
        var tree = self
        for place in own.indices { tree.own[place] /= factors[place % recordingCount] }
        return tree
    }

    /// The means of values by recording, such as the times of a node.
    func means(_ row: some Collection<Double>) -> (base: Double, head: Double) {
        (row.prefix(baseCount).mean, row.dropFirst(baseCount).mean)
    }

    func growth(_ row: some Collection<Double>) -> Double { means(row).head - means(row).base }

    /// How much slower or faster each recording ran as a whole: factors with a geometric mean of 1. A factor is the weighted
    /// median, over the nodes of the pruned tree, of the ratio of the node's own time to its mean. A median over functions
    /// would take the change of one large leaf, such as `memcpy`, for the recording's.
    package var runFactors: [Double] {
        let total = totals.mean
        let pruned = pruned(below: 0.005 * total)
        let weights = pruned.map { min(means($0).base, means($0).head) }
        let heaviest = weights.sorted(by: >).prefix(5)
        // Five nodes count, or all if there are fewer.
        let bound = heaviest.count < 5 ? heaviest.last ?? 0 : min(heaviest[4], 0.3 * 0.005 * total)
        let kept = pruned.indices.filter { weights[$0] >= bound }
        let floor = 0.002 * total
        let logs = (0..<recordingCount).map { recording in
            let ratios = kept.map { node in
                let ratio = (pruned[node][recording] + floor) / (pruned[node].mean + floor)
                return (value: log(ratio), weight: weights[node])
            }
            return Self.weightedMedian(ratios)
        }
        return logs.map { exp($0 - logs.mean) }
    }

    /// Own times by recording of the nodes that take at least `bound` with all they call; others are their callers'.
    private func pruned(below bound: Double) -> [[Double]] {
        let inclusive = inclusive
        var owner = Array(nodes.indices)
        var sums: [Int: [Double]] = [:]
        for node in nodes.indices {
            let row = rows(inclusive, node)
            if parents[node] >= 0, row.mean < bound { owner[node] = owner[parents[node]] }
            let times = rows(own, node)
            guard times.contains(where: { $0 > 0 }) else { continue }
            sums[owner[node]] = sums[owner[node]].map { zip($0, times).map { $0 + $1 } } ?? Array(times)
        }
        return sums.sorted { $0.key < $1.key }.map(\.value)
    }

    func rows(_ times: [Double], _ node: Int) -> ArraySlice<Double> {
        times[(node * recordingCount)..<((node + 1) * recordingCount)]
    }

    private static func weightedMedian(_ values: [(value: Double, weight: Double)]) -> Double {
        let sorted = values.sorted { ($0.value, $0.weight) < ($1.value, $1.weight) }
        let half = sorted.reduce(0) { $0 + $1.weight } / 2
        var sum = 0.0
        for (value, weight) in sorted {
            sum += weight
            if sum >= half { return value }
        }
        return 0
    }
}

/// Names of functions as compilers write them, reduced to what the source says: a rebuild changes numbers of closures and
/// suffixes of clones.
package enum FunctionName {
    /// The longest name in bytes; the rest of a longer name is cut off.
    static let longest = 4_096

    /// The normalised name, with generic arguments, which are part of what runs; `nil` for code that a compiler made and
    /// that counts as its caller: thunks, outlined copies, and symbols that the linker merged.
    package static func normalised(_ raw: String) -> String? {
        var name = raw.utf8.count > longest ? String(decoding: raw.utf8.prefix(longest), as: UTF8.self) : raw
        while let shorter = withoutPrefix(name) { name = shorter }
        if folded.contains(where: name.hasPrefix) || name == "<deduplicated_symbol>" { return nil }
        while let shorter = withoutSuffix(name) { name = shorter }
        // Swift's demangler writes a private `decode` as `(decode in _8A7B33AA)`.
        return withoutNumbers(name.replacing(/\(([^()]*) in _[0-9A-F]+\)/) { $0.output.1 })
    }

    /// Whether a name is only an address, or says that there is none.
    package static func isAddress(_ name: String) -> Bool {
        name.isEmpty || name == "[unknown]" || name == "unknown" || name == "???"
            || name.hasPrefix("0x") && name.dropFirst(2).allSatisfy(\.isHexDigit)
    }

    private static let prefixes = [
        "@objc ", "@nonobjc ", "specialized ", "merged ", "partial apply for ", "partial apply forwarder for ",
    ]
    private static let folded = ["thunk for ", "reabstraction thunk helper ", "outlined "]

    private static func withoutPrefix(_ name: String) -> String? {
        if let prefix = prefixes.first(where: name.hasPrefix) { return String(name.dropFirst(prefix.count)) }
        for start in ["closure #", "implicit closure #"] where name.hasPrefix(start) {
            // Swift's demangler adds the closure's type: `closure #1 (Swift.Int) -> Swift.Int in Search.decode`.
            return after(" in ", outsideBracketsOf: name.dropFirst(start.count).drop(while: \.isNumber))
        }
        if let kind = name.firstIndex(of: "<"), name[..<kind].hasSuffix("specialization ") {
            return after(" of ", outsideBracketsOf: name[kind...])
        }
        guard name.hasPrefix("(") else { return nil }
        return afterNumber(name.dropFirst(), ") await resume partial function for ")
            ?? afterNumber(name.dropFirst(), ") suspend resume partial function for ")
    }

    /// What follows the first separator outside of brackets; `nil` if nothing does.
    private static func after(_ separator: String, outsideBracketsOf text: Substring) -> String? {
        var (depth, last) = (0, Character(" "))
        for index in text.indices {
            let character = text[index]
            if "(<[".contains(character) { depth += 1 }
            if ")]".contains(character) || character == ">" && last != "-" { depth -= 1 }
            last = character
            guard depth == 0, character == " ", text[index...].hasPrefix(separator) else { continue }
            let name = text[index...].dropFirst(separator.count)
            return name.isEmpty ? nil : String(name)
        }
        return nil
    }

    /// What follows a number and a separator; `nil` if they aren't there, or nothing follows.
    private static func afterNumber(_ text: Substring, _ separator: String) -> String? {
        let rest = text.drop(while: \.isNumber)
        guard rest.startIndex > text.startIndex, rest.hasPrefix(separator) else { return nil }
        let name = rest.dropFirst(separator.count)
        return name.isEmpty ? nil : String(name)
    }

    private static let suffixes: Set = ["cold", "llvm", "constprop", "isra", "part", "lto_priv"]

    /// Without a last `.cold.1`, `.isra.0`, `+0x1c` of an address in the function, or the hash of Rust's compiler.
    private static func withoutSuffix(_ name: String) -> String? {
        if let plus = name.lastIndex(of: "+"), name[plus...].hasPrefix("+0x"), plus > name.startIndex {
            return name[plus...].dropFirst(3).allSatisfy(\.isHexDigit) ? String(name[..<plus]) : nil
        }
        let hash = name.suffix(19)
        if hash.count == 19, hash.hasPrefix("::h"), hash.dropFirst(3).allSatisfy(\.isHexDigit) {
            return String(name.dropLast(19))
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.reversed().prefix { !$0.isEmpty && $0.allSatisfy(\.isNumber) }.count
        let place = parts.count - numbers - 1
        guard place > 0, suffixes.contains(String(parts[place])) else { return nil }
        return parts[..<place].joined(separator: ".")
    }

    /// Without the numbers of lambdas: `$_3`, `{lambda()#2}`, `'lambda1'`, `$lambda-4` and `lambda$bind$0`.
    private static func withoutNumbers(_ name: String) -> String {
        guard name.contains("lambda") || name.contains("$_") else { return name }
        var (kept, rest) = ("", name[...])
        while let start = rest.firstIndex(where: { $0 == "$" || $0 == "l" || $0 == "#" }) {
            kept += rest[..<start]
            rest = rest[start...]
            let marks = ["$_", "lambda-", "lambda$", "lambda#", "lambda"].filter(rest.hasPrefix)
            let mark = marks.first ?? (rest.first == "#" ? "#" : "")
            if !mark.isEmpty {
                let digits = rest.dropFirst(mark.count).prefix(while: \.isNumber)
                kept += digits.isEmpty || mark == "lambda" || mark == "$_" ? mark : String(mark.dropLast())
                rest = rest.dropFirst(mark.count + digits.count)
            } else if rest.first == "$", rest.count > 1, rest.dropFirst().allSatisfy(\.isNumber) {
                rest = ""
            } else {
                kept.append(rest.removeFirst())
            }
        }
        return kept + rest
    }
}
