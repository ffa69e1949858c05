import ComparisonFixtures
import Foundation
import Testing

@testable import PerfgateCompare
@testable import PerfgateReport

struct HTMLTemplateTests {
    /// Calls a body with a folder of these files, and removes it.
    private func withFolder<T>(_ files: [String: [UInt8]], _ body: (String) throws -> T) throws -> T {
        let folder = FileManager.default.temporaryDirectory.appending(path: "templates-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, bytes) in files { try Data(bytes).write(to: folder.appending(path: name)) }
        return try body(folder.path())
    }

    private func error(_ name: String, _ text: String, _ more: [String: String] = [:]) throws -> TemplateError? {
        let files = more.merging([name: text]) { $1 }.mapValues { Array($0.utf8) }
        return try withFolder(files) { folder in
            do {
                _ = try TemplateSet(overridingFolder: folder)
                return nil
            } catch let error as TemplateError {
                return TemplateError(
                    error.cause, path: String(error.path.split(separator: "/").last ?? ""), line: error.line,
                    column: error.column)
            }
        }
    }

    @Test(arguments: [
        ("a\n{{headlin}}", "report.md.mustache:2:1: nothing is called 'headlin' here; use one of"),
        ("a\r\n é{{headlin}}", "report.md.mustache:2:3: nothing is called 'headlin' here; use one of"),
        ("{{#worse}}{{purpose}}{{/worse}}", "report.md.mustache:1:11: nothing is called 'purpose'"),
        ("{{^worse}}{{rows}}{{/worse}}", "report.md.mustache:1:11: nothing is called 'rows'"),
        ("{{\nheadlin\n}}", "report.md.mustache:1:1: nothing is called 'headlin'"),
        ("{{headline.count}}", "report.md.mustache:1:1: nothing is called 'headline.count'"),
        ("{{.}}", "report.md.mustache:1:1: nothing is called '.'"),
        (
            "\n\n{{> table.md}}",
            "report.md.mustache:3:1: there is no template 'table.md' to include; add table.md.mustache"
        ),
        ("{{{headline}}}", "report.md.mustache:1:1: 'headline' is text and must be escaped; write {{headline}}"),
        ("{{& headline}}", "report.md.mustache:1:1: 'headline' is text and must be escaped"),
        ("{{link}}", "report.md.mustache:1:1: 'link' is finished markup; write {{{link}}}"),
        ("{{worse}}", "report.md.mustache:1:1: 'worse' is not a text; write it as a section"),
        ("{{=<% %>=}}", "report.md.mustache:1:1: tags that begin with '{{=' aren't allowed"),
        ("{{> *link}}", "report.md.mustache:1:1: there is no template '*link' to include"),
        ("{{$block}}{{/block}}", "report.md.mustache:1:1: tags that begin with '{{$' aren't allowed"),
        ("a\n{{#worse}}", "report.md.mustache:2:11: the tag can't be read (expectedSectionEnd); close it"),
        ("a\n{{#worse}}\n{{/wors}}", "report.md.mustache:3:4: the tag can't be read (sectionCloseNameIncorrect)"),
    ])
    func aBrokenTemplateSaysWhereAndWhatToDo(text: String, expected: String) throws {
        let error = try #require(try error("report.md.mustache", text))
        #expect(error.description.hasPrefix(expected), "\(error)")
    }

    @Test func anErrorInAPartIsTheParts() throws {
        let own = try error("report.md.mustache", "{{> own.md}}", ["own.md.mustache": "\n{{x}}"])
        #expect(own?.path == "own.md.mustache" && own?.line == 2 && own?.column == 1)
        let circle = try error("report.md.mustache", "{{> own.md}}", ["own.md.mustache": " {{> own.md}}"])
        #expect(circle?.cause == .circularPart("own.md"))
        let rows = "{{#groups}}{{#rows}}\n{{#rows}}x{{/rows}}{{/rows}}{{/groups}}"
        let repeated = try error("report.md.mustache", rows)
        #expect(repeated?.cause == .repeatedList("rows") && repeated?.line == 2)
        #expect(try error("report.md.mustache", "{{#groups}}{{#rows}}{{/rows}}{{#rows}}{{/rows}}{{/groups}}") == nil)
    }

    @Test func moreThanATemplateMayHaveIsRefused() throws {
        func cause(_ text: String, _ parts: [String: String] = [:]) throws -> TemplateError.Cause? {
            try error("report.md.mustache", text, parts)?.cause
        }
        let nested = String(repeating: "{{^worse}}", count: 8_000) + String(repeating: "{{/worse}}", count: 8_000)
        #expect(try cause(String(nested.prefix(10 * 2_000))) == .tooMuch(.depth))
        #expect(try cause(nested) == .tooMuch(.tags))
        #expect(try cause(String(repeating: "{{headline}}", count: 5_001)) == .tooMuch(.tags))
        #expect(try cause(String(repeating: "{{headline}}", count: 5_000)) == nil)
        #expect(try cause(String(repeating: " ", count: 1_000_001)) == .tooMuch(.bytes))
        var doubling = ["p20.md.mustache": "x"]
        for level in 0..<20 {
            doubling["p\(level).md.mustache"] = String(repeating: "{{> p\(level + 1).md}}", count: 2)
        }
        #expect(try cause("{{> p0.md}}", doubling) == .tooMuch(.parts))
        let chain = (0..<60).reduce(into: ["c60.md.mustache": "x"]) {
            $0["c\($1).md.mustache"] = "{{> c\($1 + 1).md}}"
        }
        #expect(try cause("{{> c0.md}}", chain) == .tooMuch(.depth))
        let told = try error("report.md.mustache", "\n" + String(repeating: "{{^worse}}", count: 51))
        #expect(
            told?.description
                == "report.md.mustache:2:501: there are more than 50 nested sections or parts; write a simpler template"
        )
    }

    @Test func aFileThatIsNoTextAndAFolderThatIsntThereAreReported() throws {
        let error = try withFolder(["report.css": [0xFF]]) { folder in
            #expect(throws: TemplateError.self) { try TemplateSet(overridingFolder: folder) }
        }
        #expect(error?.cause == .unreadable && error?.path.hasSuffix("report.css") == true)
        #expect(throws: TemplateError(.unreadable, path: "/nowhere")) { try TemplateSet(overridingFolder: "/nowhere") }
    }

    @Test func aFolderReplacesWhatItHoldsAndKeepsTheRest() throws {
        let files = [
            "report.md.mustache": "{{! mine\n }}{{#worse}}{{> mine.md}}{{/worse}}",
            "mine.md.mustache": "{{#rows}}{{page}};{{/rows}}",
        ]
        try withFolder(files.mapValues { Array($0.utf8) }) { folder in
            let templates = try TemplateSet(overridingFolder: folder)
            let report = MarkdownFixtures.report([MarkdownFixtures.result("<a|b\u{301}>", .regressed)])
            #expect(MarkdownReport(report, templates: templates).text == "&lt;a\\|b\u{301}&gt;;")
            #expect(HTMLReport(report, templates: templates).text.hasPrefix("<!DOCTYPE html>"))
        }
    }

    @Test func ownRowsWithoutRoomGiveWayToTheBuiltInShortForm() throws {
        let file = "{{#worse}}{{#rows}}{{page}} {{values}};{{/rows}}{{/worse}}"
        try withFolder(["report.md.mustache": Array(file.utf8)]) { folder in
            let report = MarkdownFixtures.report([MarkdownFixtures.result("Search", .regressed)])
            let templates = try TemplateSet(overridingFolder: folder)
            let text = MarkdownReport(report, templates: templates, options: .init(byteLimit: 10)).text
            #expect(text.hasPrefix(MarkdownReport.Options().marker) && text.contains(report.title))
        }
    }

    @Test func aCharacterCantHideFromEscapingNorTurnTheTextAround() {
        #expect(HTMLEscape.text("a\u{202E}b") == "a\u{FFFD}b")
        #expect(HTMLEscape.text("<\u{301}b> \"&'") == "&lt;\u{301}b&gt; &quot;&amp;&#39;")
    }

    /// `Tests/Judges/judge-html.py` takes the pictures.
    @Test func thePicturesOfTheDocumentationAreAsNewAsTheReport() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let files = ["Templates/report.css", "Tests/PerfgateReportTests/Goldens/mixed.html"]
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for file in files {
            for byte in try Data(contentsOf: root.appending(path: file)) {
                digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3
            }
        }
        let digits = String(digest, radix: 16)
        let pictures = root.appending(path: "Sources/PerfgateCLI/Documentation.docc/report-pictures.txt")
        let stored = try String(contentsOf: pictures, encoding: .utf8)
        #expect(stored == String(repeating: "0", count: 16 - digits.count) + digits + "\n", "take the pictures again")
    }
}
