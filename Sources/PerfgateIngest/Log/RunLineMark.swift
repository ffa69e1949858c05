/// Whether a line that can't be read is a `run` line: then nobody knows whose samples follow it.
enum RunLineMark: Hashable {
    /// It is one: it holds the key `type` with the value `run`.
    case runLine
    /// It is cut before its type, and may be one.
    case perhaps
    /// It is another line.
    case other

    /// Looks at a line that is whole and breaks a rule.
    init(_ bytes: UnsafeRawBufferPointer) {
        self = Self.types(in: bytes).contains { $0.starts(with: "\"run\"".utf8) } ? .runLine : .other
    }

    /// Looks at a line that isn't JSON, as one that is cut.
    init(cut bytes: UnsafeRawBufferPointer) {
        self.init(bytes)
        guard self == .other else { return }
        let types = Self.types(in: bytes)
        let isCut =
            types.isEmpty ? Self.namesRun(bytes) : types.allSatisfy { $0.count > 1 && "\"run\"".utf8.starts(with: $0) }
        if isCut { self = .perhaps }
    }

    /// What is wrong with a stream that such a line opens; `nil` where it opens none.
    func fault(atLine number: Int) -> String? {
        switch self {
        case .runLine: "Its run line, line \(number), is unreadable."
        case .perhaps: "Line \(number) is unreadable and cut before its type: it may be a run line."
        case .other: nil
        }
    }

    /// What follows each key `type` and its colon, up to the end of the line.
    private static func types(in bytes: UnsafeRawBufferPointer) -> [Slice<UnsafeRawBufferPointer>] {
        var found: [Slice<UnsafeRawBufferPointer>] = []
        var rest = bytes[...]
        while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
            rest = rest[quote...]
            if let value = value(behind: rest) { found.append(value) }
            rest = rest.dropFirst()
        }
        return found
    }

    /// Whether the key `run_id` is in a line, which only `run` and `end` lines have.
    private static func namesRun(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let key = "\"run_id\"".utf8
        return bytes.indices.contains { bytes[$0...].starts(with: key) }
    }

    /// What follows the key and its colon; `nil` where the bytes don't begin with them.
    private static func value(
        behind bytes: Slice<UnsafeRawBufferPointer>
    ) -> Slice<UnsafeRawBufferPointer>? {
        guard bytes.starts(with: "\"type\"".utf8) else { return nil }
        let rest = bytes.dropFirst(6).drop(while: isBlank)
        guard rest.first == UInt8(ascii: ":") else { return nil }
        return rest.dropFirst().drop(while: isBlank)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
