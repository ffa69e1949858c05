/// A key compared by its bytes, as JSON does; Swift's strings take "é" and "e" with an accent for the same.
struct JSONKeyBytes: Hashable, Comparable {
    /// The key.
    let key: String

    /// Wraps a key.
    init(_ key: String) { self.key = key }

    static func == (left: JSONKeyBytes, right: JSONKeyBytes) -> Bool { left.key.utf8.elementsEqual(right.key.utf8) }

    static func < (left: JSONKeyBytes, right: JSONKeyBytes) -> Bool {
        left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in key.utf8 { hasher.combine(byte) }
    }
}
