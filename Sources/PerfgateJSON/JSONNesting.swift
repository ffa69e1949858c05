/// Which kind of container stands open at each level, a bit a level, without allocating.
@usableFromInline
struct JSONNesting {
    /// A bit a level, set for an object.
    private var objects = SIMD8<UInt64>()
    /// The number of containers that stand open.
    @usableFromInline private(set) var depth = 0
    /// Whether the innermost one is an object.
    @usableFromInline private(set) var isObject = false

    /// Nothing is open yet.
    init() {}

    /// The number of levels that a value can remember, `JSONReader.depthLimit`.
    static var limit: Int { 512 }

    /// Opens a container, at a depth below `limit`.
    mutating func open(isObject: Bool) {
        self.isObject = isObject
        let bit: UInt64 = 1 << UInt64(depth & 63)
        if isObject { objects[depth >> 6] |= bit } else { objects[depth >> 6] &= ~bit }
        depth += 1
    }

    /// Closes the innermost container.
    mutating func close() {
        depth -= 1
        guard depth > 0 else { return }
        isObject = objects[(depth - 1) >> 6] >> UInt64((depth - 1) & 63) & 1 == 1
    }
}
