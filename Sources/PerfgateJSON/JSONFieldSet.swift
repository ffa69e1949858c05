/// Which of up to 64 known fields an object has had: one bit a field, to notice a key given twice.
public struct JSONFieldSet: Sendable, Hashable {
    /// A bit a field, by its index.
    @usableFromInline var bits: UInt64 = 0

    /// No field yet.
    @inlinable
    public init() {}

    /// Notes a field by its index, 0 to 63, and says whether it is the first time.
    @inlinable @inline(__always)
    public mutating func insert(_ index: Int) -> Bool {
        let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: index)
        defer { bits |= bit }
        return bits & bit == 0
    }

    /// Whether a field was noted.
    @inlinable @inline(__always)
    public func contains(_ index: Int) -> Bool { bits &>> UInt64(truncatingIfNeeded: index) & 1 == 1 }
}
