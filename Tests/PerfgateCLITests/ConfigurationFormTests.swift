import Testing

@testable import PerfgateCLI
@testable import PerfgateKit

/// Files that aren't YAML, aren't text, or are too large.
struct ConfigurationFormTests {
    @Test(arguments: [
        (
            "missing: warn\nmissing: fail",
            ":1:1: error: missing is given more than once in one mapping: keep one of them"
        ),
        (
            "metrics:\n  ttil: { limit: 1 }\n  'ttil': { limit: 2 }",
            ":2:3: error: ttil is given more than once in one mapping: keep one of them"
        ),
        (
            "pages:\n  - match: *Search",
            """
            :2:12: error: this isn't YAML: found undefined alias: put a text that begins with *, &, @, % or ` in quotes
            """
        ),
        (
            "pages:\n  - owner: @team",
            """
            :2:12: error: this isn't YAML: found character that cannot start any token while scanning for the next \
            token that began in line 2: put a text that begins with *, &, @, % or ` in quotes
            """
        ),
        (
            "a: 1\n---\nb: 2",
            """
            :2:1: error: this isn't YAML: but found another document expected a single document in the stream that \
            began in line 1: keep one document in the file
            """
        ),
    ])
    func saysWhereTheFormIsWrong(_ text: String, _ expected: String) {
        #expect(ConfigurationErrorTests.messages(text) == [expected])
    }

    @Test(arguments: ["a: [1", "\t- a", "a: b: c", "a: 'x", "{}}", "? [a\n: b", "a: \u{1}", "%YAML 9.9\n---\n{}"])
    func isBadConfigurationHoweverItIsBroken(_ text: String) {
        #expect(ConfigurationErrorTests.complaint(text).contains("error: this isn't YAML"))
    }

    @Test func refusesAFileThatGrows() {
        let levels = (1...9).map { level in
            "l\(level): &l\(level) [\(Array(repeating: "*l\(level - 1)", count: 9).joined(separator: ", "))]"
        }
        let text = "l0: &l0 x\n" + levels.joined(separator: "\n") + "\n? *l9\n: x\n"
        #expect(
            ConfigurationErrorTests.messages(text) == [
                ": error: the file refers to anchors 82 times, and at most 16 are allowed: write the values out"
            ])
    }

    @Test func survivesDeepNesting() {
        #expect(ConfigurationErrorTests.complaint(String(repeating: "[", count: 100_000)).contains("error"))
        #expect(
            ConfigurationErrorTests.complaint(String(repeating: "[", count: 900) + String(repeating: "]", count: 900))
                .contains("list"))
    }

    @Test func refusesWhatIsNoTextOrTooLarge() {
        #expect(throws: ConfigurationError.self) { try ConfigurationFile.read([0xFF, 0xFE, 0x00], path: "a") }
        let large = [UInt8](repeating: UInt8(ascii: "#"), count: YAMLFile.mostBytes + 1)
        #expect(throws: ConfigurationError.self) { try ConfigurationFile.read(large, path: "a") }
    }
}
