import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Damaged and hostile versions of every foreign format: a diagnostic or an error, never a crash, never a hang.
struct HostileInputTests {
    /// A good file of every format.
    static let good: [(format: String, text: String)] = [
        ("xcresult-metrics", XcresultFixture.text), ("xctrace", XctraceFixture.text),
        ("metrickit", MetricKitFixture.text), ("gfxinfo", GfxinfoFixture.text),
        ("androidx-benchmark", AndroidxFixture.text), ("flutter-timeline", FlutterFixture.text),
    ]

    /// Whether something is told of an input: a fault, or a diagnostic that is no note.
    private static func isTold(_ bytes: [UInt8], _ format: String) throws -> Bool {
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
        for count in stride(from: 0, to: end, by: max(1, end / 97)) {
            #expect(try Self.isTold(Array(bytes[..<count]), Self.good[index].format), "cut after \(count) bytes")
        }
    }

    /// Whatever the bytes are, reading them ends, and every value that it gives is a number.
    @Test(arguments: good.indices, [11, 12, 13])
    func anyByteChanged(_ index: Int, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let folder = try LogFolder()
        var options = IngestOptions()
        options.format = Self.good[index].format
        for round in 0..<40 {
            var bytes = Array(Self.good[index].text.utf8)
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            let result = Ingest(options).read([try folder.write(Data(bytes), as: "file")])
            let isSaid = !result.runs.isEmpty || !result.faultyInputs.isEmpty
            #expect(isSaid, "seed \(seed), round \(round)")
            #expect(result.cells.values.allSatisfy { $0.values.allSatisfy(\.isFinite) }, "seed \(seed), round \(round)")
        }
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
        for other in others { #expect(try Self.isTold(other, format), "\(other.prefix(8))") }
    }
}
