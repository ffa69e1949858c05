/// A name pattern: `*` matches any text, `?` any one character, everything else itself.
package struct NamePattern: Sendable, Hashable {
    private let pattern: [Character]

    package init(_ pattern: String) { self.pattern = Array(pattern) }

    /// Whether the whole name matches; linear in the name's length for one star, never exponential.
    package func matches(_ name: String) -> Bool {
        let name = Array(name)
        var (n, p) = (0, 0)
        var star: (pattern: Int, name: Int)?
        while n < name.count {
            if p < pattern.count, pattern[p] == "*" {
                star = (p, n)
                p += 1
            } else if p < pattern.count, pattern[p] == "?" || pattern[p] == name[n] {
                n += 1
                p += 1
            } else if let last = star {
                star = (last.pattern, last.name + 1)
                (n, p) = (last.name + 1, last.pattern + 1)
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == "*" }
    }
}

/// Suggests the known name that a wrong one probably means.
package enum Suggestion {
    /// The nearest of some names; `nil` if none is within one edit per three characters.
    package static func nearest(to name: String, among names: [String]) -> String? {
        let word = Array(name.lowercased().unicodeScalars)
        let near = names.compactMap { known -> (name: String, distance: Int)? in
            let other = Array(known.lowercased().unicodeScalars)
            let most = max(1, min(word.count, other.count) / 3)
            // The distance is at least the difference of the lengths.
            guard abs(word.count - other.count) <= most else { return nil }
            let distance = distance(word, other)
            return distance <= most ? (known, distance) : nil
        }
        return near.min { $0.distance < $1.distance }?.name
    }

    /// `did you mean X?` with the nearest name; without a near one, other advice.
    package static func advice(for name: String, among names: [String], otherwise: String) -> String {
        nearest(to: name, among: names).map { "did you mean \($0)?" } ?? otherwise
    }

    /// The number of insertions, deletions, substitutions and swaps of neighbours between two texts (optimal string
    /// alignment; L. Boytsov, "Indexing methods for approximate dictionary searching", 2011).
    package static func distance(_ first: String, _ second: String) -> Int {
        distance(Array(first.unicodeScalars), Array(second.unicodeScalars))
    }

    private static func distance(_ first: [UnicodeScalar], _ second: [UnicodeScalar]) -> Int {
        var (beforeLast, last) = ([Int](), Array(0...second.count))
        for i in first.indices {
            var row = [i + 1]
            for j in second.indices {
                let replaced = last[j] + (first[i] == second[j] ? 0 : 1)
                var least = min(replaced, last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
                    least = min(least, beforeLast[j - 1] + 1)
                }
                row.append(least)
            }
            (beforeLast, last) = (last, row)
        }
        return last[second.count]
    }
}

extension String {
    /// Whether this text sorts before the other by UTF-8 bytes, the order of every list that perfgate writes: it needs
    /// no locale and no Unicode version, so it is the same everywhere.
    package func precedesInUTF8(_ other: String) -> Bool {
        // Sorting asks this millions of times; the generic comparison of UTF-8 views takes three times as long.
        var (text, other) = (self, other)
        return text.withUTF8 { bytes in
            other.withUTF8 { others in
                for index in 0..<min(bytes.count, others.count) where bytes[index] != others[index] {
                    return bytes[index] < others[index]
                }
                return bytes.count < others.count
            }
        }
    }

    /// Whether both texts have the same UTF-8 bytes; `==` also accepts another normalization.
    package func hasSameUTF8(as other: String) -> Bool {
        var (text, other) = (self, other)
        return text.withUTF8 { bytes in other.withUTF8 { bytes.count == $0.count && bytes.elementsEqual($0) } }
    }
}

extension String {
    /// Whether the path may lead out of its folder: it is absolute, or contains `..`.
    package var leadsOutOfFolder: Bool { hasPrefix("/") || split(separator: "/").contains("..") }
}

extension UInt8 {
    /// Whether it is an ASCII letter or digit, which has no special meaning in shells, addresses and paths.
    package var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
