import PerfgateJSON

/// How much the beginning of an input looks like a perfgate log.
enum LogSignature {
    /// The first line has a type that only a perfgate log has.
    case certain
    /// It could be a log that is damaged or newer.
    case possible
    /// It is something else.
    case none

    /// How many lines are looked at.
    private static let lineLimit = 64

    private static let types: Set<String> = [
        "run", "state", "frames", "frame", "frame_drop", "scroll", "pps", "screen", "metric", "end",
    ]

    init(_ head: ForeignHead) {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let lines = head.lines.lazy.map { $0.drop(while: isBlank) }.filter { !$0.isEmpty }
        guard let first = lines.first, first.first == UInt8(ascii: "{") else {
            self = .none
            return
        }
        if let type = Self.type(of: first), Self.types.contains(type) {
            self = .certain
        } else if head.outline?.isCut == true,
            lines.prefix(Self.lineLimit).contains(where: { Self.type(of: $0).map(Self.types.contains) ?? false })
        {
            self = .possible
        } else {
            let isDamaged = head.outline?.isCut == true && !Self.isObject(first) && !Self.opensDocument(first)
            self = isDamaged ? .possible : .none
        }
    }

    /// The type of a line, also where the line is cut behind it.
    private static func type(of line: ArraySlice<UInt8>) -> String? {
        line.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            return try? type(in: &reader)
        }
    }

    private static func type(in reader: inout JSONReader) throws(JSONError) -> String? {
        try reader.enterObject()
        while let key = try reader.nextKey() {
            if key == "type" { return try reader.readString() }
            try reader.skipValue()
        }
        return nil
    }

    /// Whether a line is whole: then it says by its type what it is.
    private static func isObject(_ line: ArraySlice<UInt8>) -> Bool {
        line.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            do throws(JSONError) {
                try reader.skipValue()
                try reader.finish()
                return true
            } catch {
                return false
            }
        }
    }

    /// Whether a line is the beginning of a document that is written over several lines.
    private static func opensDocument(_ line: ArraySlice<UInt8>) -> Bool {
        let last = line.last { $0 != 0x20 && $0 != 0x09 }
        return last == UInt8(ascii: "{") || last == UInt8(ascii: "[") || last == UInt8(ascii: ",")
    }
}
