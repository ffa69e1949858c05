import Dispatch

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
    static func distance(_ first: [UnicodeScalar], _ second: [UnicodeScalar]) -> Int {
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

    /// The text with zeros before it, if it has fewer characters than a width.
    package func padded(toWidth width: Int) -> String { String(repeating: "0", count: max(0, width - count)) + self }

    /// Whether the path may lead out of its folder: it is absolute, or contains `..`.
    package var leadsOutOfFolder: Bool { hasPrefix("/") || split(separator: "/").contains("..") }
}

extension UInt8 {
    /// Whether it is an ASCII letter or digit, which has no special meaning in shells, addresses and paths.
    package var isLetterOrDigit: Bool { isDigit || (self | 0x20) &- UInt8(ascii: "a") < 26 }

    /// Whether it is a digit in ASCII, from 0 to 9.
    package var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
}

extension Collection<String> {
    /// The first names in a sentence, and the number of the others: `Cart, Home and 3 more`.
    package func listed(most: Int, separator: String = ", ") -> String {
        prefix(most).joined(separator: separator) + (count > most ? " and \(count - most) more" : "")
    }

    /// The first texts, and one about the others by their number, 1 or more, if there are any.
    package func first(_ most: Int, rest: (Int) -> String) -> [String] {
        prefix(most) + (count > most ? [rest(count - most)] : [])
    }
}

extension Collection {
    /// The elements in groups with the same key, in the order in which the keys first appear.
    package func grouped<Key: Hashable>(by key: (Element) -> Key) -> [[Element]] {
        var (groups, places): ([[Element]], [Key: Int]) = ([], [:])
        for element in self {
            let key = key(element)
            let place = places[key] ?? groups.count
            if place == groups.count {
                places[key] = place
                groups.append([])
            }
            groups[place].append(element)
        }
        return groups
    }
}

extension Collection where Element: Hashable {
    /// The elements without repeats, in the order in which they first appear.
    package var unique: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

/// Text that is safe in any output: the only place that replaces characters which break documents or deceive readers.
package enum CleanText {
    /// The text with U+FFFD for every character that XML 1.0 forbids or that changes the text direction. libxml2 2.9
    /// writes forbidden characters unchanged, which makes the file unreadable.
    package static func clean(_ text: String) -> String {
        guard !isPlain(text), text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(isUnsafe(scalar) ? "\u{FFFD}" : scalar) }
        return String(result)
    }

    /// Whether a text is printable ASCII, as most are, and needs no check of its scalars.
    private static func isPlain(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            // Without an early end, several bytes are checked at once.
            bytes.reduce(true) { $0 && $1 &- 0x20 < 0x5F }
        }
    }

    /// A text for a cell of a table that no spreadsheet takes for a formula.
    package static func cell(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first) else { return text }
        return "'" + text
    }

    /// The clean text on one line: line ends and tabs become spaces.
    package static func line(_ text: String) -> String {
        let text = clean(text)
        // Of the characters that end lines only control characters are clean.
        guard text.utf8.contains(where: { $0 < 0x20 }) else { return text }
        return String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    }

    /// The clean text on one line of at most `most` characters; a longer text ends with an ellipsis.
    package static func line(_ text: String, most: Int) -> String {
        let line = line(text)
        return line.count > most ? line.prefix(most - 1) + "…" : line
    }

    /// Whether XML 1.0 forbids the scalar, it changes the text direction, or it is a terminal control.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: false
        case 0x00...0x1F, 0x7F...0x9F, 0xFFFE...0xFFFF: true
        case 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: scalar.value & 0xFFFE == 0xFFFE
        }
    }

    /// The clean text as one line that no CI server takes for a command, anywhere in a log. GitHub executes a line that
    /// starts with `::`, after optional white space, and `##[` anywhere; Azure executes `##vso[`, TeamCity
    /// `##teamcity[`. A visible character separates the pairs, because GitHub's runner compares by language rules,
    /// which ignore everything invisible.
    package static func logLine(_ text: String) -> String {
        let line = withHashesApart(line(text))
        let first = line.unicodeScalars.first { !isPassedOver($0) && !$0.properties.isWhitespace }
        return first == ":" ? "\\" + line : line
    }

    /// The text with a space between adjacent `#`.
    package static func withHashesApart(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            result.append(scalar)
            if scalar == "#", scalars[(index + 1)...].first(where: { !isPassedOver($0) }) == "#" { result.append(" ") }
        }
        return String(result)
    }

    private static func isPassedOver(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .format
    }
}

extension String {
    /// The text with some of its Unicode scalars replaced; `nil` keeps a scalar. It works on scalars instead of
    /// characters: a combining mark after a quote would hide the quote from a search.
    package func escaped(by replacement: (Unicode.Scalar) -> String?) -> String {
        guard unicodeScalars.contains(where: { replacement($0) != nil }) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if let text = replacement(scalar) { result += text.unicodeScalars } else { result.append(scalar) }
        }
        return String(result)
    }
}

extension Array where Element: Sendable {
    /// Transforms the elements on all processors and keeps their order; throws the error of the first that fails.
    package func concurrentMap<Result: Sendable, Failure: Error>(
        _ body: @Sendable (Element) throws(Failure) -> Result
    ) throws(Failure) -> [Result] {
        let slots = UnsafeMutableBufferPointer<Swift.Result<Result, Failure>?>.allocate(capacity: count)
        slots.initialize(repeating: nil)
        defer { slots.deallocate() }
        // Each call writes its own slot.
        nonisolated(unsafe) let results = slots
        DispatchQueue.concurrentPerform(iterations: count) { index in
            do throws(Failure) {
                results[index] = .success(try body(self[index]))
            } catch {
                results[index] = .failure(error)
            }
        }
        var all: [Result] = []
        all.reserveCapacity(count)
        var failure: Failure?
        // The results move, since copying large ones takes longer than making them.
        for index in slots.indices {
            switch slots.moveElement(from: index) {
            case .success(let result): all.append(result)
            case .failure(let error): failure = failure ?? error
            case nil: break
            }
        }
        if let failure { throw failure }
        return all
    }
}
