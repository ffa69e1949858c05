import PerfgateModel

/// The order in which people count: `launch-2` before `launch-10`.
enum NaturalOrder {
    /// Whether one text stands before the other: digits by their number, everything else by its bytes.
    static func precedes(_ lhs: String, _ rhs: String) -> Bool {
        var (left, right) = (lhs.utf8[...], rhs.utf8[...])
        while let l = left.first, let r = right.first {
            if isDigit(l), isDigit(r) {
                let (first, second) = (takeNumber(&left), takeNumber(&right))
                if first.count != second.count { return first.count < second.count }
                if !first.elementsEqual(second) { return first.lexicographicallyPrecedes(second) }
            } else {
                if l != r { return l < r }
                left.removeFirst()
                right.removeFirst()
            }
        }
        return left.isEmpty ? !right.isEmpty || lhs.precedesInUTF8(rhs) : false
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Takes the digits at the start, without leading zeros.
    private static func takeNumber(_ text: inout Substring.UTF8View) -> Substring.UTF8View {
        let digits = text.prefix(while: isDigit)
        text = text[digits.endIndex...]
        return digits.drop { $0 == UInt8(ascii: "0") }
    }
}
