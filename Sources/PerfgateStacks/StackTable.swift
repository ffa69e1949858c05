import PerfgateIngest
import PerfgateModel

/// The functions and stacks of several recordings, each stored once. A stack is the number of a node in a tree of calls.
package final class StackTable {
    /// The most functions and nodes, which bound memory to some hundred MiB.
    static let mostFunctions = 1_000_000, mostNodes = 4_000_000
    /// The most frames of one stack; the outermost ones of a deeper stack are kept.
    static let deepest = 2_000

    struct Binary: Hashable {
        let name: String
        /// Its path on the device; empty if unknown.
        let path: String

        /// Whether it is an operating system's kernel: its time counts as that of the app's last function.
        var isKernel: Bool {
            name.hasPrefix("[kernel") || name == "kernel" || path.hasPrefix("/System/Library/Kernels/")
        }

        var isOfSystem: Bool {
            let place = path.isEmpty ? name : path
            return place.hasPrefix("[") && !place.contains("jit") || Self.systems.contains(where: place.hasPrefix)
        }

        private static let systems = [
            "/System/", "/usr/", "/lib/", "/lib64/", "/bin/", "/sbin/", "/system/", "/apex/", "/vendor/", "/product/",
        ]

        /// Whether it lies in an app's bundle.
        var isInBundle: Bool { path.contains(".app/") && !isOfSystem }
    }

    struct Frame: Hashable {
        var name: String
        var binary: Binary?
        var file: String?, line: Int?
        /// Where code without a name lies.
        var address: CodeAddress?

        fileprivate func function(isApp: Bool) -> StackFunction {
            StackFunction(
                name: name.isEmpty ? "\(binary?.name ?? "code") (no symbol)" : name, binary: binary?.name, file: file,
                line: line, isApp: isApp, hasSymbol: !name.isEmpty)
        }

        fileprivate func precedes(_ other: Frame) -> Bool {
            guard name == other.name else { return name.precedesInUTF8(other.name) }
            return (binary?.name ?? "").precedesInUTF8(other.binary?.name ?? "")
        }
    }

    private struct Identity: Hashable {
        let name: String
        let binary: String?
    }

    private(set) var frames: [Frame] = []
    private var functions: [Identity: Int32] = [:]
    private var tree = StackTree()
    /// For each node its caller, −1 for an outermost one; and its function.
    var parents: [Int32] { tree.parents }
    var nodes: [Int32] { tree.nodes }
    /// The names of the app's binaries, from the caller and from headers; empty: found by path.
    var apps: Set<String>
    private let symbols: [CodeAddress: CodeSymbol]
    package private(set) var unnamed: Set<CodeAddress> = []

    package init(apps: Set<String> = [], symbols: [CodeAddress: CodeSymbol] = [:]) {
        (self.apps, self.symbols) = (apps, symbols)
    }

    /// The number of a frame's function; `nil` if the frame counts as its caller.
    func function(_ frame: Frame) throws(IngestError) -> Int32? {
        if frame.binary?.isKernel ?? false { return nil }
        var frame = frame
        if FunctionName.isAddress(frame.name), let address = frame.address {
            if let symbol = symbols[address] {
                (frame.name, frame.file, frame.line) = (symbol.name, symbol.file, symbol.line)
            } else if unnamed.count < Self.mostFunctions {
                unnamed.insert(address)
            }
        }
        // Addresses differ between builds, and within a function.
        guard let name = FunctionName.isAddress(frame.name) ? "" : FunctionName.normalised(frame.name)
        else { return nil }
        (frame.name, frame.address) = (name, nil)
        let identity = Identity(name: frame.name, binary: frame.binary?.name)
        if let known = functions[identity] {
            if frames[Int(known)].file == nil {
                (frames[Int(known)].file, frames[Int(known)].line) = (frame.file, frame.line)
            }
            return known
        }
        guard frames.count < Self.mostFunctions else { throw .refused(reason: Self.tooMany) }
        functions[identity] = Int32(frames.count)
        frames.append(frame)
        return Int32(frames.count - 1)
    }

    /// The node of a stack of functions, outermost first; −1 for an empty one. Direct recursion counts once.
    func stack(_ path: some Collection<Int32>) throws(IngestError) -> Int32 {
        guard let node = tree.node(of: path.prefix(Self.deepest), most: Self.mostNodes) else {
            throw .refused(reason: Self.tooMany)
        }
        return node
    }

    private static let tooMany =
        "The recordings hold too many different stacks. Record for a shorter time, or give fewer recordings at a time."
}

/// Stacks as a tree, found by a hash table of callers and functions: a dictionary takes longer, where most time goes.
private struct StackTree {
    private(set) var parents: [Int32] = []
    private(set) var nodes: [Int32] = []
    /// The last stack, outermost first: the next one often begins like it.
    private var last: [(function: Int32, node: Int32)] = []
    /// The caller and the function, and the node; −1 for a free place. At most half of the places are taken.
    private var places = Array(repeating: (key: UInt64(0), node: Int32(-1)), count: 1 << 12)
    /// Odd and random, so that no file can make its nodes meet.
    private let multiplier = UInt64.random(in: .min ... .max) | 1

    /// The node of a stack, outermost function first; −1 for an empty one, `nil` if there are too many nodes.
    mutating func node(of path: some Sequence<Int32>, most: Int) -> Int32? {
        var (node, function, depth) = (Int32(-1), Int32(-1), 0)
        for next in path where next != function {
            function = next
            if depth == last.count || last[depth].function != function {
                last.removeLast(last.count - depth)
                guard let child = child(of: node, function, most) else { return nil }
                last.append((function, child))
            }
            node = last[depth].node
            depth += 1
        }
        return node
    }

    /// The node of a function below another node or −1.
    private mutating func child(of parent: Int32, _ function: Int32, _ most: Int) -> Int32? {
        let key = UInt64(UInt32(bitPattern: parent)) << 32 | UInt64(UInt32(bitPattern: function))
        let place = place(of: key)
        if places[place].node >= 0 { return places[place].node }
        guard nodes.count < most else { return nil }
        let node = Int32(nodes.count)
        parents.append(parent)
        nodes.append(function)
        places[place] = (key, node)
        if 2 * nodes.count > places.count { grow() }
        return node
    }

    private func place(of key: UInt64) -> Int {
        var place = Int(truncatingIfNeeded: (key &* multiplier) >> 32) & (places.count - 1)
        while places[place].node >= 0, places[place].key != key { place = (place + 1) & (places.count - 1) }
        return place
    }

    private mutating func grow() {
        let old = places
        places = Array(repeating: (0, -1), count: 2 * old.count)
        for entry in old where entry.node >= 0 { places[place(of: entry.key)] = entry }
    }
}

extension CallTree {
    /// The tree of cuts of the table's recordings, in an order that depends on the names alone.
    init(_ table: StackTable, base: [ProfileCut], head: [ProfileCut]) {
        let cuts = base + head
        var used = Array(repeating: false, count: table.nodes.count)
        for var node in cuts.flatMap(\.weights.keys) {
            while node >= 0, !used[Int(node)] {
                used[Int(node)] = true
                node = table.parents[Int(node)]
            }
        }
        let isApp = table.appTest(among: used)
        var children: [Int32: [Int32]] = [:]
        for node in table.nodes.indices where used[node] {
            children[table.parents[node], default: []].append(Int32(node))
        }
        let key = { (node: Int32) in table.frames[Int(table.nodes[Int(node)])] }
        var (pending, parents, nodes, own) = ([(node: Int32, parent: Int)](), [Int](), [Int](), [Double]())
        var (numbers, functions) = ([Int32: Int](), [StackFunction]())
        func push(_ parent: Int32, _ place: Int) {
            let sorted = (children[parent] ?? []).sorted { key($0).precedes(key($1)) }
            pending += sorted.reversed().map { ($0, place) }
        }
        push(-1, -1)
        while let (node, parent) = pending.popLast() {
            let function = table.nodes[Int(node)]
            if numbers[function] == nil {
                numbers[function] = functions.count
                functions.append(key(node).function(isApp: isApp(key(node))))
            }
            parents.append(parent)
            nodes.append(numbers[function] ?? 0)
            own += cuts.map { ($0.weights[node] ?? 0) / Double($0.visits) }
            push(node, nodes.count - 1)
        }
        self.init(
            functions: functions, parents: parents, nodes: nodes, baseCount: base.count, headCount: head.count, own: own
        )
    }
}

extension StackTable {
    /// Tells which frames belong to the app: those of the named binaries; without names those in an app's bundle; without
    /// a bundle all that don't come with the system; and without any binary all frames.
    func appTest(among used: [Bool]) -> (Frame) -> Bool {
        guard frames.contains(where: { $0.binary != nil }) else { return { _ in true } }
        if !apps.isEmpty { return { [apps] in $0.binary.map { apps.contains($0.name) } ?? false } }
        let hasBundle = nodes.indices.contains { used[$0] && frames[Int(nodes[$0])].binary?.isInBundle ?? false }
        return { frame in
            guard let binary = frame.binary else { return !hasBundle }
            return hasBundle ? binary.isInBundle : !binary.isOfSystem
        }
    }
}

/// Values in the order in which they were seen, each once.
struct Places<Value: Hashable> {
    /// The most values: a hostile file ends there.
    private static var limit: Int { 1_000_000 }

    private(set) var values: [Value] = []
    private var places: [Value: Int] = [:]

    mutating func place(of value: Value) throws(IngestError) -> Int {
        if let known = places[value] { return known }
        guard values.count < Self.limit else {
            throw .refused(reason: "It names more than \(Self.limit) values. Record for a shorter time.")
        }
        places[value] = values.count
        values.append(value)
        return values.count - 1
    }
}
