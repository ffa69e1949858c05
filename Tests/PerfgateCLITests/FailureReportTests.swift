import Foundation
import Testing

/// The outputs of a call that couldn't judge anything.
struct FailureReportTests {
    private static let outputs = [
        "--junit", "out.xml", "--json", "out.json", "--markdown", "out.md", "--html", "out.html", "--openmetrics",
        "out.om",
    ]

    private static func folder() throws -> CommandFolder {
        let folder = try CommandFolder()
        try folder.copy("Tests/Samples/pass.ndjson")
        try folder.copy("Baselines")
        return folder
    }

    /// Each replaces the reports of an earlier, passed call.
    @Test(arguments: [
        ["check", "pass.ndjson", "--config", "wrong.yml"], ["check", "pass.ndjson", "--templates", "nowhere"],
        ["check", "pass.ndjson", "--baselines", "broken"],
        ["compare", "pass.ndjson", "--with", "pass.ndjson", "--config", "wrong.yml"],
    ])
    func noOlderReportIsLeft(_ arguments: [String]) throws {
        let folder = try Self.folder()
        try folder.write("schema: 1\nlimits: none\n", to: "wrong.yml")
        try folder.write("{", to: "broken/phone/home.json")
        #expect(try folder.run(["check", "pass.ndjson"] + Self.outputs).code == 0)
        let said = try folder.run(arguments + Self.outputs)
        #expect(said.code == 78)
        #expect(try folder.text(of: "out.xml").contains("errors=\"1\""))
        #expect(try folder.text(of: "out.json").contains("\"exit_code\": 78"))
        for name in ["out.md", "out.html", "out.json"] {
            #expect(try folder.text(of: name).contains("Nothing was judged"), "\(name)")
        }
        #expect(try folder.text(of: "out.om").contains("perfgate_exit_code 78\n"))
    }

    @Test func viewsThatCantBeReadAreReportedToo() throws {
        let folder = try Self.folder()
        try folder.write("[]", to: "views.json")
        let call = ["check", "pass.ndjson", "--views", "views.json", "--json", "out.json"]
        #expect(try folder.run(call).code == 65)
        #expect(try folder.text(of: "out.json").contains("\"headline\": \"Nothing was judged: views.json:1:1: "))
        #expect(try folder.run("check", "pass.ndjson", "--views", "views.json", "--json", "views.json").code == 64)
        #expect(try folder.text(of: "views.json") == "[]")
    }

    @Test func everyProblemIsACase() throws {
        let folder = try Self.folder()
        try folder.write("schema: 1\nlimits: none\nmissing: never\n", to: "perfgate.yml")
        #expect(try folder.run("check", "pass.ndjson", "--junit", "out.xml").code == 78)
        let text = try folder.text(of: "out.xml")
        #expect(text.contains("errors=\"2\"") && text.contains("name=\"perfgate.yml%3A2%3A1\""))
    }

    @Test func anAbsentReferenceIsReportedToo() throws {
        let folder = try Self.folder()
        #expect(try folder.run("check", "pass.ndjson", "--against", "7.1", "--json", "out.json").code == 66)
        #expect(try folder.text(of: "out.json").contains("\"headline\": \"Nothing was judged: --against 7.1: "))
    }

    /// The report of a failure never replaces a log.
    @Test func aLogIsNotReplaced() throws {
        let folder = try Self.folder()
        try folder.write("schema: 1\nlimits: none\n", to: "perfgate.yml")
        let log = try folder.bytes(of: "pass.ndjson")
        #expect(try folder.run("check", "pass.ndjson", "--json", "pass.ndjson").code == 64)
        #expect(try folder.bytes(of: "pass.ndjson") == log)
    }
}
