/// Which kind of container stands open at each level, a bit a level; it allocates only beyond 64 levels.
struct JSONNesting {
    /// The innermost 1 to 64 levels, the innermost in the lowest bit, set for an object.
    private var objects: UInt64 = 0
    /// The levels around them, 64 a word.
    private var outer: [UInt64] = []
    /// The number of containers that stand open.
    private(set) var depth = 0

    /// Whether the innermost container is an object.
    var isObject: Bool { objects & 1 == 1 }

    /// Opens a container.
    mutating func open(isObject: Bool) {
        if depth > 0, depth & 63 == 0 { outer.append(objects) }
        objects = objects << 1 | (isObject ? 1 : 0)
        depth &+= 1
    }

    /// Closes the innermost container, of which there has to be one.
    mutating func close() {
        depth &-= 1
        objects >>= 1
        if depth > 0, depth & 63 == 0 { objects = outer.removeLast() }
    }
}
