/// The order in which keys came in the lines so far, by the shape of the line: what is expected of the next one.
///
/// The lines of one writer have their keys in one order, some of them now and then left out. A key that comes as
/// expected costs one or two comparisons of words; one that was left out is stepped over.
///
///     order.begin()
///     while true {
///         if let field = order.take(&reader) { … } else if let key = try reader.nextKey() { order.learn(key, …) } …
///     }
@usableFromInline
package struct JSONKeyOrder<Field> {
    /// A key that was met, and what it means.
    @usableFromInline
    struct Step {
        /// The key; `nil` for one that can't be expected, because it is long or escaped.
        @usableFromInline let key: JSONExpectedKey?
        /// What it means.
        @usableFromInline let field: Field

        /// Makes a step of its parts.
        @inlinable
        init(key: JSONExpectedKey?, field: Field) {
            self.key = key
            self.field = field
        }
    }

    /// How many keys of a shape are remembered.
    @inlinable static var limit: Int { 48 }

    /// `limit` places for the keys of each shape, in their order.
    @usableFromInline var steps: [Step]
    /// How many keys of each shape are remembered.
    @usableFromInline var counts: [Int]
    /// The shape of the line that is read.
    @usableFromInline var shape = 0
    /// Where its next key is, and where its keys end.
    @usableFromInline var position = 0, end = 0

    /// Knows nothing yet of so many shapes of lines, 1 or more.
    ///
    /// - Parameter filler: Any meaning, which is never given.
    @inlinable
    package init(shapes: Int = 1, filler: Field) {
        steps = Array(repeating: Step(key: nil, field: filler), count: shapes * Self.limit)
        counts = Array(repeating: 0, count: shapes)
    }

    /// Begins a line of a shape, the first where it isn't known yet.
    @inlinable @inline(__always)
    package mutating func begin(shape: Int = 0) {
        self.shape = shape
        position = shape &* Self.limit
        end = position &+ counts[shape]
    }

    /// Steps over the next key where it is one of those expected, and gives what it means; else nothing happens.
    @inlinable @inline(__always)
    package mutating func take(_ reader: inout JSONReader) -> Field? {
        if position < end {
            let step = steps[position]
            if let key = step.key, reader.takeKey(key) {
                position &+= 1
                return step.field
            }
        }
        return reader.isBeforeItem ? takeLater(&reader) : nil
    }

    /// Remembers the key that was met at this place, and what it means.
    @inlinable @inline(never)
    package mutating func learn(_ key: JSONKey, _ field: Field) {
        let step = Step(key: JSONExpectedKey(key), field: field)
        if counts[shape] < Self.limit {
            counts[shape] += 1
            for index in stride(from: end, to: position, by: -1) { steps[index] = steps[index - 1] }
            end += 1
        } else if position == end {
            return
        }
        steps[position] = step
        position += 1
    }

    /// Looks for the key among those that are expected later, then among all.
    @inlinable @inline(never)
    mutating func takeLater(_ reader: inout JSONReader) -> Field? {
        let start = shape &* Self.limit
        var index = position
        for _ in start..<end {
            index = index &+ 1 < end ? index &+ 1 : start
            guard let key = steps[index].key, reader.takeKey(key) else { continue }
            position = index &+ 1
            return steps[index].field
        }
        return nil
    }
}

extension JSONReader {
    /// Whether a comma, or the quote of the first key, stands at the very place that was read up to.
    @inlinable @inline(__always)
    var isBeforeItem: Bool { bytes.byteOrZero(at: position) == (needsComma ? JSONByte.comma : JSONByte.quote) }
}
