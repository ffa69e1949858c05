/// The value of one cell of a table of xctrace.
struct XctraceValue: Sendable, Hashable {
    /// The value as the tool counts it, such as a duration in nanoseconds.
    let text: String
    /// The value as a person reads it, such as `216.67 ms` or `TestApp (12345)`; `nil` where the cell has none.
    let label: String?

    /// The value as a time in nanoseconds, below 2^53; `nil` where it is none.
    var nanoseconds: Double? {
        guard let time = UInt64(text), time < 1 << 53 else { return nil }
        return Double(time)
    }

    /// The value as yes or no; `nil` where it is neither.
    var flag: Bool? {
        switch text {
        case "0": false
        case "1": true
        default: nil
        }
    }
}
