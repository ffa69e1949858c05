/// The iterations of pages that a stream or a shard measures, each known by a number.
struct IterationTable {
    /// A page in an environment.
    struct Place: Hashable {
        let page: Int32
        let environment: Int32
    }

    /// Which samples belong together.
    struct Key: Hashable {
        let page: Int32
        let environment: Int32
        let iteration: Int

        /// Its page and environment.
        var place: Place { Place(page: page, environment: environment) }
    }

    /// The iterations in the order in which they were met.
    private(set) var keys: [Key] = []
    private var index = HashedIndex()
    private var last: Int32 = 0

    /// The number of an iteration; neighbouring lines mostly ask for the same.
    @inline(__always)
    mutating func number(of key: Key) -> (number: Int32, isNew: Bool) {
        if Int(last) < keys.count, keys[Int(last)] == key { return (last, false) }
        return find(key)
    }

    private mutating func find(_ key: Key) -> (number: Int32, isNew: Bool) {
        let place = UInt64(UInt32(bitPattern: key.page)) << 32 | UInt64(UInt32(bitPattern: key.environment))
        let hash = HashedIndex.hash(place, UInt64(bitPattern: Int64(key.iteration)))
        let (number, isNew) = index.number(hash: hash) { keys[$0] == key }
        if isNew { keys.append(key) }
        last = Int32(number)
        return (last, isNew)
    }
}
