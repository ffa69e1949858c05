import PerfgateIngest

/// What perfgate keeps of an element of `xctrace export`: one number.
struct XctraceItem {
    enum Kind: UInt64 {
        /// Nothing, as a `sentinel` is.
        case none
        case other
        /// A number of 0 or more, below 2⁵³.
        case number
        /// One of the words that signposts of pages have.
        case word
        /// A signpost's message, by its place.
        case message
        case process
        /// A thread: twice its process's place and 2, or 0 without a process; and 1 for a main thread.
        case thread
        case binary, path
        /// A place in a file: that of its path times 2²⁴, and the line.
        case source
        /// A function's number in the table and 1; 0 for a frame that counts as its caller.
        case frame
        /// A node in the table and 1; 0 without frames.
        case stack
        /// The same in the table of other threads' stacks.
        case otherStack
    }

    let kind: Kind
    let number: Int

    static let none = XctraceItem(.none), other = XctraceItem(.other)

    init(_ kind: Kind, _ number: Int = 0) { (self.kind, self.number) = (kind, number) }

    init(packed: UInt64) { self.init(Kind(rawValue: packed >> 60) ?? .none, Int(packed & (1 << 60 - 1))) }

    var packed: UInt64 { kind.rawValue << 60 | UInt64(number) }

    /// Its number if it is of a kind; otherwise `nil`.
    func number(_ kind: Kind) -> Int? { self.kind == kind ? number : nil }
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
