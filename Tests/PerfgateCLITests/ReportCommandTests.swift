import Foundation
import PerfgateJSON
import PerfgateReport
import PerfgateCompare
import Testing

/// `report` renders the reports that `check --json` stores.
struct ReportCommandTests {
    private static let outputs = [
        "--junit", "junit.xml", "--html", "report.html", "--html-assets", "external", "--markdown", "report.md",
        "--openmetrics", "report.txt", "--summary", "summary.md", "--json", "result.json", "--annotations", "github",
    ]
    private static let files = [
        "junit.xml", "report.html", "report.css", "report.md", "report.txt", "summary.md", "result.json",
    ]

    @Test(
        arguments: ["regression", "new-page", "missing-page", "over-limit", "cut"].map { ($0, nil) }
            + [("regression", 2_000), ("regression", 700)] as [(String, Int?)])
    func everyFormIsTheSameByteByByte(sample: String, waivedUpTo ceiling: Int?) throws {
        let folder = try CommandFolder()
        try folder.copy("Baselines")
        if let ceiling {
            let waiver = "{ page: Search, metric: ttil, ceiling: \(ceiling), until: 2099-01-01, reason: why }"
            try folder.write("schema: 1\nwaivers: [\(waiver)]\n", to: "waivers.yml")
        }
        try folder.copy("Tests/Samples/\(sample).ndjson")
        let first = try folder.run(["check", "\(sample).ndjson"] + Self.outputs)
        let written = try Self.files.map(folder.bytes)
        let kept = try folder.text(of: "result.json")
        for file in Self.files { try folder.write("", to: file) }
        let again = try folder.run(["report", "-"] + Self.outputs, input: kept)
        #expect(again.code == 0)
        #expect(again.output == first.output)
        #expect(again.error == first.error)
        for (file, bytes) in zip(Self.files, written) {
            #expect(!bytes.isEmpty)
            #expect(try folder.bytes(of: file) == bytes, "\(file) of \(sample)")
        }
    }

    @Test func aLogThatPromisedItsEndAndWasCutFailsAsDataAndStillGivesEveryReport() throws {
        let folder = try CommandFolder()
        try folder.copy("Baselines")
        try folder.copy("Tests/Samples/cut.ndjson")
        let said = try folder.run(["check", "cut.ndjson"] + Self.outputs)
        #expect(said.code == 65 && said.output.contains("The measurement failed, not the change"))
        for file in Self.files where file != "report.css" {
            let text = try folder.text(of: file)
            #expect(text.contains(file == "report.txt" ? "perfgate_exit_code 65" : "promises an end line"), "\(file)")
        }
    }

    @Test func theOtherJUnitDialectAndStylesInThePage() throws {
        let folder = try CommandFolder()
        try folder.copy("Baselines")
        try folder.copy("Tests/Samples/regression.ndjson")
        let flags = ["--junit", "strict.xml", "--junit-dialect", "strict", "--html", "inline.html", "--quiet"]
        _ = try folder.run(["check", "regression.ndjson", "--json", "result.json"] + flags)
        let written = try ["strict.xml", "inline.html"].map(folder.bytes)
        _ = try folder.run(["report", "result.json"] + flags)
        #expect(try ["strict.xml", "inline.html"].map(folder.bytes) == written)
        #expect(!folder.exists("report.css"))
    }

    @Test func `an exit code that perfgate doesn't have is refused`() throws {
        let folder = try CommandFolder()
        try folder.copy("Baselines")
        try folder.copy("Tests/Samples/regression.ndjson")
        let kept = try folder.run("check", "regression.ndjson", "--json", "-", "--quiet").output
        let said = try folder.run("report", "-", input: kept.replacing("\"exit_code\": 2", with: "\"exit_code\": 1"))
        #expect(said.code == 65 && said.error.contains("the exit code 1 is unknown"))
    }

    /// An edited report can contain false values but no markup. A file that isn't a report is rejected with its
    /// position.
    static let hostile: [(content: String, code: Int32, words: String)] = [
        ("", 66, "it is empty"),
        ("{", 65, "result.json:1:2: "),
        ("[]", 65, "result.json:1:1: the report: expected an object"),
        ("{\"schema\":1}", 65, "has no key \"tool\""),
        (String(repeating: "[", count: 200_000), 65, "result.json:1:"),
        ("\u{FEFF}<html></html>", 65, "this is HTML or XML, not a report; give the file that `--json FILE` of"),
        (" \n", 65, "this is an empty file"), ("\u{1F}\u{8B}", 65, "this is no JSON"),
        ("PK\u{3}\u{4}", 65, "this is no JSON, not a report"), ("schema: 1", 65, "this is no JSON, not a report"),
        ("{\"type\":\"run\",\"schema\":1}\n{\"type\":\"end\"}\n", 65, "this is a perfgate log, not a report"),
    ]

    @Test func whatIsQuotedOfAFileOrdersNothing() throws {
        let folder = try CommandFolder()
        try folder.write(##"{"schema":1,"runs":[{"a\n::error::b\u001b[31m##[c":1}"##, to: "result.json")
        try folder.write("::error file=a::b: [\n", to: "perfgate.yml")
        for arguments in [["report", "result.json"], ["baseline", "show"]] {
            let said = try folder.run(arguments)
            #expect(said.code != 0 && !said.error.isEmpty)
            for line in said.error.split(separator: "\n") {
                #expect(!line.drop(while: \.isWhitespace).hasPrefix("::"), "\(said.error)")
                #expect(!line.contains("##[") && !line.contains("\u{1B}"), "\(said.error)")
            }
        }
    }

    @Test func aPageAloneKeepsTheVerdictOfAll() throws {
        let folder = try CommandFolder()
        try folder.copy("Baselines")
        try folder.copy("Tests/Samples/regression.ndjson")
        let first = try folder.run(["check", "regression.ndjson"] + Self.outputs)
        let written = try Self.files.map(folder.bytes)
        let kept = try folder.text(of: "result.json")
        let said = try folder.run(["report", "-", "--page", "Home"] + Self.outputs, input: kept)
        #expect(said.code == 0 && said.output == first.output)
        for (file, bytes) in zip(Self.files, written) where !["report.html", "report.css"].contains(file) {
            #expect(try folder.bytes(of: file) == bytes, "\(file)")
        }
        let html = try folder.text(of: "report.html")
        #expect(html.contains("<p class=\"outcome\">▲ failed</p>") && html.contains("exit code 2"))
        #expect(html.contains("<h3><bdi>Home</bdi>") && !html.contains("<h3><bdi>Search</bdi>"))
        #expect(html.contains("This report shows only Home and leaves out ") && html.contains("; 1 of these failed."))
        let both = try folder.run("report", "result.json", "--page", "Home", "--page", "Serch", "--html", "two.html")
        #expect(both.code == 66 && both.error.contains("There is no comparison of Serch. Did you mean Search? "))
        #expect(!folder.exists("two.html"))
        let none = try folder.run("report", "result.json", "--page", "Home")
        #expect(none.code == 64 && none.error.contains("Give '--html FILE' too."))
    }

    @Test(arguments: hostile.indices)
    func whatIsNoReportIsRefused(index: Int) throws {
        let folder = try CommandFolder()
        let (content, code, words) = Self.hostile[index]
        try folder.write(content, to: "result.json")
        let said = try folder.run("report", "result.json", "--html", "report.html")
        #expect(said.code == code && said.error.contains(words), "\(said.error)")
        #expect(said.output.isEmpty && said.error.split(separator: "\n").count == 1)
    }

    @Test func aFileThatIsntThere() throws {
        let said = try CommandFolder().run("report", "nowhere.json")
        #expect(said.code == 66 && said.error.contains("nowhere.json: there is no such readable file"))
    }

    @Test func outputsThatCollideAreRefusedBeforeAnythingIsRead() throws {
        let folder = try CommandFolder()
        let same = try folder.run("report", "nowhere.json", "--html", "a", "--markdown", "./a")
        #expect(same.code == 64 && same.error.contains("'--html' and '--markdown' both write to './a'"))
        let beside = try folder.run("report", "nowhere.json", "--html", "-", "--html-assets", "external")
        #expect(beside.code == 64 && beside.error.contains("Give '--html' a file"))
    }

    @Test func theSchemaDescribesTheReport() throws {
        let said = try CommandFolder().run("schema", "report")
        #expect(said.code == 0 && said.output.utf8.elementsEqual(GateReport.jsonSchema))
        #expect(
            try JSONDocument(GateReport.jsonSchema).root["title"].string() == "The JSON report of perfgate, schema 1")
    }
}
