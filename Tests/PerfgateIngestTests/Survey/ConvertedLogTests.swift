import Foundation
import PerfgateModel
import Testing
import SeededRandom

@testable import PerfgateIngest

/// Converting and reading again gives the same measurements.
struct ConvertedLogTests {
    /// The result of inputs, and of their converted log without any rule or flag.
    private static func both(
        _ files: [(name: String, text: String)], _ options: IngestOptions = IngestOptions()
    ) throws -> (Measurements, Measurements, String) {
        let folder = try LogFolder()
        let survey = Ingest(options).survey(try files.map { try folder.write($0.text, as: $0.name) })
        let bytes = ConvertedLog(survey).bytes
        var again = IngestOptions()
        again.environmentKey = options.environmentKey
        let result = Ingest(again).read([try folder.write(Data(bytes), as: "converted.ndjson")])
        return (survey.measurements, result, String(decoding: bytes, as: UTF8.self))
    }

    private static func expectEqual(_ first: Measurements, _ second: Measurements, _ comment: String) {
        #expect(first.cells == second.cells, "\(comment)")
        #expect(first.pages == second.pages, "\(comment)")
        #expect(first.runs.map(\.id) == second.runs.map(\.id), "\(comment)")
        #expect(first.runs.map(\.context) == second.runs.map(\.context), "\(comment)")
        #expect(second.faultyInputs.isEmpty && second.runs.allSatisfy(\.isComplete), "\(comment)")
    }

    @Test(arguments: HostileInputTests.good.indices)
    func everyFormat(_ index: Int) throws {
        let good = HostileInputTests.good[index]
        let (before, after, _) = try Self.both([(good.format, good.text)])
        #expect(!before.cells.isEmpty)
        Self.expectEqual(before, after, good.format)
    }

    @Test func allFormatsInOneLog() throws {
        let (before, after, _) = try Self.both(
            HostileInputTests.good.enumerated().map { ("\($0)-\($1.format)", $1.text) })
        // The response of App Store Connect has two versions, and each is a run.
        #expect(before.runs.count == HostileInputTests.good.count + 1)
        Self.expectEqual(before, after, "all")
    }

    @Test func theLinesOfALog() throws {
        let text = AndroidxFixture.document([
            AndroidxFixture.benchmark(
                "a[n=1]", metrics: [AndroidxFixture.single("startupMs", "7.5, 8")],
                sampled: [AndroidxFixture.sampled("frameDurationCpuMs", "[1],[]")])
        ])
        var options = IngestOptions()
        options.context["max_fps"] = .number(90)
        let lines = try Self.both([("a.json", text)], options).2.split(separator: "\n").map(String.init)
        #expect(lines.count == 12)
        #expect(lines[0].hasPrefix(#"{"type":"run","schema":1,"run_id":"androidx-benchmark-"#))
        #expect(
            lines[0].hasSuffix(
                #""device":"Pixel 5","simulator":false,"os":"Android API 31","max_fps":90,"expects_end":true}"#))
        #expect(
            lines.contains(
                #"{"type":"metric","page":"com.example.ScrollBenchmark#a[n=1]","iteration":1,"metric":"launch","#
                    + #""unit":"ms","better":"lower","values":[8],"test":"com.example.ScrollBenchmark#a"}"#))
        #expect(
            lines.contains { $0.contains(#""iteration":1,"metric":"frameDurationCpuMs_p50""#) && $0.contains("[]") })
        #expect(lines.last?.hasSuffix(#""lines":12}"#) == true)
    }

    /// For any measurements under any names, and any results of the rules.
    @Test(arguments: [21, 22, 23, 24, 25, 26] as [UInt64])
    func anything(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var options = IngestOptions()
        if Bool.random(using: &random) { options.context["max_fps"] = .number(60) }
        if Bool.random(using: &random) { options.context["app"] = .text("com.example.\u{1F50D}\"") }
        if Bool.random(using: &random) {
            let pattern = #"(?<device>a+)|#(?<page>b+)|(?<os>9)"#
            options.mapping = [try MappingRule(pattern: pattern)]
        }
        let files = (0..<3).map { ("file-\($0).json", Self.document(&random)) }
        let (before, after, _) = try Self.both(files, options)
        #expect(!before.cells.isEmpty, "seed \(seed)")
        Self.expectEqual(before, after, "seed \(seed)")
    }

    private static func document(_ random: inout SeededGenerator) -> String {
        let names = ["a", "bb", "9", "c\\u00e9", "x, y", "\\\"q\\\"", "aa[k=v]", "ß "]
        let metrics = ["timeNs", "startupMs", "frameCount", "Größe", "fps,x", "memoryKb"]
        return AndroidxFixture.document(
            (0..<Int.random(in: 1...4, using: &random)).map { _ in
                let single = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    AndroidxFixture.single(metrics.randomElement(using: &random) ?? "", values(from: 0, &random))
                }
                let frames = (0..<Int.random(in: 0...3, using: &random)).map { _ in "[\(values(from: -1e6, &random))]" }
                return AndroidxFixture.benchmark(
                    names.randomElement(using: &random) ?? "", metrics: single,
                    sampled: [AndroidxFixture.sampled("frameOverrunMs", frames.joined(separator: ","))])
            })
    }

    private static func values(from lowest: Double, _ random: inout SeededGenerator) -> String {
        let count = Int.random(in: 1...4, using: &random)
        return (0..<count).map { _ in "\(Double.random(in: lowest...1e6, using: &random))" }.joined(separator: ",")
    }

    @Test func badDataIsLeftOut() throws {
        let bad = AndroidxFixture.document([
            AndroidxFixture.benchmark(metrics: [AndroidxFixture.single("timeNs", "1"), #""x":7"#])
        ])
        let folder = try LogFolder()
        let survey = Ingest().survey([try folder.write(bad, as: "bad.json")])
        #expect(!survey.measurements.cells.isEmpty)
        #expect(ConvertedLog(survey).bytes.isEmpty)
    }

    @Test(
        arguments: SampleFiles.paths(
            own: [
                "android-gfxinfo/shop.txt", "androidx-benchmark/macro-frames.json", "androidx-benchmark/micro.json",
                "flutter-timeline/scroll.timeline_summary.json", "xcresult-metrics/scroll.metrics.json",
                "xctrace-xml/hitches.xml",
            ],
            tools: [
                "android-gfxinfo/flashlight-gfxinfo-api29.txt", "androidx-benchmark/macro-frametiming-pixel5-2021.json",
                "androidx-benchmark/micro-develop.json", "xcresult-metrics/solidnative-scroll-hitch.metrics.json",
                "xctrace-xml/hitches.xml",
            ]))
    func samples(_ path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let (before, after, _) = try Self.both([("sample", text)])
        #expect(!before.cells.isEmpty)
        Self.expectEqual(before, after, path)
    }
}
