import PerfgateModel

/// Timestamps of other tools in the perfgate log's form: ISO 8601 in UTC, to the second.
enum UTCTime {
    /// The text of seconds since 1970, such as `2026-11-20T10:00:00Z`; `nil` outside the years 1970 to 9999.
    static func text(secondsSince1970 seconds: Double) -> String? {
        guard seconds >= 0, seconds < endOfYear9999 else { return nil }
        return Timestamp(secondsSince1970: Int(seconds)).text
    }

    private static let endOfYear9999 = 253_402_300_800.0
}

extension UTCTime {
    /// The time of a text such as `2026-09-04T03:00:00.25+08:00` or `2020-10-11 03:59:00 +0000` in the log's form;
    /// a text without a zone is in UTC. `nil` if it isn't a time.
    static func text(of text: String) -> String? { seconds(of: text).flatMap { self.text(secondsSince1970: $0) } }

    /// The seconds since 1970 of a text; `nil` if it isn't a time.
    static func seconds(of text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 19, separates(bytes[10], "T "), let offset = offset(of: bytes[19...]) else { return nil }
        let (date, time) = (
            String(decoding: bytes[..<10], as: UTF8.self), String(decoding: bytes[11..<19], as: UTF8.self)
        )
        guard let local = Timestamp("\(date)T\(time)Z"), local.seconds >= 0 else { return nil }
        return Double(local.seconds) - offset
    }

    /// The offset of a zone ahead of UTC, in seconds; a fraction of a second may precede it.
    private static func offset(of bytes: ArraySlice<UInt8>) -> Double? {
        var rest = bytes
        if let first = rest.first, separates(first, ".,") { rest = rest.dropFirst().drop(while: isDigit) }
        rest = rest.drop { $0 == UInt8(ascii: " ") }
        guard let sign = rest.first, Array(rest) != Array("Z".utf8) else { return 0 }
        let digits = rest.dropFirst().filter { $0 != UInt8(ascii: ":") }
        guard separates(sign, "+-"), digits.count == 4, let hours = number(digits.prefix(2)),
            let minutes = number(digits.suffix(2)), hours <= 14, minutes < 60
        else { return nil }
        return Double(hours * 3_600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
    }

    private static func number(_ digits: some Collection<UInt8>) -> Int? {
        guard digits.allSatisfy(isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func separates(_ byte: UInt8, _ any: String) -> Bool { any.utf8.contains(byte) }
}
