import ComparisonFixtures
import PerfgateJSON
import PerfgateModel
import Testing
import SeededRandom

@testable import PerfgateCompare
@testable import PerfgateReport

struct JSONReportTests {
    @Test(arguments: 0..<40 as Range<UInt64>)
    func whatWasReadBackIsTheReportAndIsWrittenWithTheSameBytes(seed: UInt64) throws {
        var random = RandomReport(seed: seed)
        let report = random.report()
        let bytes = report.json()
        let read = try GateReport(json: bytes)
        #expect(read == report, "seed \(seed)")
        #expect(read.json() == bytes, "seed \(seed)")
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func everyOtherFormIsTheSameFromWhatWasReadBack(seed: UInt64) throws {
        var random = RandomReport(seed: seed)
        let report = random.report()
        let read = try GateReport(json: report.json())
        let templates = try TemplateSet()
        for dialect in JUnitReport.Dialect.allCases {
            var options = JUnitReport.Options()
            options.dialect = dialect
            #expect(
                try JUnitReport(read, options: options).bytes() == JUnitReport(report, options: options).bytes(),
                "seed \(seed)")
        }
        #expect(
            HTMLReport(read, templates: templates).text.utf8
                .elementsEqual(HTMLReport(report, templates: templates).text.utf8), "seed \(seed)")
        #expect(
            MarkdownReport(read, templates: templates).text.utf8
                .elementsEqual(MarkdownReport(report, templates: templates).text.utf8), "seed \(seed)")
        #expect(TerminalSummary(read).text.utf8.elementsEqual(TerminalSummary(report).text.utf8), "seed \(seed)")
    }

    /// A report may be edited, so no number in it may stop the program.
    @Test(arguments: RuleStep.Found.allCases)
    func noNumberOfAReportStopsItsWords(found: RuleStep.Found) throws {
        for (seed, value) in [1e300, -1e300, .nan, .infinity, 0.5].enumerated() {
            var random = RandomReport(seed: UInt64(seed))
            for result in random.report().comparisons {
                var facts = result.facts
                (facts.said, facts.rule) = (nil, [RuleStep(found, value: value, bound: value, p: value, alpha: value)])
                (facts.verdict, facts.detail) = found.answer.map { ($0.verdict, $0.detail) } ?? (.passed, nil)
                let edited = CellResult(facts)
                let titles = Finding.all(of: [edited]).flatMap { [$0.title, $0.shortTitle] + $0.amounts }
                #expect(!titles.isEmpty && !edited.reason.isEmpty)
            }
        }
    }

    @Test func aReportWithEveryVerdict() throws {
        let text = String(decoding: MarkdownFixtures.mixed.json(), as: UTF8.self)
        try MarkdownGolden(name: "mixed.json").expect(text)
    }

    @Test func whatIsNotFiniteIsAbsent() throws {
        var report = MarkdownFixtures.mixed
        report.comparisons[0] = report.comparisons[0].with {
            $0.baseline?.center = .nan
            $0.tolerance = .infinity
            $0.numbers?.interval = [-.infinity, .infinity]
        }
        let bytes = report.json()
        let first = try JSONDocument(bytes).root["comparisons"][0]
        #expect(try first["baseline"].find("center") == nil)
        #expect(try first.find("tolerance") == nil && first.find("interval") == nil)
        #expect(try GateReport(json: bytes).json() == bytes)
    }

    @Test func keysThatAreNotKnownAreIgnored() throws {
        let bytes = MarkdownFixtures.mixed.json()
        let more = [UInt8]("{\"later\":[{}],".utf8) + bytes.dropFirst()
        #expect(try GateReport(json: more) == GateReport(json: bytes))
    }
}

struct JSONReportReadingTests {
    private static let sound = String(decoding: MarkdownFixtures.mixed.json(), as: UTF8.self)

    /// The text to replace, its replacement, and the expected error with its position.
    static let breaches: [(old: String, new: String, pointer: String, words: String)] = [
        (
            "\"schema\": 1", "\"schema\": 2", "/schema",
            "schema 2 is unknown, only 1 is supported; read it with the perfgate that"
        ),
        ("\"schema\": 1", "\"schema\": \"1\"", "/schema", "expected a number"),
        ("\"verdict\": \"failed\"", "\"verdict\": \"fine\"", "/verdict", "passed or failed or inconclusive or error"),
        ("\"exit_code\": 2", "\"exit_code\": 256", "/exit_code", "not an exit code"),
        ("\"exit_code\": 2,", "", "the report", "has no key \"exit_code\""),
        ("\"gated\": true", "\"gated\": 1", "/comparisons/0/gated", "expected true or false"),
        (
            "\"page\": \"Search\",\n      \"metric\"", "\"page\": \" \",\n      \"metric\"", "/comparisons/0/page",
            "empty"
        ),
        ("\"verdict\": \"regressed\"", "\"verdict\": \"worse\"", "/comparisons/0/verdict", "regressed or over_limit"),
        ("\"n\": 5,", "\"n\": -5,", "/comparisons/0/baseline/n", "not from 0.0 to"),
        ("\"n\": 5,", "\"n\": 5.5,", "/comparisons/0/baseline/n", "whole number"),
        ("\"center\": 512.9", "\"center\": 1e999", "/comparisons/0/baseline/center", "out of range"),
        ("\"p\": 1e-05,\n", "\"p\": 2,\n", "/comparisons/0/p", "not from 0.0 to 1.0"),
        ("\"interval\": [150.1, 220.9]", "\"interval\": [1]", "/comparisons/0/interval", "expected 2 items"),
        ("\"limit_subject\": \"median\"", "\"x\": 1", "/comparisons/0", "has no key \"limit_subject\""),
        ("\"code\": \"PG102\"", "\"code\": \"PG000\"", "/diagnostics/0/code", "PG101 or PG102"),
        ("\"line\": 17", "\"line\": 0", "/diagnostics/0/line", "not from 1.0"),
        ("\"tool\"", "\"schema\": 1, \"tool\"", "/schema", "is repeated"),
        (
            "\"app\": \"com.example.app\"", "\"app\": {}", "/environments/0/environment/app",
            "expected a string, a number"
        ),
        ("\"tool\":", "\"tool\"", "/schema", "expected ':'"),
        ("\"command\": \"perfgate ", "\"page\": \" \", \"command\": \"perfgate ", "/next/0/page", "the name is empty"),
        ("\"verb\": \"perfgate check\"", "\"x\": 1", "/next/0/call", "has no key \"verb\""),
        ("\"blank\": \"LOGS\"", "\"blank\": 1", "/next/0/call/arguments/0/blank", "expected a string"),
    ]

    @Test(arguments: breaches.indices)
    func whatBreaksTheFormIsReportedWithItsPlace(index: Int) throws {
        let breach = Self.breaches[index]
        let place = try #require(Self.sound.range(of: breach.old), "\(breach.old)")
        let broken = Self.sound.replacingCharacters(in: place, with: breach.new)
        let error = try #require(throws: ReportError.self) { try GateReport(json: Array(broken.utf8)) }
        #expect(error.description.contains(": \(breach.pointer): "), "\(error)")
        #expect(error.description.contains(breach.words), "\(error)")
    }

    @Test func sizesAreBounded() throws {
        func error(_ old: String, _ new: String) throws -> String {
            let place = try #require(Self.sound.range(of: old))
            let broken = Self.sound.replacingCharacters(in: place, with: new)
            return try #require(throws: ReportError.self) { try GateReport(json: Array(broken.utf8)) }.description
        }
        let long = String(repeating: "x", count: ReportBounds.longestText + 1)
        #expect(try error("\"perfgate 0.1.0\"", "\"\(long)\"").contains("/tool: longer than 1048576 bytes"))
        let numbers = String(repeating: "1,", count: 1_000) + "1"
        #expect(try error("\"samples\": [498.1", "\"samples\": [\(numbers)").contains("/samples: more than 1000 items"))
        let notes = String(repeating: "\"\",", count: ReportBounds.mostElements)
        #expect(try error("\"notes\": [", "\"notes\": [\(notes)").contains("/notes: more than 1000000 items"))
        let whole = try #require(throws: ReportError.self) {
            try GateReport(json: [UInt8](repeating: 0x20, count: GateReport.mostJSONBytes + 1))
        }
        #expect(whole.description.contains("longer than 512 MiB"))
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(throws: ReportError.self) { try GateReport(json: deep) }
    }

    /// A reader may reject hostile bytes, but must not crash on any.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func noChangeOfBytesCrashesIt(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let sound = Array(Self.sound.utf8)
        for _ in 0..<60 {
            var bytes = sound
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0...2, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: place)
                default: bytes = Array(bytes[..<place])
                }
                if bytes.isEmpty { break }
            }
            if let read = try? GateReport(json: bytes) { #expect(!read.json().isEmpty, "seed \(seed)") }
        }
    }
}
