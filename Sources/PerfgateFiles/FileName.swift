/// The file name for a page or the folder name for an environment: a pure function of the true name.
///
/// It consists of ASCII letters, digits, `-` and `_`, which every file system preserves. A name that equals its slug
/// is used alone; every other gets a hash of its UTF-8 bytes, so names also differ on disks that ignore case.
package struct FileName: Sendable, Hashable {
    /// The name without extension, 1 to 80 bytes.
    package let text: String

    /// The longest name, in bytes.
    package static let limit = 80

    /// The number of hexadecimal digits of a hash.
    static let hashLength = 12

    /// The file name for a page or any other text, including the empty one.
    package init(for name: String) {
        let slug = Self.slug(of: name)
        guard Self.needsHash(name, slug: slug) else {
            text = name
            return
        }
        let readable = slug.isEmpty ? "unnamed" : slug.prefix(Self.limit - Self.hashLength - 1)
        text = "\(readable)-\(Self.hash(of: name))"
    }

    private static func needsHash(_ name: String, slug: String) -> Bool {
        slug.isEmpty || slug.utf8.count > limit || !slug.utf8.elementsEqual(name.utf8)
            || slug.utf8.contains { $0 &- UInt8(ascii: "A") < 26 }
            || reserved.contains(slug) || endsLikeAHash(slug)
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
        let isHyphen = { (byte: UInt8) in byte == UInt8(ascii: "-") }
        let end = bytes.lastIndex { !isHyphen($0) }.map { $0 + 1 } ?? 0
        return String(decoding: bytes[..<end].drop(while: isHyphen), as: UTF8.self)
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

    /// The upper 48 bits of 64-bit FNV-1a, mixed by MurmurHash3's finaliser.
    private static func hash(of name: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        hash ^= hash >> 33
        let digits = String(hash >> 16, radix: 16)
        return String(repeating: "0", count: hashLength - digits.count) + digits
    }

    /// The device names that Windows reserves in every folder.
    private static let reserved: Set<String> = Set(
        ["con", "prn", "aux", "nul"] + (0...9).flatMap { ["com\($0)", "lpt\($0)"] })
}

extension FileName: CustomStringConvertible {
    package var description: String { text }
}
