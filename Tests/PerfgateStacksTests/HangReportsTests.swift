import Foundation
import PerfgateCompare
import PerfgateIngest
import SeededRandom
import Testing

@testable import PerfgateStacks

/// Made-up payloads with hangs, in the shape of both generations of MetricKit.
enum HangFixture {
    /// A call as devices write it.
    struct Call {
        var binary: String? = "Shop"
        var offset = 0x1a2b
        var address: Int?
        var samples: Int? = 1
        var more = ""
        var below: [Call] = []

        func json(named: Bool) -> String {
            var members = [#""binaryUUID":"AE3C9338-0166-397A-9643-\#(binary ?? "356B14F6EE58")""#]
            members.append(#""offsetIntoBinaryTextSegment":\#(offset)"#)
            if let samples { members.append(#""sampleCount":\#(samples)"#) }
            if !below.isEmpty { members.append(#""subFrames":[\#(list(below, named: named))]"#) }
            if named, let binary { members.append(#""binaryName":"\#(binary)""#) }
            if let address { members.append(#""address":\#(address)"#) }
            return "{\(members.joined(separator: ","))\(more)}"
        }
    }

    static func list(_ calls: [Call], named: Bool = true) -> String {
        calls.map { $0.json(named: named) }.joined(separator: ",")
    }

    /// Calls below each other, the first outermost.
    static func chain(_ calls: [Call]) -> Call {
        calls.dropLast().reversed().reduce(calls[calls.count - 1]) { below, call in
            var call = call
            call.below = [below]
            return call
        }
    }

    static let usual = chain([
        Call(binary: "dyld"), Call(binary: "UIKitCore"), Call(offset: 0x10), Call(offset: 0x20), Call(offset: 0x30),
        Call(offset: 0x40), Call(binary: "libsystem_kernel.dylib"),
    ])

    static func old(
        _ calls: [Call] = [usual], release: String = "7.129", hang: String = "1,250 ms", begin: String = "2026-01-02"
    ) -> String {
        #"{"timeStampBegin":"\#(begin) 04:00:00 +0000","timeStampEnd":"2026-01-03 03:59:00 +0000","hangDiagnostics":[{"#
            + #""version":"1.0.0","diagnosticMetaData":{"appVersion":"\#(release)","hangDuration":"\#(hang)","#
            + #""bundleIdentifier":"shop","osVersion":"iPhone OS 17.5 (21F79)","deviceType":"iPhone12,1"},"#
            + #""callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"#
            + #""callStackRootFrames":[\#(list(calls))]}]}}]}"#
    }

    static func new(
        _ calls: [Call] = [usual], release: String = "7.129", hang: String = #"{"value":1.25,"unit":"s"}"#,
        states: String = #"[{"domain":"net","label":"wifi"},{"domain":"shop","label":"Search"}]"#
    ) -> String {
        let names = Set(["dyld", "UIKitCore", "Shop", "libsystem_kernel.dylib"]).sorted().map { name in
            #"{"uuid":"AE3C9338-0166-397A-9643-\#(name)","name":"\#(name)"}"#
        }
        return #"{"timeRange":{"begin":789004800,"end":789008400},"environment":{"applicationVersion":"\#(release)","#
            + #""bundleIdentifier":"shop","deviceType":"iPhone18,1","osVersion":{"platform":"iOS","number":"27.0"},"#
            + #""states":\#(states)},"hangDiagnostic":{"hangDuration":\#(hang),"callStackTree":{"#
            + #""callStackPerThread":true,"binaryInfo":[\#(names.joined(separator: ","))],"callStackThreads":[{},"#
            + #"{"threadAttributed":true,"rootFrames":[\#(list(calls, named: false))]}]}}}"#
    }
}

@Suite struct HangReportsTests {
    private typealias Call = HangFixture.Call

    private static func read(_ files: [String: String]) throws -> HangReports {
        let folder = try ProfileFiles(files)
        return HangReports([folder.path])
    }

    private static func frames(_ text: String) throws -> [String]? {
        try read(["a.json": text]).hangs.amounts.keys.first?.frames
    }

    @Test func aPayloadSince2020HasTheInnermostCallsOfTheApp() throws {
        let hangs = try Self.read(["a.json": HangFixture.old()]).hangs
        let hang = ReportedHang(
            app: "shop", release: "7.129", day: "2026-01-02", labels: [],
            frames: ["Shop+0x40 (AE3C9338)", "Shop+0x30 (AE3C9338)", "Shop+0x20 (AE3C9338)"], isNamed: false)
        #expect(hangs.amounts == [hang: .init(hangs: 1, milliseconds: 1_250)])
        #expect(hangs.diagnostics.isEmpty)
    }

    @Test func aReportSinceOS27HasTheSameAndTheLabelsOfItsStates() throws {
        let hangs = try Self.read(["a.json": HangFixture.new()]).hangs
        let hang = ReportedHang(
            app: "shop", release: "7.129", day: "2026-01-02", labels: ["wifi", "Search"],
            frames: ["Shop+0x40 (AE3C9338)", "Shop+0x30 (AE3C9338)", "Shop+0x20 (AE3C9338)"], isNamed: false)
        #expect(hangs.amounts == [hang: .init(hangs: 1, milliseconds: 1_250)])
        #expect(hangs.diagnostics.isEmpty)
    }

    @Test func aSnapshotThatBeginsWithItsInnermostCallGivesTheSameStack() throws {
        let calls = [Call(offset: 0x40), Call(offset: 0x30), Call(offset: 0x20), Call(binary: "libdyld.dylib")]
        #expect(
            try Self.frames(HangFixture.old([HangFixture.chain(calls)]))
                == ["Shop+0x40 (AE3C9338)", "Shop+0x30 (AE3C9338)", "Shop+0x20 (AE3C9338)"])
    }

    @Test func theCallsWithTheMostSamplesAreTheStack() throws {
        let rare = Call(offset: 0x70, samples: 2)
        let often = Call(offset: 0x50, samples: 9, below: [Call(offset: 0x60, samples: 3)])
        let tree = Call(binary: "dyld", samples: 11, below: [rare, often])
        // Most samples of the frequent call are its own, so the stack ends there.
        #expect(try Self.frames(HangFixture.old([tree])) == ["Shop+0x50 (AE3C9338)"])
    }

    @Test(arguments: [
        (#","symbol":"closure #2 in Feed.bind(_:)""#, ["Feed.bind(_:)"], true),
        (#","symbolName":"specialized decode(_:)""#, ["decode(_:)"], true),
        (#","symbolInfo":[{"symbol":"@objc Feed.load()"}]"#, ["Feed.load()"], true),
        (#","symbol":"0x1045ab""#, ["Shop+0x1a2b (AE3C9338)"], false),
        (#","symbol":7"#, ["Shop+0x1a2b (AE3C9338)"], false),
    ])
    func aServersNamesAreNormalised(_ more: String, _ frames: [String], _ isNamed: Bool) throws {
        let hang = try #require(Self.read(["a.json": HangFixture.old([Call(more: more)])]).hangs.amounts.keys.first)
        #expect(hang.frames == frames && hang.isNamed == isNamed)
    }

    @Test func codeThatCompilersMakeCountsAsItsCaller() throws {
        let names = ["Feed.body", "Feed.bind()", "closure #1 in Feed.bind()", "thunk for () -> ()"]
        let calls = names.map { Call(more: #","symbol":"\#($0)""#) }
        #expect(try Self.frames(HangFixture.old([HangFixture.chain(calls)])) == ["Feed.bind()", "Feed.body"])
    }

    @Test(
        arguments: [
            (Call(binary: nil, address: 0x1_0000_2000), ["code+0x1a2b (AE3C9338)"]),
            (Call(binary: nil, address: 0x1_9000_2000), ["Shop+0x1 (AE3C9338)"]),
            (Call(binary: "Maps", address: 0x1_9000_2000), ["Shop+0x1 (AE3C9338)"]),
            (Call(binary: "libswiftCore.dylib"), ["Shop+0x1 (AE3C9338)"]),
            // Until iOS 15 the offset is the address of the binary.
            (Call(offset: 0x1_0000_0000, address: 0x1_0000_0123), ["Shop+0x123 (AE3C9338)"]),
        ] as [(HangFixture.Call, [String])])
    func theSystemsCodeIsLeftOut(_ call: HangFixture.Call, _ expected: [String]) throws {
        let frames = try Self.frames(HangFixture.old([HangFixture.chain([Call(offset: 1), call])]))
        #expect(frames?.prefix(1) == expected.prefix(1))
    }

    @Test func withoutAnyCodeOfTheAppTheSystemsIsShown() throws {
        #expect(try Self.frames(HangFixture.old([Call(binary: "UIKitCore")])) == ["UIKitCore+0x1a2b (AE3C9338)"])
    }

    /// A hang that can't be read is counted, and the others of the file are read.
    @Test(arguments: [
        ("\"1,250 ms\"", "\"a while\"", "\"a while\" isn't a quantity"),
        ("\"1,250 ms\"", "\"-5 ms\"", "has no hangDuration"),
        ("\"1,250 ms\"", "\"25 h\"", "has no hangDuration"), ("\"1,250 ms\"", "[]", "expected a string"),
        ("\"hangDuration\"", "\"other\"", "has no hangDuration"), ("\"callStackTree\"", "\"other\"", "callStackTree"),
        ("\"callStacks\"", "\"other\"", "they have no calls"),
        ("[{\"version\"", "[3,{\"version\"", "expected an object"),
        ("\"callStackRootFrames\"", "\"other\"", "they have no calls"),
    ])
    func anUnreadableHangIsCounted(_ text: String, _ replacement: String, _ words: String) throws {
        let hangs = try Self.read([
            "a.json": HangFixture.old().replacing(text, with: replacement), "b.json": HangFixture.new(),
        ]).hangs
        #expect(hangs.diagnostics.count == 1)
        #expect(hangs.diagnostics.first?.message.contains(words) == true, "\(hangs.diagnostics)")
        #expect(hangs.amounts.values.contains(.init(hangs: 1, milliseconds: 1_250)))
    }

    @Test(arguments: [
        HangFixture.old().replacing("\"sampleCount\":1", with: "\"sampleCount\":18446744073709551615"),
        HangFixture.old().replacing("\"sampleCount\":1", with: "\"sampleCount\":1e300"),
        HangFixture.old().replacing("\"sampleCount\":1", with: "\"sampleCount\":\"many\""),
        HangFixture.old().replacing("\"binaryUUID\"", with: "\"other\""),
        HangFixture.old().replacing("\"threadAttributed\":true", with: "\"threadAttributed\":7"),
        HangFixture.old().replacing("\"appVersion\":\"7.129\"", with: "\"appVersion\":{}"),
        HangFixture.new(states: "{}"), HangFixture.new(states: "\"Search\""), HangFixture.new(states: "[[[7]]]"),
        HangFixture.new(states: #"{"shop":{"label":"Search"}}"#),
        HangFixture.new().replacing("\"binaryInfo\":[", with: "\"binaryInfo\":[7,{\"uuid\":[]},"),
        HangFixture.new().replacing("789004800", with: "1e300"),
    ])
    func whatAHangDoesntNeedMayBeAnything(_ text: String) throws {
        let hangs = try Self.read(["a.json": text]).hangs
        #expect(hangs.amounts.values.map(\.hangs) == [1] && hangs.diagnostics.isEmpty, "\(hangs.diagnostics)")
    }

    @Test(arguments: [
        (HangFixture.old([Call(binary: "testBinaryName")]), "simulated by Xcode"),
        (HangFixture.old([HangFixture.chain(Array(repeating: Call(), count: 300))]), "nested deeper"),
        ("{\"hangs\":[]}", "no payload"), ("not JSON", "can't be read"), ("", "empty"),
    ])
    func aFileThatIsNoPayloadIsNamed(_ text: String, _ words: String) throws {
        let reports = try Self.read(["a.json": text])
        #expect(reports.isEmpty && reports.hangs.amounts.isEmpty)
        #expect(reports.hangs.diagnostics.map(\.code) == [.unreadableInput])
        #expect(reports.hangs.diagnostics.first?.message.contains(words) == true, "\(reports.hangs.diagnostics)")
    }

    @Test func payloadsAreFoundInListsLinesAndWrappers() throws {
        let reports = try Self.read([
            "list.json": "[\(HangFixture.old(hang: "1 s")),\(HangFixture.new())]",
            "lines.ndjson": HangFixture.old(hang: "2 s") + "\n" + HangFixture.new(release: "7.117") + "\n",
            "wrapped.json": #"{"user":"a","payload":{"body":\#(HangFixture.old(hang: "3 s"))}}"#,
        ])
        #expect(reports.hangs.amounts.values.reduce(0) { $0 + $1.hangs } == 5)
    }

    @Test func aFileThatWasStoredTwiceCountsOnce() throws {
        let reports = try Self.read(["a.json": HangFixture.old(), "b/a.json": HangFixture.old()])
        #expect(reports.hangs.amounts.values.map(\.hangs) == [1])
    }

    @Test func manyProblemsAreCounted() throws {
        let files = (0..<30).map { ("\($0).json", "{\"no\":\($0)}") }
        let diagnostics = try Self.read(Dictionary(uniqueKeysWithValues: files)).hangs.diagnostics
        #expect(diagnostics.count == 21)
        #expect(diagnostics.last?.message.hasPrefix("10 more") == true)
    }

    @Test func aPathThatDoesntExistIsNamed() {
        #expect(HangReports(["nowhere"]).absent.map(\.path) == ["nowhere"])
    }

    /// The same hangs in files of other names, in other orders and groups, give the same sums.
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func theOrderOfFilesDoesntMatter(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let texts = (0..<40).map { number in
            let call = Call(offset: Int.random(in: 1...4, using: &random), more: ",\"n\":\(number)")
            let release = ["7.117", "7.129"][Int.random(in: 0...1, using: &random)]
            let hang = Int.random(in: 250...9_000, using: &random)
            return Bool.random(using: &random)
                ? HangFixture.old([call], release: release, hang: "\(hang) ms")
                : HangFixture.new([call], release: release, hang: "{\"value\":\(hang),\"unit\":\"ms\"}")
        }
        func sums(_ texts: [String], inLists: Bool) throws -> [ReportedHang: ReleaseTraffic.Hangs.Amount] {
            let groups = inLists ? texts.chunks(of: 7).map { "[\($0.joined(separator: ","))]" } : texts
            let files = groups.enumerated().map { ("\($0).json", $1) }
            return try Self.read(Dictionary(uniqueKeysWithValues: files)).hangs.amounts
        }
        let expected = try sums(texts, inLists: false)
        #expect(expected.values.reduce(0) { $0 + $1.hangs } == 40)
        #expect(try sums(texts.shuffled(using: &random), inLists: false) == expected)
        #expect(try sums(texts.shuffled(using: &random), inLists: true) == expected)
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
