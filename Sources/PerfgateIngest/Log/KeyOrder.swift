import PerfgateJSON

/// The order in which keys came in the last line of each type: what is expected of the next one.
struct KeyOrder {
    private struct Step {
        let key: JSONExpectedKey?
        let field: LineField
    }

    /// How many keys of a line are remembered.
    private static let length = 32

    private var steps: [Step] = []
    private var start = 0
    private var position = 0

    init() {
        steps = Array(repeating: Step(key: nil, field: .unknown), count: Self.length * LineType.count)
    }

    /// Begins a line, whose type isn't known yet.
    mutating func begin() {
        start = 0
        position = 0
    }

    /// Says which type the line has, once its key was met.
    mutating func turn(to type: LineType) {
        start = Int(type.rawValue) * Self.length
    }

    /// The next key's field; `nil` where the object ends.
    @inline(__always)
    mutating func next(_ reader: inout JSONReader) throws(JSONError) -> LineField? {
        let index = start &+ position
        if position < Self.length {
            let step = steps[index]
            position &+= 1
            if let key = step.key, reader.takeKey(key) { return step.field }
        }
        guard let key = try reader.nextKey() else { return nil }
        let field = LineField(key)
        learn(key, field, at: index)
        return field
    }

    @inline(never)
    private mutating func learn(_ key: JSONKey, _ field: LineField, at index: Int) {
        guard index < start + Self.length else { return }
        steps[index] = Step(key: JSONExpectedKey(key), field: field)
    }
}
