import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Files in a folder are classified by content: readable, known without usable data, and unknown.
struct ScanTests {
    private static let log = runLine() + StreamTests.visit

    private static func survey(_ files: [(name: String, text: String)], pattern: String = "") throws -> InputReport {
        let folder = try LogFolder()
        for file in files {
            let url = folder.url.appending(path: file.name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try folder.write(file.text, as: file.name)
        }
        return Ingest().survey([folder.url.path + pattern])
    }

    @Test(arguments: ["", "/*", "/**"])
    func everythingInAFolderIsRead(_ pattern: String) throws {
        let survey = try Self.survey(
            [
                ("a.ndjson", Self.log), ("hitches.xml", XctraceFixture.text), ("frames.txt", GfxinfoFixture.text),
                ("metrics", XcresultFixture.text),
            ], pattern: pattern)
        #expect(survey.measurements.faultyInputs.isEmpty)
        #expect(survey.inputs.map(\.format) == ["perfgate", "gfxinfo", "xctrace", "xcresult-metrics"])
    }

    /// Unreadable files beside a readable one.
    private static let others = [
        ("shop.timeline.json", #"{"traceEvents":[{"ph":"X"}]}"#), ("insights.json", #"{"commonFailureInsights":[]}"#),
        ("report.xml", "<testsuites/>"), ("config.json", #"{"a":1}"#), ("notes.md", "# Notes\n"), ("empty.txt", ""),
        ("icon.png", "\u{89}PNG\u{0}"), ("Info.plist", "<plist/>"),
    ]

    @Test(arguments: others.indices)
    func whatIsntReadStopsNothing(_ index: Int) throws {
        let survey = try Self.survey([("a.ndjson", Self.log), Self.others[index]])
        #expect(survey.measurements.faultyInputs.isEmpty)
        #expect(survey.measurements.runs.map(\.id) == ["r1"])
        #expect(survey.measurements.codes == [.skippedFiles])
        #expect(survey.measurements.diagnostics.first?.message.contains(Self.others[index].0) == true)
    }

    @Test(arguments: others.indices)
    func aFolderWithoutAnyReadableFileIsAnError(_ index: Int) throws {
        let faults = try Self.survey([Self.others[index]]).measurements.faultyInputs
        #expect(faults.map(\.fault) == [.notFound])
        #expect(faults.first?.message.contains(Self.others[index].0) == true)
    }

    /// A log without measurements, or without any log lines, comes from a failed run.
    @Test(arguments: ["", "\u{1}\u{2}", "garbage\n"])
    func aDamagedLogIsNoUnknownFile(_ text: String) throws {
        let survey = try Self.survey([("a.ndjson", Self.log), ("b.ndjson", text)])
        #expect(survey.measurements.faultyInputs.count == 1)
    }

    /// A file that the user named is required.
    @Test func anUnknownFileThatWasNamedIsAnError() throws {
        let folder = try LogFolder()
        let log = try folder.write(Self.log)
        let other = try folder.write("# Notes\n", as: "notes.md")
        #expect(Ingest().read([log, other]).faultyInputs.map(\.fault) == [.badData])
    }

    /// A known format without usable data is ignored beside a readable file.
    @Test func aNamedFileOfAKnownFormatWithoutDataIsIgnoredBesideALog() throws {
        let folder = try LogFolder()
        let log = try folder.write(Self.log)
        let other = try folder.write(#"{"traceEvents":[]}"#, as: "a.json")
        #expect(Ingest().read([log, other]).faultyInputs.isEmpty)
        #expect(Ingest().read([other]).faultyInputs.map(\.fault) == [.badData])
    }

    @Test(arguments: ["<plist/>", "bplist00\u{0}"])
    func aPropertyListIsPointedToTheImport(_ text: String) throws {
        #expect(
            try LogFolder.measurements(text).faultyInputs.first?.message.contains("perfgate baseline import") == true)
    }

    /// A pipe would make the call wait forever.
    @Test func whatIsNoFileIsntOpened() throws {
        let folder = try LogFolder()
        try folder.write(Self.log)
        #expect(mkfifo(folder.url.appending(path: "pipe").path, 0o600) == 0)
        #expect(Ingest().read([folder.url.path]).runs.count == 1)
    }

    /// Content after 64 KiB of children counts like content before them.
    @Test func theMarksOfTestsStandBehindTheirChildren() throws {
        let nodes = (0..<2_000).map { #"{"name":"testScroll\#($0)()","nodeType":"Test Case"}"# }
        let device = XcresultFixture.device("D1", "iPhone 11", "iOS", "17.5")
        let tests = """
            {"testNodes":[{"children":[\(nodes.joined(separator: ","))],"name":"Plan","nodeType":"Test Plan"}],
            "devices":[\(device)],"testPlanConfigurations":[]}
            """
        #expect(tests.utf8.count > ForeignHead.size)
        let survey = try Self.survey([("tests.json", tests), ("metrics.json", XcresultFixture.text)])
        #expect(survey.measurements.faultyInputs.isEmpty)
        #expect(survey.measurements.runs.map { $0.context.text("device") } == ["iPhone 11"])
    }

    /// Reordering a sample's keys doesn't change its result.
    @Test(
        arguments: SampleFiles.folders.flatMap { folder in
            SampleFiles.all(in: folder).filter { !$0.hasSuffix(".csv") }.map { folder.appending(path: $0).path }
        })
    func theOrderOfKeysDoesntMatter(_ path: String) throws {
        let data = try Data(contentsOf: URL(filePath: path))
        guard let value = try? JSONSerialization.jsonObject(with: data) else { return }
        let verdicts = try [0, 1, 2].map { seed in
            let padding = seed == 2 ? #""padding":[\#(String(repeating: "1,", count: 40_000))1],"# : ""
            var text = try Shuffled(seed).text(of: value)
            if text.hasPrefix("{"), !padding.isEmpty { text = "{" + padding + text.dropFirst() }
            return Self.format(of: Array(text.utf8))
        }
        #expect(Set(verdicts + [Self.format(of: Array(data))]).count == 1, "\(verdicts)")
    }

    private static func format(of bytes: [UInt8]) -> String {
        let log = LogReader(path: "f", collector: LogCollector(options: IngestOptions()))
        let router = InputRouter(path: "f", format: nil, log: log)
        bytes.withUnsafeBytes { router.take($0) }
        do throws(IngestError) {
            switch try router.finish() {
            case .foreign(let reader, _): return reader.name
            case .log: return "log"
            case .nothing: return "nothing"
            }
        } catch {
            if case .unknownFormat = error { return "unknown" }
            return "\(error)"
        }
    }
}

/// JSON with the members of its objects in another order.
private struct Shuffled {
    private let seed: Int

    init(_ seed: Int) { self.seed = seed }

    func text(of value: Any) throws -> String {
        switch value {
        case let object as [String: Any]:
            let keys = object.keys.sorted { seed == 0 ? $0 < $1 : $0 > $1 }
            return try "{" + keys.map { try "\(text(of: $0)):\(text(of: object[$0] ?? 0))" }.joined(separator: ",")
                + "}"
        case let list as [Any]: return try "[" + list.map(text).joined(separator: ",") + "]"
        default:
            let data = try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed])
            return String(decoding: data, as: UTF8.self)
        }
    }
}
