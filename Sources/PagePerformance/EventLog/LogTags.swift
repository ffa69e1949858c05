/// An app's own dimensions of its measurements, such as `["market": "de", "search_ranking": "treatment"]`: for field data.
///
/// Of more than 8 names the first 8 in alphabetical order are kept. A name has letters, digits, `_`, `-` and `.`, at most 32;
/// other characters become `_`. A value has at most 64 bytes of UTF-8. Names and values without a visible character are left
/// out.
public struct LogTags: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The most tags, and the most bytes of a name and of a value.
    public static let limits = (tags: 8, name: 32, value: 64)

    /// The values by name, in the order of the names.
    public let values: [(name: String, value: String)]

    /// Takes names and values, within the limits.
    public init(_ tags: [String: String] = [:]) {
        var kept: [String: String] = [:]
        for (name, value) in tags.sorted(by: { $0.key < $1.key }) {
            let name = Self.name(name)
            let value = Self.prefix(of: value, bytes: Self.limits.value)
            guard !name.isEmpty, value.contains(where: { !$0.isWhitespace }), kept[name] == nil else { continue }
            kept[name] = value
        }
        values = kept.sorted { $0.key < $1.key }.prefix(Self.limits.tags).map { (name: $0.key, value: $0.value) }
    }

    /// Takes names and values, within the limits; of several values of one name the last.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(Dictionary(elements) { $1 })
    }

    private static func name(_ text: String) -> String {
        let safe = text.utf8.prefix(limits.name).map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                byte
            default: UInt8(ascii: "_")
            }
        }
        return String(decoding: safe, as: UTF8.self)
    }

    private static func prefix(of text: String, bytes: Int) -> String {
        var kept = String.UnicodeScalarView()
        var rest = bytes
        for scalar in text.unicodeScalars {
            rest -= UTF8.width(scalar)
            if rest < 0 { break }
            kept.append(scalar)
        }
        return String(kept)
    }

    /// Whether names and values are the same.
    public static func == (first: LogTags, second: LogTags) -> Bool {
        first.values.elementsEqual(second.values) { $0 == $1 }
    }

    /// Hashes names and values.
    public func hash(into hasher: inout Hasher) {
        for (name, value) in values {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}
