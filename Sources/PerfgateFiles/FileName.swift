/// The file name for a page or the folder name for an environment: a pure function of the true name. It consists of
/// ASCII letters, digits, `-` and `_`, which every file system preserves. A name that equals its slug is used alone;
/// every other gets a hash of its UTF-8 bytes, so names also differ on disks that ignore case.
package struct FileName: Sendable, Hashable {
    /// The name without extension, 1 to 80 bytes.
    package let text: String

    /// The longest name, in bytes, and the number of digits of its hash.
    package static let (limit, hashLength) = (80, 12)

    package init(for name: String) {
        let slug = Self.slug(of: name)
        guard Self.needsHash(name, slug: slug) else {
            text = name
            return
        }
        let readable = slug.isEmpty ? "unnamed" : slug.prefix(Self.limit - Self.hashLength - 1)
        var hash = UInt64(fnv1a: name.utf8)
        // MurmurHash3's finaliser.
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        text = "\(readable)-\((hash ^ (hash >> 33)).upperDigits)"
    }

    private static func needsHash(_ name: String, slug: String) -> Bool {
        slug.isEmpty || slug.utf8.count > limit || !slug.utf8.elementsEqual(name.utf8)
            || slug.utf8.contains { $0 &- UInt8(ascii: "A") < 26 } || reserved.contains(slug) || endsLikeAHash(slug)
    }

    /// The name with every run of other bytes replaced by one hyphen, without hyphens at its ends.
    private static func slug(of name: String) -> String {
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            if isSafe(byte) {
                bytes.append(byte)
            } else if bytes.last != UInt8(ascii: "-") {
                bytes.append(UInt8(ascii: "-"))
            }
        }
        while bytes.last == UInt8(ascii: "-") { bytes.removeLast() }
        return String(decoding: bytes.drop { $0 == UInt8(ascii: "-") }, as: UTF8.self)
    }

    private static func isSafe(_ byte: UInt8) -> Bool {
        let isLetter = (byte | 0x20) &- UInt8(ascii: "a") < 26
        let isDigit = byte &- UInt8(ascii: "0") < 10
        return isLetter || isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    /// Whether a slug could equal another text's name with its hash; then it also gets a hash.
    private static func endsLikeAHash(_ slug: String) -> Bool {
        let end = slug.utf8.suffix(hashLength + 1)
        return end.count == hashLength + 1 && end.first == UInt8(ascii: "-")
            && end.dropFirst().allSatisfy { $0 &- UInt8(ascii: "0") < 10 || $0 &- UInt8(ascii: "a") < 6 }
    }

    /// The device names that Windows reserves in every folder.
    private static let reserved: Set<String> = Set(
        ["con", "prn", "aux", "nul"] + (0...9).flatMap { ["com\($0)", "lpt\($0)"] })
}

extension FileName: CustomStringConvertible { package var description: String { text } }

extension UInt64 {
    /// 64-bit FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo).
    package init(fnv1a bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// The upper 48 bits as 12 hexadecimal digits.
    package var upperDigits: String {
        let digits = String(self >> 16, radix: 16)
        return String(repeating: "0", count: 12 - digits.utf8.count) + digits
    }
}
