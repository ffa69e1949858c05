import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Formats are detected by content alone.
struct DetectionTests {
    /// The name of a format, or a description of the text.
    private static func verdict(_ text: String) -> String {
        let head = ForeignHead(Array(text.utf8), isWhole: true)
        do throws(IngestError) {
            switch try InputFormat(of: head) {
            case .log: return "perfgate"
            case .foreign(let reader): return reader.name
            }
        } catch {
            switch error {
            case .unknownFormat(let kind, _): return kind
            case .ignoredFormat(let title, _): return title
            default: return "\(error)"
            }
        }
    }

    @Test(arguments: [
        (#"{"type":"run","run_id":"r"}"#, "perfgate"), (#"  {"page":"P","type":"pps"}"#, "perfgate"),
        (#"{"type":"run","#, "perfgate"), (#"{"type":"#, "perfgate"), ("{bad\n{\"type\":\"pps\"}\n", "perfgate"),
        (#"{"type":"zoom"}"# + "\n" + #"{"type":"pps"}"#, "perfgate"),
        (#"[{"testIdentifier":"A/b()","testRuns":[]}]"#, "xcresult-metrics"),
        ("[\n  {\n \"testIdentifier\" : \"A/b()\",\n \"testRuns\" : [ {", "xcresult-metrics"),
        ("[]", "xcresult-metrics"), ("<trace-toc><run/>", "xctrace"),
        ("<?xml version=\"1.0\"?>\n<trace-query-result>\n<node xpath='", "xctrace"),
        (MetricKitFixture.text, "metrickit"), (#"{"timeStampEnd":"","cpuMetrics":{"#, "metrickit"),
        (GfxinfoFixture.text, "gfxinfo"), ("\r\n** Graphics info for pid 7 [a] **\r\n", "gfxinfo"),
        ("---PROFILEDATA---\n", "gfxinfo"), (AndroidxFixture.text, "androidx-benchmark"),
        (#"{"benchmarks":[{"name":"a","className":"B","metrics":{"#, "androidx-benchmark"),
        (FlutterFixture.text, "flutter-timeline"), (FlutterFixture.summary, "flutter-timeline"),
        (PerfettoFixture.table, "perfetto"), (PerfettoFixture.json, "perfetto"), (PerfettoFixture.metrics, "perfetto"),
        ("android_mem {\n}}android_startup {\n", "perfetto"), ("ts,dur,jank_type,process_name\r\n", "perfetto"),
        ("android_mem {\n}\n", #"text that begins with "android_mem {""#),
        (#"{"frame_count":1,"fps":60}"#, #"a JSON object with the keys "fps", "frame_count""#),
        (#"{"a":1,"b":{"c":2}}"#, #"a JSON object with the keys "a", "b""#),
        ("{\n  \"a\": 1,\n  \"b\": [", #"a JSON object with the keys "a", "b""#),
        ("[1, 2]", "a JSON array"), (#"[{"x":1}]"#, #"a JSON array with the keys "x""#),
        ("<?xml version='1.0'?><!-- a --><!DOCTYPE p><list/>", "XML whose outermost element is <list>"),
        ("<?xml version='1.0'?><!-- a --><!DOCTYPE p><plist/>", "property lists"),
        (#"{"traceEvents":[]}"#, "timelines of Flutter"),
        (#"{"name":"x","type":"IOS_EXPERIMENTAL","measures":[[1,2]]}"#, "files of Flashlight for iOS"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n", "pointers of Git LFS"),
        (#"["cpuMetrics": ["cumulativeCPUTime": "9 sec"], "appVersion": 1]"#, "printed dictionaries of MetricKit"),
        (#"[AnyHashable("cpuMetrics"): {}]"#, "printed dictionaries of MetricKit"),
        ("{\n    animationMetrics =     {\n        a = 1;\n    };\n}\n", "printed dictionaries of MetricKit"),
        (
            "StartupBenchmark_startup\ntimeToInitialDisplayMs   min 289.0,   median 314.2,   max 369.6\n",
            "summaries that Android Studio prints"
        ),
        (#"{"productData":[{"metricCategories":[]}],"version":"1.0"}"#, "app-store-connect"),
        (AppStoreMetricsFixture.text, "app-store-connect"), (PackageBenchmarkFixture.text, "package-benchmark"),
        (#"{"results":[[{"statistics":{},"metric":{}}],{"target":"#, "package-benchmark"),
        (#"{"results":[{"target":"a"}]}"#, #"a JSON object with the keys "results""#),
        (#"{"syscalls":1,"other":2}"#, #"a JSON object with the keys "other", "syscalls""#),
        (#"[{"primaryMetric":{"rawData":[[1]]},"benchmark":"a"}]"#, "benchmarks in the form of JMH"),
        (StartsFixture.amStart, "am-start"), (StartsFixture.logcat, "logcat"),
        (StartsFixture.flutter, "flutter-startup"),
        ("D/Shop( 7): Displayed cart: +3\n", #"text that begins with "D/Shop( 7): Displayed cart: +3""#),
        (#"{"engineEnterTimestampMicros":1,"timeTo"#, "flutter-startup"),
        ("PK\u{3}\u{4}zip", "a ZIP archive"), ("a,b\r\n1,2\r\n", #"text that begins with "a,b""#),
        ("<", #"text that begins with "<""#), ("\u{1}\u{0}", "binary data"),
    ])
    func contentDecides(_ text: String, _ expected: String) {
        #expect(Self.verdict(text) == expected)
    }

    /// JSON lines alone aren't a log, even with types.
    @Test(arguments: [
        "{\"metadata\":{}}\n{\"name\":\"a\",\"type\":\"drawing\"}\n",
        "{\"name\":\"a\",\"type\":\"render\"}\n{bad\n",
    ])
    func linesOfOtherToolsAreNoLog(_ text: String) {
        #expect(Self.verdict(text).hasPrefix("a JSON object with the keys"))
    }

    @Test func anUnknownFileSaysWhatItLooksLikeAndWhatIsKnown() throws {
        let message = try LogFolder.measurements("<kml/>").faultyInputs.map(\.message)
        #expect(message.count == 1)
        #expect(message.first?.hasPrefix("It is XML whose outermost element is <kml>, in none of") == true)
        for name in Ingest.formats { #expect(message.first?.contains(name) == true) }
    }

    @Test func aFormatCanBeForced() throws {
        let text = #"[{"testIdentifier":"A/b()"}]"# + "\n"
        #expect(try LogFolder.measurements(text).faultyInputs.count == 1)
        #expect(try LogFolder.measurements(text) { $0.format = "xcresult-metrics" }.faultyInputs.isEmpty)
        #expect(try LogFolder.measurements(text) { $0.format = "perfgate" }.codes == [.badLine])
        let unknown = try LogFolder.measurements(text) { $0.format = "zoom" }.faultyInputs
        #expect(
            unknown.map(\.message) == [
                "No format is called zoom. Use one of \(Ingest.formats.joined(separator: ", "))."
            ])
    }

    @Test(arguments: ["", " \n\t\n"])
    func nothingIsNotFound(_ text: String) throws {
        #expect(try LogFolder.measurements(text).faultyInputs.map(\.fault) == [.notFound])
    }

    /// Every encoding of a log and of a foreign file gives the same measurements.
    @Test(arguments: [
        InputTests.text + "{\"type\":\"pps\",\"page\":\"Suche 🔍\",\"ttil_ms\":7}\n", XcresultFixture.text,
        XctraceFixture.text, MetricKitFixture.text,
    ])
    func encodingsAreEqual(_ text: String) throws {
        let encodings: [Data] = [
            Data(text.utf8), Data("\u{FEFF}\(text)".utf8), utf16(text, bigEndian: false), utf16(text, bigEndian: true),
            utf16("\u{FEFF}\(text)", bigEndian: false), utf16("\u{FEFF}\(text)", bigEndian: true),
            gzip(text), gzip("\u{FEFF}\(text)"),
        ]
        let folder = try LogFolder()
        let results = try encodings.map { Ingest().read([try folder.write($0, as: "input")]) }
        #expect(!results[0].cells.isEmpty)
        for result in results {
            #expect(result.faultyInputs.isEmpty)
            #expect(result.cells == results[0].cells)
        }
    }

    @Test func halfACharacterIsReported() throws {
        let folder = try LogFolder()
        // The fuzzer found three of these byte sequences.
        let short = [Data([0x3F, 0, 0x7B]), Data([0, 0x7B, 0]), Data([0xFF, 0xFE, 0x41])]
        for odd in short + [
            utf16(InputTests.text, bigEndian: false).dropLast(), Data([0xFF, 0xFE, 0x00, 0xDC, 0x41, 0]),
        ] {
            let result = Ingest().read([try folder.write(odd, as: "input")])
            #expect(result.faultyInputs.map(\.fault) == [.badData])
        }
    }

    /// A build server's text may have any length. If its beginning isn't recognised, it doesn't count as a missing
    /// input.
    @Test(arguments: [("x", true), ("[", false)])
    func aGiganticTextIsUnknown(_ start: String, _ isUnknown: Bool) {
        let log = LogReader(path: "f", collector: LogCollector(options: IngestOptions()))
        let router = InputRouter(path: "f", format: nil, log: log, limit: 100_000)
        for _ in 0..<4 {
            Array((start + String(repeating: " ", count: 40_000)).utf8).withUnsafeBytes { router.take($0) }
        }
        if case .unknownFormat = router.error {
            #expect(isUnknown)
        } else {
            #expect(router.error == .tooLarge(limit: 100_000) && !isUnknown)
        }
    }

    /// The limit holds for decompressed text, so a small file can't become a large one.
    @Test(arguments: [(100_000, false), (100_001, true)])
    func aGiganticFileIsRefused(_ size: Int, _ isRefused: Bool) {
        let log = LogReader(path: "f", collector: LogCollector(options: IngestOptions()))
        let router = InputRouter(path: "f", format: "xcresult-metrics", log: log, limit: 100_000)
        let text = Array(repeating: UInt8(ascii: " "), count: size - 2) + Array("[]".utf8)
        for start in stride(from: 0, to: size, by: 30_000) {
            text[start..<min(size, start + 30_000)].withUnsafeBytes { router.take($0) }
        }
        #expect((router.error == .tooLarge(limit: 100_000)) == isRefused)
    }
}

/// A text as UTF-16.
private func utf16(_ text: String, bigEndian: Bool) -> Data {
    Data(
        text.utf16.flatMap { unit in
            let bytes = [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)]
            return bigEndian ? bytes.reversed() : bytes
        })
}
