import Foundation
import Testing

@testable import PerfgateIngest

/// The number of records read from every sample: a change of these numbers changes perfgate's understanding.
struct RatchetTests {
    /// A sample's records: read, skipped for a reason, and not understood.
    struct Row: CustomTestStringConvertible {
        let file: String
        var folder = SampleFiles.own
        let read: Int
        let skipped: Int
        let notUnderstood: Int

        init(_ file: String, _ read: Int, _ skipped: Int = 0, _ notUnderstood: Int = 0) {
            self.file = file
            self.read = read
            self.skipped = skipped
            self.notUnderstood = notUnderstood
        }

        var testDescription: String { folder.appending(path: file).path }

        /// The same numbers for a file elsewhere.
        func file(in folder: URL) -> Row {
            var row = self
            row.folder = folder
            return row
        }
    }

    static let rows: [Row] =
        own + (SampleFiles.tools.map { folder in tools.map { $0.file(in: folder) } } ?? [])

    private static let own = [
        Row("xcresult-metrics/scroll.metrics.json", 5), Row("xctrace-xml/hitches.xml", 4, 1),
        Row("xctrace-xml/hang-risks.xml", 0), Row("xctrace-xml/display-vsyncs-interval.xml", 8),
        Row("android-gfxinfo/shop.txt", 1, 3), Row("androidx-benchmark/macro-frames.json", 3),
        Row("androidx-benchmark/macro-startup.json", 1), Row("androidx-benchmark/micro.json", 2),
        Row("flutter-timeline/scroll.timeline_summary.json", 13), Row("xctest-console/test.log", 4, 1),
        Row("reassure/current.perf", 1), Row("xcresult-legacy-json/summary.json", 2), Row("flashlight/results.json", 1),
        Row("perfetto/frames.csv", 2, 1), Row("package-benchmark/results.json", 3, 1),
        Row("app-store-connect/launch.json", 4), Row("logcat/starts.log", 4), Row("am-start/starts.txt", 1, 1),
        Row("flutter-startup/start_up_info.json", 2),
    ]

    private static let tools = [
        Row("xcresult-metrics/scrolling-slow-deceleration.metrics.json", 6),
        Row("xcresult-metrics/solidnative-scroll-hitch.metrics.json", 9),
        Row("xctrace-xml/hitches.xml", 11), Row("xctrace-xml/hang-risks.xml", 0),
        Row("xctrace-xml/display-vsyncs-interval.xml", 10),
        Row("android-gfxinfo/flashlight-gfxinfo-api29.txt", 1, 120),
        Row("androidx-benchmark/macro-frametiming-pixel5-2021.json", 5),
        Row("androidx-benchmark/macro-startup-pixel3.json", 1), Row("androidx-benchmark/micro-develop.json", 18),
        Row("xcresult-legacy-json/androidx-darwin-2022.test_output.json", 6),
        Row("xcresult-legacy-json/sampleapp-xcode26.SampleAppUITests.testLaunchPerformance.summary1.json", 1),
        Row("xcresult-legacy-json/xcparse-2020.SearchMetricsTests.testCategorySearch.summary1.json", 7),
        Row("reassure/favorites-page.baseline.perf", 7), Row("reassure/marked.current.perf", 1),
        Row("reassure/invalid-json.perf", 4, 0, 1), Row("flashlight/rn0720-thousandtexts.json", 2),
    ]

    @Test(arguments: rows)
    func records(_ row: Row) throws {
        let bytes = try Data(contentsOf: row.folder.appending(path: row.file))
        let tallies = try ForeignResult.of(bytes).tallies
        #expect(tallies.reduce(0) { $0 + $1.read } == row.read)
        #expect(tallies.reduce(0) { $0 + $1.skipped.count } == row.skipped)
        #expect(tallies.reduce(0) { $0 + $1.notUnderstood.count } == row.notUnderstood)
    }

    /// The readers' folders; files elsewhere have an unknown format.
    static let formats = [
        "xcresult-metrics": "xcresult-metrics", "xctrace-xml": "xctrace", "metrickit": "metrickit",
        "android-gfxinfo": "gfxinfo", "androidx-benchmark": "androidx-benchmark",
        "flutter-timeline": "flutter-timeline", "flutter-timeline-summary": "flutter-timeline",
        "xctest-console": "xctest-console", "xcresult-legacy-json": "xcresult-metrics", "reassure": "reassure",
        "flashlight": "flashlight", "perfetto": "perfetto", "package-benchmark": "package-benchmark",
        "app-store-connect": "app-store-connect", "logcat": "logcat", "am-start": "am-start",
        "flutter-startup": "flutter-startup",
    ]

    /// Every sample is detected, or described.
    @Test(arguments: SampleFiles.folders)
    func formats(_ folder: URL) throws {
        let files = SampleFiles.all(in: folder)
        try #require(files.count > 15)
        for file in files {
            let bytes = try Data(contentsOf: folder.appending(path: file))
            let head = ForeignHead(Array(bytes), isWhole: true)
            let expected = Self.formats[String(file.prefix { $0 != "/" })]
            if case .foreign(let reader) = try? InputFormat(of: head) {
                #expect(reader.name == expected, "\(file)")
            } else {
                #expect(expected == nil, "\(file) is \(ContentKind.name(of: head))")
            }
        }
    }

    /// Simulated by Xcode.
    @Test(
        arguments: SampleFiles.paths(
            own: ["metrickit/simulated.json"], tools: ["metrickit/meter-diagnostic-simulated-ios14.json"]))
    func aSimulatedPayloadOfMetricKitIsRefused(_ path: String) {
        #expect(Ingest().read([path]).faultyInputs.map(\.message) == [MetricKitSimulation.reason])
    }
}
