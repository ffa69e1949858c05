/// The key order of the lines so far, by line shape, used to predict the next line.
///
/// The lines of one writer have their keys in one order, sometimes with omissions. An expected key costs one or two
/// word comparisons; an omitted one is skipped.
///
///     order.begin()
///     while true {
///         if let field = order.take(&reader) { … } else if let key = try reader.nextKey() { order.learn(key, …) } …
///     }
@usableFromInline
package struct JSONKeyOrder<Field> {
    @usableFromInline
    struct Step {
        /// The key; `nil` for a key that can't be predicted, because it is long or escaped.
        @usableFromInline let key: JSONExpectedKey?
        @usableFromInline let field: Field

        @inlinable
        init(key: JSONExpectedKey?, field: Field) { (self.key, self.field) = (key, field) }
    }

    /// The most keys remembered per shape.
    @inlinable static var limit: Int { 48 }

    /// `limit` slots for the keys of each shape, in order.
    @usableFromInline var steps: [Step]
    /// The number of remembered keys per shape.
    @usableFromInline var counts: [Int]
    @usableFromInline var shape = 0
    /// The index of its next key, and the end of its keys.
    @usableFromInline var position = 0, end = 0

    /// Starts empty, for 1 or more shapes of lines; `filler` is any meaning, and never returned.
    @inlinable
    package init(shapes: Int = 1, filler: Field) {
        steps = Array(repeating: Step(key: nil, field: filler), count: shapes * Self.limit)
        counts = Array(repeating: 0, count: shapes)
    }

    /// Starts a line with a shape; the first shape if unknown.
    @inlinable @inline(__always)
    package mutating func begin(shape: Int = 0) {
        self.shape = shape
        position = shape &* Self.limit
        end = position &+ counts[shape]
    }

    /// Steps over the next key if it is expected, and returns its meaning; otherwise does nothing.
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

    /// Remembers the key found at this place and its meaning.
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

    /// Searches the key among the later expected ones, then among all.
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
    /// Whether there is a comma, or the quote of the first key, exactly at the current position.
    @inlinable @inline(__always)
    var isBeforeItem: Bool { bytes.byteOrZero(at: position) == (needsComma ? JSONByte.comma : JSONByte.quote) }
}
