/// Names that stay the same from run to run and that every reader of JUnit files takes: ASCII, bounded, unambiguous.
enum SafeName {
    /// The longest name in bytes.
    static let longest = 120

    /// The name with every byte that isn't a letter, a digit or plain punctuation as `%XX`; a longer one is cut and
    /// ends in a hash of the whole, so that different names stay different.
    static func text(_ name: String) -> String {
        var result: [UInt8] = []
        for byte in name.utf8 {
            if isSafe(byte) { result.append(byte) } else { result += Array(escape(byte).utf8) }
        }
        guard result.count > longest else { return String(decoding: result, as: UTF8.self) }
        return String(decoding: result.prefix(longest - 18), as: UTF8.self) + "~" + hash(name)
    }

    private static func isSafe(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: " ._-/,()+=@".utf8.contains(byte)
        }
    }

    private static func escape(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "%" + (digits.count < 2 ? "0" : "") + digits
    }

    /// FNV-1a of the name's bytes (Fowler, Noll, Vo), as hexadecimal digits.
    private static func hash(_ name: String) -> String {
        let value = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(value, radix: 16)
    }
}
