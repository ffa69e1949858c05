import Foundation
import PerfgateModel
import Testing
import SeededRandom

@testable import PerfgateIngest

/// Damaged and hostile versions of every foreign format give a diagnostic or an error, never a crash or a hang.
struct HostileInputTests {
    /// A valid file of every format.
    static let good: [(format: String, text: String)] = [
        ("xcresult-metrics", XcresultFixture.text), ("xctrace", XctraceFixture.text),
        ("metrickit", MetricKitFixture.text), ("gfxinfo", GfxinfoFixture.text),
        ("androidx-benchmark", AndroidxFixture.text), ("flutter-timeline", FlutterFixture.text),
        ("xctest-console", XCTestConsoleFixture.text), ("reassure", ReactNativeFixture.reassure),
        ("flashlight", ReactNativeFixture.flashlight), ("perfetto", PerfettoFixture.metrics),
        ("perfetto", PerfettoFixture.json), ("package-benchmark", PackageBenchmarkFixture.text),
        ("app-store-connect", AppStoreMetricsFixture.text), ("am-start", StartsFixture.amStart),
        ("logcat", StartsFixture.logcat), ("flutter-startup", StartsFixture.flutter),
    ]

    /// Whether an input is reported: a fault, or a diagnostic other than a note.
    private static func isReported(_ bytes: [UInt8], _ format: String) throws -> Bool {
        let folder = try LogFolder()
        var options = IngestOptions()
        options.format = format
        let result = Ingest(options).read([try folder.write(Data(bytes), as: "file")])
        return !result.faultyInputs.isEmpty || result.runs.contains { !$0.isComplete }
    }

    @Test(arguments: good.map(\.format))
    func theTableHoldsEveryFormat(_ format: String) throws {
        let text = try #require(Self.good.first { $0.format == format }).text
        #expect(!(try ForeignResult.of(Array(text.utf8)).runs.isEmpty))
        #expect(Set(Self.good.map(\.format)) == Set(ForeignFormats.all.map { $0.name }))
    }

    @Test(arguments: good.indices)
    func truncatedAnywhere(_ index: Int) throws {
        let bytes = Array(Self.good[index].text.utf8)
        let end = bytes.lastIndex { ![0x20, 0x0A, 0x0D].contains($0) } ?? 0
        for count in stride(from: 0, to: end, by: max(1, end / 40)) {
            // A log that ends after a line is a shorter log.
            if Self.good[index].format == "logcat", bytes[..<(count + 1)].last == 0x0A { continue }
            #expect(try Self.isReported(Array(bytes[..<count]), Self.good[index].format), "cut after \(count) bytes")
        }
    }

    /// Reading any bytes ends, and every value is a number.
    @Test(arguments: good.indices, [11, 12, 13])
    func anyByteChanged(_ index: Int, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<25 {
            var bytes = Array(Self.good[index].text.utf8)
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            let result = try Self.read(bytes, index)
            let isSaid = !result.runs.isEmpty || !result.faultyInputs.isEmpty
            #expect(isSaid, "seed \(seed), round \(round)")
            #expect(result.cells.values.allSatisfy { $0.values.allSatisfy(\.isFinite) }, "seed \(seed), round \(round)")
        }
    }

    /// libxml2 compares each attribute with all others: 40,000 of them took 14 s.
    @Test(arguments: ["", "<!-- ' -->", "<![CDATA[ \" ]]>", "<?x ' ?>", "<b c='>'/>"])
    func anElementWithTooManyAttributesIsRefusedBeforeItIsRead(_ before: String) throws {
        func document(_ count: Int) -> [UInt8] {
            Array("<a>\n\(before)<b \((0..<count).map { "a\($0)=\"'=\"" }.joined(separator: " "))/></a>".utf8)
        }
        let stream = try XMLStream(document(1_000))
        while try stream.next() != nil {}
        let other = try XMLStream(document(1_001))
        let error = #expect(throws: IngestError.self) { while try other.next() != nil {} }
        #expect(error == .malformed(line: 2, problem: "an element has more than 1000 attributes"))
    }

    @Test(arguments: good.map(\.format))
    func otherThings(_ format: String) throws {
        let others: [[UInt8]] = [
            [], Array(" \n".utf8), Array("null".utf8), Array("\"text\"".utf8), Array("{}".utf8), Array("[1]".utf8),
            Array("<a/>".utf8), [0xFF, 0xFF, 0xFF], Array("[[[[".utf8),
            Array(repeating: UInt8(ascii: "["), count: 100_000),
            Array(String(repeating: "{\"a\":", count: 100_000).utf8),
            Array(String(repeating: "<a>", count: 100_000).utf8),
        ]
        for other in others { #expect(try Self.isReported(other, format), "\(other.prefix(8))") }
    }

    /// Every number of a valid file, replaced by a number outside every type's range, or by text.
    @Test(arguments: good.indices, [String(repeating: "9", count: 400), "1e999", "-1e400", "0x7F", "NaN"])
    func giganticNumbers(_ index: Int, _ number: String) throws {
        let text = Self.good[index].text
        let runs = text.ranges(of: /[0-9]+/)
        for range in runs.enumerated().filter({ $0.offset % max(1, runs.count / 6) == 0 }).map(\.element) {
            let result = try Self.read(Array(text.replacingCharacters(in: range, with: number).utf8), index)
            #expect(result.cells.values.allSatisfy { $0.values.allSatisfy(\.isFinite) }, "\(text[range])")
        }
    }

    /// The formats with a grammar; line-based texts accept much more.
    private static let structured = good.indices.filter { "<[{".contains(good[$0].text.first ?? " ") }

    /// Invalid UTF-8 in any place of a text.
    @Test(arguments: structured)
    func wrongEncodings(_ index: Int) throws {
        let bytes = Array(Self.good[index].text.utf8)
        let quotes = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\"") }
        for place in [quotes[0] + 1, quotes[quotes.count / 2] + 1, bytes.count / 2] {
            for bad: [UInt8] in [[0xE9], [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0]] {
                let result = try Self.read(Array(bytes[..<place]) + bad + bytes[place...], index)
                let isBad = !result.faultyInputs.isEmpty || result.runs.contains { !$0.isComplete }
                #expect(isBad, "\(bad) after \(place) bytes")
            }
        }
    }

    /// Deep nesting in the place of a value or an element.
    @Test(arguments: structured)
    func deepNesting(_ index: Int) throws {
        let text = Self.good[index].text
        let places = text.indices.filter { ":>".contains(text[$0]) }
        let place = text.index(after: places[places.count / 2])
        for opening in text.hasPrefix("<") ? ["<a>"] : ["[", "{\"a\":"] {
            let deep = text[..<place] + String(repeating: opening, count: 20_000) + text[place...]
            let result = try Self.read(Array(deep.utf8), index)
            #expect(!result.faultyInputs.isEmpty || result.runs.contains { !$0.isComplete }, "\(opening)")
        }
    }

    /// Entities that would grow without end, or fetch external resources.
    @Test(
        .timeLimit(.minutes(30)),
        arguments: [
            "<!ENTITY a0 'lol'>"
                + (1...9).map { "<!ENTITY a\($0) '\(String(repeating: "&a\($0 - 1);", count: 10))'>" }.joined(),
            "<!ENTITY a9 '\(String(repeating: "x", count: 100_000))'>", "<!ENTITY a9 SYSTEM 'file:///etc/passwd'>",
            "<!ENTITY % p SYSTEM 'http://127.0.0.1:1/'> %p; <!ENTITY a9 'x'>",
            "<!ENTITY a9 '&a9;'>",
        ])
    func entities(_ declarations: String) throws {
        let index = try #require(Self.good.firstIndex { $0.format == "xctrace" })
        let body = Self.good[index].text.split(separator: "\n", maxSplits: 1)[1]
        for use in ["<mnemonic>&a9;", "<mnemonic a='&a9;'>"] {
            let text = "<!DOCTYPE r [\(declarations)]>" + body.replacing("<mnemonic>", with: use)
            #expect(try !Self.read(Array(text.utf8), index).faultyInputs.isEmpty)
        }
    }

    @Test func moreValuesThanMemoryHoldsAreRefused() throws {
        let index = try #require(Self.good.firstIndex { $0.format == "xcresult-metrics" })
        let text = "[" + String(repeating: ",", count: JSONValueCount.limit)
        let faults = try Self.read(Array(text.utf8), index).faultyInputs
        #expect(faults.map(\.message) == ["It holds more than 1000000 values. Export less of it at a time."])
        #expect(!JSONValueCount.exceedsLimit(Array(("[\"\\\"" + text.suffix(1_000) + "\"]").utf8), limit: 2))
    }

    /// The diagnostics of a file that is read in the format of a valid one.
    private static func read(_ bytes: [UInt8], _ index: Int) throws -> Measurements {
        let folder = try LogFolder()
        var options = IngestOptions()
        options.format = good[index].format
        return Ingest(options).read([try folder.write(Data(bytes), as: "file")])
    }
}
