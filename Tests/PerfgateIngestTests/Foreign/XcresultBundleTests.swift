import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// A result bundle is read through xcresulttool, and directly if that isn't installed.
struct XcresultBundleTests {
    private static func bundle(in folder: LogFolder) throws -> String {
        let url = folder.url.appending(path: "Test.xcresult")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url.path
    }

    @Test func whatTheToolSaysIsRead() throws {
        let folder = try LogFolder()
        let bundle = try #require(XcresultBundle(path: try Self.bundle(in: folder)))
        let device = XcresultFixture.device("D1", "iPhone 11", "iOS", "17.5")
        let ratio = XcresultFixture.metric(XcresultFixture.ratio, "ms per s", "3")
        let texts = [
            "metrics": XcresultFixture.document([XcresultFixture.test("A/b()", [ratio], device: "D1")]),
            "summary": XcresultFixture.summary([device], start: "60"),
        ]
        var calls: [[String]] = []
        let files = try bundle.files { words in
            calls.append(words)
            return Array((texts[words[4]] ?? "").utf8)
        }
        let command = ["xcrun", "xcresulttool", "get", "test-results"]
        #expect(calls.map { Array($0[..<4]) } == [command, command])
        #expect(calls.allSatisfy { $0[5...6] == ["--path", bundle.path] })

        let collector = ForeignCollector(options: IngestOptions())
        for file in files { try collector.read(file, with: XcresultMetricsReader.self) }
        let result = collector.assembly().measurements()
        #expect(result.values("A/b()", "hitch_ratio") == [3])
        #expect(result.runs.map { $0.context.text("device") } == ["iPhone 11"])
        #expect(result.runs.map { $0.context.text("started_at") } == ["1970-01-01T00:01:00Z"])
    }

    @Test func onlyAFolderOfThatNameIsABundle() throws {
        let folder = try LogFolder()
        #expect(XcresultBundle(path: folder.url.path) == nil)
        #expect(XcresultBundle(path: try folder.write("{}", as: "file.xcresult")) == nil)
        #expect(XcresultBundle(path: try Self.bundle(in: folder) + "/") != nil)
    }

    #if !os(macOS)
    @Test func elsewhereThanOnMacOSItsStoreIsRead() throws {
        let folder = try LogFolder()
        let bundle = try XcresultStoreFixture.write(in: folder)
        for path in [bundle, folder.url.path, folder.url.path + "/*.xcresult"] {
            let result = Ingest().read([path])
            #expect(result.faultyInputs.isEmpty && result.runs.count == 2)
        }
    }

    /// Beside measurements, a bundle of plain tests isn't an error.
    @Test func aBundleThatMeasuredNothingIsPassedOver() throws {
        let folder = try LogFolder()
        var objects = XcresultStoreFixture.objects
        for id in ["0~scroll", "0~other"] { objects[id] = objects["0~plain"] }
        let bundle = try XcresultStoreFixture.write(objects, in: folder)
        #expect(Ingest().read([bundle]).faultyInputs.map(\.fault) == [.notFound])
        try folder.write(XcresultFixture.text, as: "metrics.json")
        let result = Ingest().read([folder.url.path])
        #expect(result.faultyInputs.isEmpty && result.runs.count == 1)
        #expect(
            result.diagnostics.contains {
                $0.message == "Not read in this folder: result bundles without measurements (Test.xcresult)."
            })
    }

    @Test func anEmptyBundleIsBadData() throws {
        let folder = try LogFolder()
        let bundle = try Self.bundle(in: folder)
        let faults = Ingest().read([bundle]).faultyInputs
        #expect(faults.map(\.fault) == [.badData])
        #expect(faults.first?.message.contains("Info.plist isn't there") == true)
        #expect(faults.first?.message.contains("xcrun xcresulttool get test-results metrics --path") == true)
    }
    #endif
}
