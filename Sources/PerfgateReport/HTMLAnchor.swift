import PerfgateModel

/// The names by which places in the HTML report are linked: functions of what stands there, and of nothing else.
enum HTMLAnchor {
    /// The anchor of a page in an environment, such as `search-5d1c09a3b2f4`.
    static func page(_ place: PageInEnvironment) -> String {
        // No name holds the separator's byte, so that no two places spell the same.
        let parts = [place.page.name] + place.environment.fields.flatMap { [$0.name, $0.text] }
        return slug(place.page.name) + "-" + hash(parts)
    }

    /// The anchor of a metric of a page.
    static func metric(_ metric: String, of place: PageInEnvironment) -> String {
        let slug = slug(metric)
        return page(place) + "-" + (slug == metric ? slug : slug + "-" + hash([metric]))
    }

    /// Lower-case ASCII letters, digits, `_` and `-`, at most 40; `page` where nothing is left.
    private static func slug(_ name: String) -> String {
        let plain = name.unicodeScalars.prefix(40).map { scalar in
            let isPlain =
                scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789_".unicodeScalars.contains(scalar))
            return isPlain ? Character(scalar).lowercased() : "-"
        }
        let words = plain.joined().split(separator: "-")
        return words.isEmpty ? "page" : words.joined(separator: "-")
    }

    /// 48 bits of FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo) in hexadecimal digits.
    private static func hash(_ parts: [String]) -> String {
        let prime: UInt64 = 0x100_0000_01B3
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for part in parts {
            for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* prime }
            hash = (hash ^ 0xFF) &* prime
        }
        let digits = String(hash >> 16, radix: 16)
        return String(repeating: "0", count: 12 - digits.utf8.count) + digits
    }
}
