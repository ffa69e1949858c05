/// How many values a JSON text can hold, told by its brackets and commas, before memory is spent on a tree of it.
enum JSONValueCount {
    /// How many values a file of another tool may have: their tree takes some hundred bytes each.
    static let limit = 1_000_000

    /// Whether a text has more values than that; also for one that is no JSON.
    static func exceedsLimit(_ text: [UInt8], limit: Int = limit) -> Bool {
        var count = 0
        var isInString = false
        var isEscaped = false
        for byte in text {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = isInString
            } else if byte == UInt8(ascii: "\"") {
                isInString.toggle()
            } else if !isInString, startsValue(byte) {
                count += 1
                if count > limit { return true }
            }
        }
        return false
    }

    private static func startsValue(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{")
    }
}
