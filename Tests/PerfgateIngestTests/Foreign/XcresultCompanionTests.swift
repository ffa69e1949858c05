import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// The metrics' companion files name the tests' devices.
struct XcresultCompanionTests {
    private static let phone = XcresultFixture.device("D1", "iPhone 11", "iOS", "17.5")
    private static let simulator = XcresultFixture.device("D2", "iPhone 15 Pro", "iOS Simulator", "18.0")

    private static func metrics(_ devices: String?...) -> String {
        XcresultFixture.document(
            devices.enumerated().map { index, device in
                let ratio = XcresultFixture.metric(XcresultFixture.ratio, "ms per s", "\(index)")
                return XcresultFixture.test("FeedTests/testScroll()", [ratio], device: device)
            })
    }

    private static func read(_ texts: String..., names: [String]? = nil) throws -> Measurements {
        let folder = try LogFolder()
        let paths = try texts.enumerated().map { try folder.write($1, as: "\($0).json") }
        let result = Ingest().read(paths)
        #expect(result == Ingest().read(paths.reversed()))
        return result
    }

    /// The device, system and simulator of every run, and its start.
    private static func described(_ result: Measurements) -> [String] {
        let names = ["device", "os", "simulator", "started_at"]
        return result.runs.map { run in names.map { run.context.text($0) ?? "-" }.joined(separator: " ") }.sorted()
    }

    @Test(arguments: [
        (XcresultFixture.summary([phone], start: "1795168800.25"), "iPhone 11 iOS 17.5 false 2026-11-20T10:00:00Z"),
        (XcresultFixture.summary([phone, simulator]), "iPhone 11 iOS 17.5 false -"),
        (XcresultFixture.details([phone], start: "1795168800"), "iPhone 11 iOS 17.5 false 2026-11-20T10:00:00Z"),
        (XcresultFixture.summary([simulator]), "- - - -"),
    ])
    func aDeviceIsFoundByItsIdentifier(_ companion: String, _ expected: String) throws {
        let result = try Self.read(Self.metrics("D1"), companion)
        #expect(Self.described(result) == [expected])
        #expect(result.faultyInputs.isEmpty)
    }

    @Test func aSimulatorIsOne() throws {
        let result = try Self.read(Self.metrics("D2"), XcresultFixture.summary([Self.phone, Self.simulator]))
        #expect(Self.described(result) == ["iPhone 15 Pro iOS 18.0 true -"])
        #expect(result.environments.map(\.isSimulator) == [true])
    }

    @Test func metricsWithoutADeviceAreOfTheOnlyOne() throws {
        let one = try Self.read(Self.metrics(nil), XcresultFixture.summary([Self.phone]))
        #expect(Self.described(one) == ["iPhone 11 iOS 17.5 false -"])
        let two = try Self.read(Self.metrics(nil), XcresultFixture.summary([Self.phone, Self.simulator]))
        #expect(Self.described(two) == ["- - - -"])
    }

    /// Without the summary the models are unknown: the names then separate the devices.
    @Test func twoDevicesWithoutACompanionAreTwoEnvironments() throws {
        let text = Self.metrics("D1", "D2").replacing(
            #""D2", "deviceName" : "Phone""#, with: #""D2", "deviceName" : "Pad""#)
        let result = try Self.read(text)
        #expect(result.environments.map { $0["device"] } == [.text("Pad"), .text("Phone")])
        #expect(result.cells.values.allSatisfy { $0.runs.count == 1 })
        #expect(result.diagnostics.contains { $0.code == .unknownField && $0.message.contains("summary too") })
    }

    /// The same test in two configurations of a test plan, such as two languages, also if a rule names the page.
    @Test(arguments: [nil, "Feed"])
    func twoConfigurationsAreTwoPages(_ page: String?) throws {
        let folder = try LogFolder()
        let texts = ["English", "Deutsch"].map { name in
            XcresultFixture.test(
                "FeedTests/testScroll()", [XcresultFixture.metric(XcresultFixture.ratio, "ms per s", "1")]
            )
            .replacing(
                #"{ "metrics""#, with: #"{ "testPlanConfiguration" : { "configurationName" : "\#(name)" }, "metrics""#)
        }
        let path = try folder.write(XcresultFixture.document(texts), as: "metrics.json")
        var options = IngestOptions()
        if page != nil { options.mapping = [try MappingRule(pattern: "^(?<page>Feed)Tests/")] }
        let result = Ingest(options).read([path])
        let name = page ?? "FeedTests/testScroll()"
        #expect(Set(result.pages.keys.map(\.page.name)) == ["\(name) (English)", "\(name) (Deutsch)"])
        #expect(result.runs.count == 2)
    }

    @Test func twoDevicesAreTwoRuns() throws {
        let summary = XcresultFixture.summary([Self.phone, Self.simulator], start: "0")
        let result = try Self.read(Self.metrics("D1", "D2"), summary)
        #expect(
            Self.described(result) == [
                "iPhone 11 iOS 17.5 false 1970-01-01T00:00:00Z", "iPhone 15 Pro iOS 18.0 true 1970-01-01T00:00:00Z",
            ])
    }

    /// With two metrics files from one device, the summary's time can't be assigned to either.
    @Test func aTimeThatCouldBeOfTwoRunsIsOfNone() throws {
        let other = XcresultFixture.document([
            XcresultFixture.test("MapTests/testPan()", [XcresultFixture.metric("x", "s", "1")], device: "D1")
        ])
        let result = try Self.read(Self.metrics("D1"), other, XcresultFixture.summary([Self.phone], start: "5"))
        #expect(Self.described(result) == Array(repeating: "iPhone 11 iOS 17.5 false -", count: 2))
    }

    @Test func aCompanionAloneMeasuresNothing() throws {
        let result = try Self.read(XcresultFixture.summary([Self.phone]))
        #expect(result.faultyInputs.map(\.fault) == [.notFound])
        #expect(result.faultyInputs.first?.message.contains("get test-results metrics too") == true)
    }

    @Test func theCommandLineFillsWhatNobodySays() throws {
        let folder = try LogFolder()
        let paths = [
            try folder.write(Self.metrics("D1"), as: "m.json"),
            try folder.write(XcresultFixture.summary([Self.phone]), as: "s.json"),
        ]
        var options = IngestOptions()
        options.context = Context(["device": .text("other"), "app": .text("A")])
        let context = try #require(Ingest(options).read(paths).runs.first?.context)
        #expect(context["device"] == .text("iPhone 11"))
        #expect(context["app"] == .text("A"))
    }
}
