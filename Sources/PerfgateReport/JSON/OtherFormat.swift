import PerfgateJSON

/// What people give in place of a report.
enum OtherFormat {
    /// What bytes that could not be read look like, in words that follow `this is`; `nil` where they may well be a report
    /// that was damaged.
    static func look(of bytes: [UInt8]) -> String? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        switch text.first(where: { !" \t\r\n".utf8.contains($0) }) {
        case nil: return "an empty file"
        case 0x1F where bytes.starts(with: [0x1F, 0x8B]): return "a compressed file"
        case UInt8(ascii: "<"): return "HTML or XML"
        case UInt8(ascii: "["): return nil
        case UInt8(ascii: "{"): return isLog(text) ? "a perfgate log" : nil
        default: return "no JSON"
        }
    }

    /// Whether the first line is a record of its own.
    private static func isLog(_ text: ArraySlice<UInt8>) -> Bool {
        guard let line = text.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first,
            let record = try? JSONDocument(Array(line)).root
        else { return false }
        return (try? record.find("type")) != nil && (try? record.find("verdict")) == nil
    }
}
