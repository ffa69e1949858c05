/// A pattern of a name: `*` stands for any text, `?` for any one character, everything else for itself.
public struct NamePattern: Sendable, Hashable {
    private let pattern: [Character]

    /// Makes a pattern of its text.
    public init(_ pattern: String) {
        self.pattern = Array(pattern)
    }

    /// Whether the whole name matches; linear in the name for one star, never exponential.
    public func matches(_ name: String) -> Bool {
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
