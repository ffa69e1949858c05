import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// The results of importing Xcode's performance baselines.
struct XcbaselineImportTests {
    private typealias Folder = XcbaselineFolder

    private static let old = "com.apple.XCTPerformanceMetric_WallClockTime"
    private static let signpost = "com.apple.dt.XCTMetric_OSSignpost-Scroll."

    private static func allowances(
        _ classes: [String: Any], _ options: IngestOptions = IngestOptions()
    ) throws -> [XcbaselineImport.Allowance] {
        let folder = try Folder([Folder.phone: classes])
        return try XcbaselineImport(path: folder.folder.path, options: options).allowances
    }

    /// The stored values, and Xcode's bound: the percentage or the absolute value, whichever is larger.
    @Test(
        arguments: [
            (Folder.clock, ["baselineAverage": 2.0], 2_000.0, 2_200.0),
            (Folder.clock, ["baselineAverage": 2], 2_000, 2_200),
            (Folder.clock, ["baselineAverage": 2.0, "maxPercentRegression": 25], 2_000, 2_500),
            (Folder.clock, ["baselineAverage": 2.0, "maxPercentRegression": 0], 2_000, 2_000),
            (Folder.clock, ["baselineAverage": 2.0, "maxRegression": 0.5], 2_000, 2_500),
            (Folder.clock, ["baselineAverage": 2.0, "maxRegression": 0.1], 2_000, 2_200),
            (old, ["baselineAverage": 0.006], 6, 106), (old, ["baselineAverage": 2.0], 2_000, 2_200),
            (old, ["baselineAverage": 0.075, "maxRegression": 0.001], 75, 82.5),
            (signpost + "animation.frame.rate", ["baselineAverage": 60], 60, 54),
            (signpost + "animation.frame.rate", ["baselineAverage": 60, "maxRegression": 90], 60, 0),
            (signpost + "animation.hitch.time.ratio", ["baselineAverage": 5, "maxPercentRegression": 100], 5, 10),
            (signpost + "duration", ["baselineAverage": 0], 0, 0),
            ("com.apple.dt.XCTMetric_Memory.physical", ["baselineAverage": 512], 512, 563.2),
        ] as [(String, [String: Double], Double, Double)])
    func bounds(_ metric: String, _ values: [String: Double], _ average: Double, _ bound: Double) throws {
        let allowance = try #require(try Self.allowances(Folder.classes(metric, values)).first)
        #expect(abs(allowance.average - average) < 1e-9)
        #expect(abs(allowance.bound - bound) < 1e-9)
    }

    /// The metric equals the one from the same test's results.
    @Test(arguments: [
        (Folder.clock, "measured_time", "ms", Better.lower), (old, "measured_time", "ms", .lower),
        ("com.apple.dt.XCTMetric_ApplicationLaunch-AppLaunch.duration", "launch", "ms", .lower),
        (signpost + "animation.frame.rate", "fps_mean", "fps", .higher),
        (signpost + "animation.hitches.total.duration", "hitch_duration", "ms", .lower),
        ("com.apple.dt.XCTMetric_CPU.cycles", "com.apple.dt.XCTMetric_CPU.cycles", "kC", .lower),
    ])
    func metrics(_ identifier: String, _ id: String, _ unit: String, _ better: Better) throws {
        let allowances = try Self.allowances(Folder.classes(identifier, ["baselineAverage": 1]))
        #expect(allowances.map(\.metric) == [Metric(id: id, unit: Unit(unit), better: better)])
    }

    /// A list without a run destination is reported.
    @Test func anOrphanIsReported() throws {
        let folder = try Folder([
            Folder.phone: Folder.classes(Folder.clock, ["baselineAverage": 2.0]),
            "00000000-0000-0000-0000-000000000000": Folder.classes(Folder.clock, ["baselineAverage": 3.0]),
        ])
        let read = try XcbaselineImport(path: folder.folder.path)
        #expect(read.allowances.map(\.average) == [2_000])
        #expect(
            read.diagnostics.map(\.message) == [
                "1 of 1 files left out: Info.plist has no run destination for this baseline."
            ])
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func formats(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let folder = try Folder(
            [Folder.phone: Folder.classes(["baselineAverage": 2.0, "polarity": "prefers larger"])], format: format)
        let allowance = try #require(try XcbaselineImport(path: folder.folder.path).allowances.first)
        #expect(allowance.page.name == "LaunchTests/testLaunch()")
        #expect(allowance.context.text("device") == "iPhone18,1")
        #expect(!allowance.context.isSimulator)
    }

    @Test(arguments: ["testLaunch", "testLaunch()"])
    func testsKeepTheirNames(_ test: String) throws {
        let allowances = try Self.allowances(Folder.classes(["baselineAverage": 1], test: test))
        #expect(allowances.map(\.page.name) == ["LaunchTests/\(test)"])
    }

    @Test func rulesOfResultsFindThePages() throws {
        var options = IngestOptions()
        options.mapping = [try MappingRule(format: "xcresult-metrics", pattern: #"^(?<page>\w+)Tests/"#)]
        let allowances = try Self.allowances(Folder.classes(["baselineAverage": 1]), options)
        #expect(allowances.map(\.page.name) == ["Launch"])
    }

    @Test func rulesGiveConditionsAsForResults() throws {
        var options = IngestOptions()
        options.mapping = [try MappingRule(format: nil, pattern: #"/(?<simulator>true|false)$"#)]
        let allowances = try Self.allowances(Folder.classes(["baselineAverage": 1], test: "true"), options)
        #expect(allowances.map { $0.context["simulator"] } == [.flag(true)])
    }

    /// As in their results: two signposts in one test are two pages.
    @Test func labelsKeepSignpostsApart() throws {
        let ids = ["Scroll", "Drag"].map { "com.apple.dt.XCTMetric_OSSignpost-\($0).duration" }
        let metrics = Dictionary(uniqueKeysWithValues: ids.map { ($0, ["baselineAverage": 1]) })
        let pages = try Self.allowances(["A": ["b()": metrics]]).map(\.page.name)
        #expect(pages == ["A/b() (OSSignpost-Drag)", "A/b() (OSSignpost-Scroll)"])
    }

    @Test func aProjectHoldsDevicesSimulatorsAndComputers() throws {
        let classes = Folder.classes(["baselineAverage": 1])
        let folder = try Folder([Folder.phone: classes, Folder.mac: classes], simulator: true)
        let found = try XcbaselineImport(path: folder.parent.path).allowances
        #expect(Set(found.map { $0.context.text("device") }) == ["iPhone18,1", "Mac16,6"])
        #expect(found.filter(\.context.isSimulator).map { $0.context.text("device") } == ["iPhone18,1"])
        let one = try XcbaselineImport(path: folder.parent.path, destination: Folder.mac).allowances
        #expect(one.map { $0.context.text("device") } == ["Mac16,6"])
    }

    /// The flags win, because results name the device differently; of several destinations one must be named.
    @Test func flagsSayWhatXcodeDoesNot() throws {
        let classes = Folder.classes(["baselineAverage": 1])
        let folder = try Folder([Folder.phone: classes, Folder.mac: classes])
        var options = IngestOptions()
        options.context["os"] = .text("iOS 17.5")
        #expect(
            Set(
                try XcbaselineImport(path: folder.folder.path, options: options).allowances.map {
                    $0.context.text("os")
                }) == ["iOS 17.5"])
        options.context["device"] = .text("iPhone 17 Pro")
        #expect(throws: IngestError.self) { try XcbaselineImport(path: folder.folder.path, options: options) }
        let one = try XcbaselineImport(path: folder.folder.path, options: options, destination: Folder.phone)
        #expect(one.allowances.map { $0.context.text("device") } == ["iPhone 17 Pro"])
    }

    /// The stored content, and whether leaving it out is an error.
    @Test(
        arguments: [
            (["baselineAverage": "2"], Folder.clock, true), (["baselineAverage": -1.0], Folder.clock, true),
            ([:], Folder.clock, false), (["baselineAverage": 1e308, "maxPercentRegression": 1e9], Folder.clock, true),
            (["baselineAverage": 1.0], "com.example.custom", false),
            (["baselineAverage": 1.0], "com.apple.dt.XCTMetric_New.thing", false),
        ] as [([String: any Sendable], String, Bool)])
    func whatCantBeUsedIsReported(_ values: [String: any Sendable], _ metric: String, _ isError: Bool) throws {
        let good = ["baselineAverage": 1.0]
        let folder = try Folder([
            Folder.phone: ["A": ["b()": [metric: values]], "B": ["c()": [Self.old: good]]]
        ])
        let found = try XcbaselineImport(path: folder.folder.path)
        #expect(found.allowances.map(\.page.name) == ["B/c()"])
        #expect(found.diagnostics.map(\.code) == [isError ? .badRecord : .skippedRecords])
        #expect(found.diagnostics.first?.path?.hasSuffix("\(Folder.phone).plist") == true)
    }

    /// A file in the place of the averages or of `Info.plist`.
    @Test(arguments: [
        "", "<plist", "text", "{}", "<plist version=\"1.0\"><array/></plist>",
        "<plist version=\"1.0\"><dict><key>classNames</key><string>a</string></dict></plist>",
        "<plist version=\"1.0\"><dict><key>classNames</key><dict/></dict></plist>",
        "<plist version=\"1.0\">" + String(repeating: "<array>", count: 100_000),
        #"<!DOCTYPE p [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><plist version="1.0"><string>&b;</string></plist>"#,
        "bplist00\u{1}\u{2}",
    ])
    func badFiles(_ text: String) throws {
        let folder = try Folder([Folder.phone: Folder.classes(["baselineAverage": 1])])
        try folder.write(Array(text.utf8), as: "\(Folder.phone).plist")
        #expect(throws: IngestError.self) { try XcbaselineImport(path: folder.folder.path) }
        let other = try Folder([Folder.phone: Folder.classes(["baselineAverage": 1])])
        try other.write(Array(text.utf8), as: "Info.plist")
        #expect(throws: IngestError.self) { try XcbaselineImport(path: other.folder.path) }
    }

    @Test func folders() throws {
        let folder = try Folder([:])
        #expect(throws: IngestError.self) { try XcbaselineImport(path: folder.folder.path) }
        #expect(throws: IngestError.self) { try XcbaselineImport(path: folder.folder.path + "/nowhere") }
        #expect(throws: IngestError.self) { try XcbaselineImport(path: folder.folder.path + "/Info.plist") }
        #expect(throws: IngestError.self) { try XcbaselineImport(path: try LogFolder().url.path) }
    }

    /// A project's files, the number of imported averages, and the number of reasons to leave others out.
    struct Project {
        let samples: URL
        let name: String
        let read: Int
        let left: Int
    }

    static let projects =
        [Project(samples: SampleFiles.own, name: "shop", read: 4, left: 1)]
        + (SampleFiles.tools.map { folder in
            [("embrace-bench", 2, 0), ("realm", 25, 1), ("sentry", 11, 0)].map { name, read, left in
                Project(samples: folder, name: name, read: read, left: left)
            }
        } ?? [])

    @Test(arguments: projects)
    func samples(_ project: Project) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
        let bundle = folder.appending(path: "X.xcbaseline")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = project.samples.appending(path: "xcbaseline").path
        let prefix = "\(project.name)__"
        for name in try FileManager.default.contentsOfDirectory(atPath: source) where name.hasPrefix(prefix) {
            let short = String(name.dropFirst(prefix.count))
            try FileManager.default.copyItem(atPath: "\(source)/\(name)", toPath: bundle.appending(path: short).path)
        }
        let found = try XcbaselineImport(path: bundle.path)
        #expect(found.allowances.count == project.read)
        #expect(found.diagnostics.count == project.left)
        #expect(found.allowances.allSatisfy { $0.bound >= $0.average && ["ms", "kB"].contains($0.metric.unit.symbol) })
    }
}

extension XcbaselineFolder {
    /// A class with one test that measured the time.
    fileprivate static func classes(_ values: [String: any Sendable], test: String = "testLaunch()") -> [String: Any] {
        classes(clock, values, test: test)
    }
}
