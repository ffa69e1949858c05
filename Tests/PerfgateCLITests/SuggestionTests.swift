import Testing

@testable import PerfgateCLI
@testable import PerfgateKit
@testable import PerfgateModel

/// The distance of names, and the limit for suggestions.
struct SuggestionTests {
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("limit", "limti", 1), ("ca", "abc", 3), ("a", "a", 0),
        ("flaw", "lawn", 2), ("tolerence", "tolerance", 1),
    ])
    func distances(_ first: String, _ second: String, _ expected: Int) {
        #expect(Suggestion.distance(Array(first.unicodeScalars), Array(second.unicodeScalars)) == expected)
        #expect(Suggestion.distance(Array(second.unicodeScalars), Array(first.unicodeScalars)) == expected)
    }

    @Test func anUnknownFormatIsWrongUsage() {
        #expect(throws: (any Error).self) { try InputOptions.parse(["--format", "xcresult"]) }
        #expect(throws: Never.self) { try InputOptions.parse(["--format", "xcresult-metrics"]) }
    }

    @Test(arguments: ["=", "=x", "network=wifi,=x"])
    func aConditionWithoutAFieldIsWrongUsage(_ text: String) {
        #expect {
            try InputOptions.parse(["--where", text])
        } throws: {
            InputOptions.message(for: $0).hasPrefix("'--where =…' names no field of a run.")
        }
    }

    @Test(
        arguments: [
            ("tollerance", "tolerance"), ("Limit", "limit"), ("minchange", "min_change"), ("gat", "gate"), ("x", nil),
            ("budget", nil), ("", nil),
        ] as [(String, String?)])
    func nearest(_ name: String, _ expected: String?) {
        let names = ["gate", "tolerance", "min_change", "limit", "unit", "better"]
        #expect(Suggestion.nearest(to: name, among: names) == expected)
    }

    @Test(arguments: [("limt", "did you mean limit?"), ("colour", "use another")])
    func advice(_ name: String, _ expected: String) {
        #expect(Suggestion.advice(for: name, among: ["limit", "gate"], otherwise: "use another") == expected)
    }
}
