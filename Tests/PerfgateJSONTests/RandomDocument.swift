import SeededRandom

/// Makes valid JSON texts with every form of value and white space.
struct RandomDocument {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// A text with a container as its root.
    mutating func text() -> String {
        space() + container(depth: 0) + space()
    }

    private mutating func value(depth: Int) -> String {
        if depth < 5, generator.below(3) == 0 { return container(depth: depth) }
        switch generator.below(6) {
        case 0: return generator.pick(["true", "false", "null"])
        case 1, 2: return string()
        default: return number()
        }
    }

    private mutating func container(depth: Int) -> String {
        let isObject = generator.below(2) == 0
        let items = (0..<generator.below(6)).map { _ in
            let key = isObject ? "\(string())\(space()):\(space())" : ""
            return key + value(depth: depth + 1)
        }
        let separator = "\(space()),\(space())"
        let body = space() + items.joined(separator: separator) + space()
        return isObject ? "{\(body)}" : "[\(body)]"
    }

    private mutating func space() -> String {
        generator.below(4) > 0
            ? "" : (0..<generator.below(4)).map { _ in generator.pick([" ", "\n", "\t", "\r"]) }.joined()
    }

    mutating func string() -> String {
        let pieces = [
            "a", "page", "ttfl_ms", "a rather long piece of text", "é", "…", "漢字", "😀", "\u{7F}", "\u{2028}", "\\n",
            "\\\"",
            "\\\\", "\\/", "\\b", "\\u0000", "\\u00e9", "\\uD83D\\uDE00", "\\uFFFF", "/", "e\u{301}",
        ]
        return "\"" + (0..<generator.below(5)).map { _ in generator.pick(pieces) }.joined() + "\""
    }

    mutating func number() -> String {
        let sign = generator.pick(["", "", "-"])
        let integer = generator.below(3) == 0 ? "0" : "\(1 + generator.below(9))" + digits(generator.below(22))
        let fraction = generator.below(2) == 0 ? "" : ".\(digits(1 + generator.below(22)))"
        let exponent =
            generator.below(3) > 0
            ? "" : generator.pick(["e", "E"]) + generator.pick(["", "+", "-"]) + digits(1 + generator.below(2))
        return sign + integer + fraction + exponent
    }

    private mutating func digits(_ count: Int) -> String {
        (0..<count).map { _ in "\(generator.below(10))" }.joined()
    }
}
