import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// A made-up result bundle in Xcode's storage format.
enum XcresultStoreFixture {
    /// An object with its complete type.
    static func object(_ type: String, _ fields: [(String, String)]) -> String {
        "[T[\(field("_n", token("V", type)))]\(fields.map(field).joined())]"
    }

    /// An object with a reference to an earlier type.
    static func known(_ type: String, _ fields: [(String, String)]) -> String {
        "[\(token("S", type))\(fields.map(field).joined())]"
    }

    static func text(_ value: String) -> String { known("String", [("_v", token("V", value))]) }

    static func list(_ elements: [String]) -> String { "[\(token("S", "Array"))\(elements.joined())]" }

    private static func field(_ name: String, _ value: String) -> String { token("K", name) + value }

    private static func token(_ letter: String, _ text: String) -> String { "\(letter)\(text.utf8.count):\(text)" }

    private static func reference(_ id: String) -> String { object("Reference", [("id", text(id))]) }

    static func metric(_ identifier: String, _ unit: String, _ values: [String]) -> String {
        object(
            "ActionTestPerformanceMetricSummary",
            [
                ("displayName", text("shown")), ("identifier", text(identifier)), ("unitOfMeasurement", text(unit)),
                ("measurements", list(values.map { known("Double", [("_v", token("V", $0))]) })),
            ])
    }

    private static func action(_ device: String, _ model: String, tests: String) -> String {
        object(
            "ActionRecord",
            [
                ("startedTime", known("Date", [("_v", token("V", "2026-11-20T10:00:00.250+0100"))])),
                ("actionResult", object("ActionResult", [("testsRef", reference(tests))])),
                (
                    "runDestination",
                    object(
                        "ActionRunDestinationRecord",
                        [
                            (
                                "targetDeviceRecord",
                                object(
                                    "ActionDeviceRecord",
                                    [
                                        ("identifier", text(device)), ("modelName", text(model)), ("name", text("Tür")),
                                        ("operatingSystemVersion", text("26.1")),
                                        ("platformRecord", object("R", [("userDescription", text("iOS Simulator"))])),
                                    ])
                            )
                        ])
                ),
            ])
    }

    private static func test(_ name: String, _ id: String, _ more: [(String, String)] = []) -> String {
        object("ActionTestMetadata", [("identifier", text(name)), ("summaryRef", reference(id))] + more)
    }

    /// The objects of a bundle with two devices, by identifier; `0~root` is the outermost.
    static let objects = [
        "0~root": object(
            "ActionsInvocationRecord",
            [
                (
                    "actions",
                    list([
                        object("ActionRecord", [("actionResult", object("ActionResult", []))]),
                        action("D1", "iPhone 17", tests: "0~one"), action("D2", "iPhone 16", tests: "0~two"),
                    ])
                )
            ]),
        "0~one": plan([
            object(
                "ActionTestSummaryGroup",
                [
                    (
                        "subtests",
                        list([
                            test("FeedTests/testScroll()", "0~scroll"),
                            test("FeedTests/testLogic()", "0~missing", [("performanceMetricsCount", text("0"))]),
                            test("FeedTests/testPlain()", "0~plain"),
                        ])
                    )
                ])
        ]),
        "0~two": plan([test("FeedTests/testScroll()", "0~other")]),
        "0~scroll": summary([
            metric(XcresultFixture.ratio, "ms per s", ["4.5", "0.0", "2e1"]),
            metric(XcresultFixture.prefix + "duration", "s", ["2.5", "2.25", "2"]),
        ]),
        "0~other": summary([metric(XcresultFixture.ratio, "ms per s", ["1.5"])]),
        "0~plain": summary([]),
    ]

    private static func plan(_ tests: [String]) -> String {
        let target = object("T", [("targetName", text("ShopUITests")), ("tests", list(tests))])
        let run = object("R", [("name", text("Test Scheme Action")), ("testableSummaries", list([target]))])
        return object("ActionTestPlanRunSummaries", [("summaries", list([run]))])
    }

    private static func summary(_ metrics: [String]) -> String {
        object(
            "ActionTestSummary",
            [("identifier", text("FeedTests/testScroll()")), ("performanceMetrics", list(metrics))])
    }

    static let info = """
        <plist version="1.0"><dict><key>rootId</key><dict><key>hash</key><string>0~root</string></dict>
        <key>storage</key><dict><key>backend</key><string>fileBacked2</string></dict></dict></plist>
        """

    /// Writes a bundle into a folder, and returns its path.
    static func write(
        _ objects: [String: String] = objects, info: String = info, in folder: LogFolder,
        compressed: (String) -> [UInt8] = { Array($0.utf8) }
    ) throws -> String {
        let bundle = folder.url.appending(path: "Test.xcresult")
        try FileManager.default.createDirectory(at: bundle.appending(path: "Data"), withIntermediateDirectories: true)
        try Data(info.utf8).write(to: bundle.appending(path: "Info.plist"))
        for (id, text) in objects {
            try Data(compressed(text)).write(to: bundle.appending(path: "Data/data.\(id)"))
        }
        return bundle.path
    }

    /// A Zstandard frame with uncompressed text in blocks of 100 bytes.
    static func frame(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var frame = Zstandard.magic + [0x80, 0x58]
        frame += (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) }
        for start in stride(from: 0, to: bytes.count, by: 100) {
            let block = bytes[start..<min(start + 100, bytes.count)]
            let header = block.count << 3 | (block.endIndex == bytes.count ? 1 : 0)
            frame += (0..<3).map { UInt8(truncatingIfNeeded: header >> ($0 * 8)) } + block
        }
        return frame
    }
}

/// The results of reading a result bundle's store without xcresulttool.
///
/// Real bundles were read, and every value, device and system was compared with a script's: `fastlane/fastlane`:
/// `trainer/spec/fixtures/Test.test_result.xcresult` (Xcode 11), `ChargePoint/xcparse`:
/// `Tests/Resources/testMetrics.xcresult` (Xcode 12), `kishikawakatsumi/xcresulttool`:
/// `__tests__/data/Spaceship.xcresult`, `example.xcresult` and `merged.xcresult` (Xcode 13),
/// `diogot/swift-xcresult-parser`: `Tests/XCResultParserTests/Fixtures/clean-build-passing-tests.xcresult`, and
/// `dodobrands/DBXCResultParser`: `Tests/PeekieTests/Resources/*.xcresult` (Xcode 26). Bundles without measurements are
/// from `davidahouse/XCResultKit`, `delatrie/allure-report-xcresult-demo` and `Malinskiy/xcresult-json`.
struct XcresultStoreTests {
    private static func read(_ path: String) throws -> Measurements {
        let store = XcresultStore(path: path, decompress: Zstandard.decompress)
        let collector = ForeignCollector(options: IngestOptions())
        for file in try store.files() { try collector.read(file, with: XcresultMetricsReader.self) }
        return collector.assembly().measurements()
    }

    @Test func testsAreFoundFromTheRootOn() throws {
        let folder = try LogFolder()
        let result = try Self.read(try XcresultStoreFixture.write(in: folder))
        let values = result.cells.map { cell, measurement in
            [cell.metric, cell.environment["device"]?.description ?? "", "\(measurement.values.sorted())"]
        }
        #expect(
            Set(values) == [
                ["hitch_ratio", "iPhone 17 (simulator)", "[0.0, 4.5, 20.0]"],
                ["hitch_ratio", "iPhone 16 (simulator)", "[1.5]"],
                ["duration", "iPhone 17 (simulator)", "[2000.0, 2250.0, 2500.0]"],
            ])
        #expect(Set(result.runs.map { $0.context.text("os") }) == ["iOS 26.1"])
        #expect(result.runs.allSatisfy { $0.isComplete && $0.context.text("started_at") == "2026-11-20T09:00:00Z" })
        #expect(Set(result.pages.values.flatMap(\.tests)) == ["ShopUITests/FeedTests/testScroll"])
    }

    /// The same tests in xcresulttool's output are the same run.
    @Test func bothWaysAreOneRun() throws {
        let folder = try LogFolder()
        let store = XcresultStore(
            path: try XcresultStoreFixture.write(in: folder), decompress: Zstandard.decompress)
        let exported = XcresultFixture.document([
            XcresultFixture.test(
                "FeedTests/testScroll()", [XcresultFixture.metric(XcresultFixture.ratio, "ms per s", "1.5")],
                device: "D2")
        ])
        let collector = ForeignCollector(options: IngestOptions())
        for file in try store.files() + [ForeignFile(path: "metrics.json", bytes: Array(exported.utf8))] {
            try collector.read(file, with: XcresultMetricsReader.self)
        }
        #expect(collector.assembly().measurements().runs.count == 2)
    }

    @Test func metricsThatAreNoNumbersAreReported() throws {
        let folder = try LogFolder()
        var objects = XcresultStoreFixture.objects
        objects["0~other"] = objects["0~other"]?.replacing("V3:1.5", with: "V3:x.5")
        let result = try Self.read(try XcresultStoreFixture.write(objects, in: folder))
        #expect(result.diagnostics.contains { $0.code == .badRecord })
    }

    /// Bundles that are cut off, damaged, or refer to files outside of themselves.
    @Test(arguments: [
        ("0~scroll", nil, "isn't there"), ("0~one", "[", "isn't in a result bundle's format"),
        ("0~root", "", "isn't in a result bundle's format"), ("0~root", "[]]", "isn't in a result bundle's format"),
        ("0~root", "[K99:a]", "isn't in a result bundle's format"),
        ("0~root", "[K99999999999999999999:a]", "isn't in a result bundle's format"),
        ("0~root", "[Ka:]", "isn't in a result bundle's format"),
        ("0~root", String(repeating: "[", count: 100_000), "isn't in a result bundle's format"),
        (
            "0~one",
            XcresultStoreFixture.objects["0~one"]?.replacing("V8:0~scroll", with: "V9:../scroll"), "the identifier"
        ),
        ("0~one", "\u{28}", "isn't in a result bundle's format"),
    ])
    func aDamagedBundleIsRefused(_ id: String, _ text: String?, _ problem: String) throws {
        let folder = try LogFolder()
        var objects = XcresultStoreFixture.objects
        objects[id] = text
        let path = try XcresultStoreFixture.write(objects, in: folder)
        let error = #expect(throws: IngestError.self) { try Self.read(path) }
        #expect("\(try #require(error))".contains(problem))
        #expect("\(try #require(error))".contains("xcrun xcresulttool get test-results metrics --path"))
    }

    /// A clone without Git LFS has pointers in place of the objects.
    @Test func pointersOfGitLFSAreNamed() throws {
        let folder = try LogFolder()
        var objects = XcresultStoreFixture.objects
        objects["0~one"] = "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n"
        let path = try XcresultStoreFixture.write(objects, in: folder)
        let error = #expect(throws: IngestError.self) { try Self.read(path) }
        #expect("\(try #require(error))".contains("pointers of Git LFS. Fetch the files themselves: git lfs pull"))
    }

    /// A small file that would expand into a large tree.
    @Test func anObjectOfTooManyValuesIsRefused() throws {
        let folder = try LogFolder()
        var objects = XcresultStoreFixture.objects
        objects["0~plain"] = "[" + String(repeating: "[]", count: 1_000_000) + "]"
        let path = try XcresultStoreFixture.write(objects, in: folder)
        let error = #expect(throws: IngestError.self) { try Self.read(path) }
        #expect(error == .refused(reason: "An object in it holds more than 1000000 values."))
    }

    /// The identifier is derived from the content.
    @Test func anObjectThatComesTwiceCountsOnce() throws {
        let folder = try LogFolder()
        var objects = XcresultStoreFixture.objects
        objects["0~two"] = objects["0~two"]?.replacing("V7:0~other", with: "V8:0~scroll")
        let result = try Self.read(try XcresultStoreFixture.write(objects, in: folder))
        #expect(result.runs.count == 1)
    }

    @Test(arguments: ["", "<plist version=\"1.0\"><dict/></plist>", "x"])
    func aDamagedListOfContentsIsRefused(_ info: String) throws {
        let folder = try LogFolder()
        let path = try XcresultStoreFixture.write(info: info, in: folder)
        #expect(throws: IngestError.self) { try Self.read(path) }
    }

    /// Debian has the library; elsewhere it may be missing, which is reported.
    @Test func whatIsCompressedNeedsTheLibrary() throws {
        let folder = try LogFolder()
        let path = try XcresultStoreFixture.write(in: folder, compressed: XcresultStoreFixture.frame)
        if Zstandard.system != nil {
            #expect(try Self.read(path).cells.count == 3)
        } else {
            let error = #expect(throws: IngestError.self) { try Self.read(path) }
            #expect("\(try #require(error))".contains("libzstd isn't there: install it"))
        }
        #expect(Zstandard(names: ["libnone.so.1"]) == nil)
    }

    #if os(Linux)
    @Test func framesAreDecompressedUpToALimit() throws {
        let library = try #require(Zstandard.system)
        let text = String(repeating: "0123456789", count: 50_000)
        let frame = XcresultStoreFixture.frame(text)
        #expect(try library.decompress(frame, limit: 500_000) == Array(text.utf8))
        #expect(try library.decompress(frame + frame, limit: 1_000_000).count == 1_000_000)
        #expect(throws: IngestError.tooLarge(limit: 499_999)) { try library.decompress(frame, limit: 499_999) }
        for bad in [Array(frame.dropLast()), frame + [1], Array(frame.prefix(4)), [], [1, 2, 3, 4, 5]] {
            #expect(throws: IngestError.self) { try library.decompress(bad, limit: 1_000_000) }
        }
    }
    #endif
}
