import Testing

@testable import PerfgateIngest

/// Numbers as devices format them for users.
struct LocalisedNumberTests {
    /// The value of a text after the style was inferred from other texts.
    private static func value(_ text: String, after others: [String] = [], limit: Double = .infinity) -> Double? {
        var style = NumberStyle()
        for other in others + [text] { LocalisedNumber(other).map { style.learn(from: $0) } }
        return LocalisedNumber(text).flatMap { style.value(of: $0, limit: limit) }
    }

    @Test(arguments: [
        ("0 ms", 0.0), ("1000 ms", 1_000), ("1,000 ms", 1_000), ("1.000 ms", 1_000), ("1 000 ms", 1_000),
        ("1\u{202F}000 ms", 1_000), ("1’000 ms", 1_000), ("1,106,818千字节", 1_106_818), ("1.106.818 kB", 1_106_818),
        ("1,00,000 ms", 100_000), ("1,530毫秒", 1_530), ("64秒", 64), ("20 secs.", 20), ("0.155 ms", 0.155),
        ("0,155 ms", 0.155), ("12.5 ms", 12.5), ("12,5 ms", 12.5), ("1,234.5 ms", 1_234.5), ("1.234,5 ms", 1_234.5),
        ("1 234,56 ms", 1_234.56), ("-1 ms", -1), ("−1.5 ms", -1.5), ("١٬٥٣٠ ms", 1_530), ("١٫٥ ms", 1.5),
    ])
    func oneTextAlone(_ text: String, _ value: Double) {
        #expect(Self.value(text) == value)
    }

    @Test(arguments: ["", "ms", "12", "- ms", ".5 ms", "1,2,3 ms", "1,23,4 ms", "1.2.3,4,5 ms"])
    func noNumber(_ text: String) {
        #expect(Self.value(text) == nil)
    }

    /// If a number is ambiguous, the payload's other numbers decide.
    @Test(arguments: [
        ("1.234 ms", ["5.5 ms"], 1.234), ("1.234 ms", ["1.106.818 kB"], 1_234), ("1,234 ms", ["0,5 ms"], 1.234),
        ("1,234 ms", ["1,106,818 kB"], 1_234), ("1,234 ms", ["7 ms"], 1_234), ("1,234 ms", ["1.234,5 ms"], 1.234),
    ])
    func othersDecide(_ text: String, _ others: [String], _ value: Double) {
        #expect(Self.value(text, after: others) == value)
    }

    @Test func whatIsImpossibleDecides() {
        #expect(Self.value("1.234 ms per s", limit: 1_000) == 1.234)
        #expect(Self.value("1,000 ms per s", limit: 1_000) == 1_000)
    }
}
