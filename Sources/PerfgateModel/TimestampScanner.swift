/// Reads the date, the time and the offset of RFC 3339, whatever stands in the text.
struct TimestampScanner {
    private let bytes: [UInt8]
    private var position = 0

    /// A scanner at the start of a text.
    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The moment that the whole text says; `nil` where it says none.
    mutating func scan() -> (seconds: Int, fraction: Double)? {
        guard let day = date(), take("Tt ") != nil, let time = time(), let fraction = fraction(),
            let offset = offset(), position == bytes.count
        else { return nil }
        return (day * 86400 + time - offset, fraction)
    }

    private mutating func date() -> Int? {
        guard let year = number(4), take("-") != nil, let month = number(2), take("-") != nil, let day = number(2)
        else { return nil }
        guard (1...12).contains(month), day >= 1 else { return nil }
        let first = Timestamp.day(ofYear: year, month: month, day: 1)
        let next = Timestamp.day(ofYear: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1)
        return day <= next - first ? first + day - 1 : nil
    }

    private mutating func time() -> Int? {
        guard let hour = number(2), take(":") != nil, let minute = number(2), take(":") != nil,
            let second = number(2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private mutating func fraction() -> Double? {
        guard take(".") != nil else { return 0 }
        let start = position
        while position < bytes.count, isDigit(bytes[position]) { position += 1 }
        guard position > start else { return nil }
        // Digits beyond the fifteenth can't be told apart by a double, but could round a fraction up to 1.
        return Double("0." + String(decoding: bytes[start..<min(position, start + 15)], as: UTF8.self))
    }

    private mutating func offset() -> Int? {
        switch take("Zz+-") {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"): return 0
        case .some(let sign):
            guard let hours = number(2), take(":") != nil, let minutes = number(2), hours < 24, minutes < 60
            else { return nil }
            return (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
        case nil: return nil
        }
    }

    private mutating func number(_ width: Int) -> Int? {
        guard position + width <= bytes.count else { return nil }
        let digits = bytes[position..<position + width]
        guard digits.allSatisfy(isDigit) else { return nil }
        position += width
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private mutating func take(_ choices: StaticString) -> UInt8? {
        guard position < bytes.count else { return nil }
        let byte = bytes[position]
        guard choices.withUTF8Buffer({ $0.contains(byte) }) else { return nil }
        position += 1
        return byte
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
