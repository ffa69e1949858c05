import PerfgateModel
import Testing
import SeededRandom

@testable import PerfgateIngest

/// Equal ticks give equal measurements, in any form and order.
struct EquivalenceTests {
    struct Segment {
        let head: String
        let timestamps: [UInt64]
        let targets: [UInt64]

        init(page: Int, iteration: Int, scroll: Int?, segment: Int, from generator: inout SeededGenerator) {
            let place = scroll.map { ",\"scroll\":\($0)" } ?? ""
            head = "\"page\":\"P\(page)\",\"iteration\":\(iteration)\(place),\"segment\":\(segment)"
            let most: UInt64 = 1 << UInt64.random(in: 34...60, using: &generator)
            var time = UInt64.random(in: 1 << 33...most, using: &generator)
            timestamps = (0..<Int.random(in: 1...400, using: &generator)).map { _ in
                switch Int.random(in: 0..<60, using: &generator) {
                case 0: break
                case 1: time -= 16_666_667 * UInt64.random(in: 1...40, using: &generator)
                case 2: time += 300_000_000
                case 3...10: time += 16_666_667 * UInt64.random(in: 1...20, using: &generator) / 4
                default: time += 16_666_667
                }
                return time
            }
            targets = timestamps.map { Int.random(in: 0..<60, using: &generator) == 0 ? 0 : $0 + 16_666_667 }
        }

        var compact: [String] {
            let lists = [timestamps, targets].map { $0.map(String.init).joined(separator: ",") }
            return ["{\"type\":\"frames\",\(head),\"timestamps_ns\":[\(lists[0])],\"targets_ns\":[\(lists[1])]}"]
        }

        var simple: [String] {
            zip(timestamps, targets).map { "{\"type\":\"frame\",\(head),\"timestamp_ns\":\($0),\"target_ns\":\($1)}" }
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func formAndOrderDoNotMatter(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var parts: [[Segment]] = []
        for part in 0..<3 {
            parts.append(
                (0..<12).map {
                    Segment(
                        page: $0 % 2, iteration: part + $0 % 3, scroll: $0 % 4 == 0 ? nil : $0 / 4, segment: $0,
                        from: &generator)
                })
        }
        let folder = try LogFolder()
        func paths(_ suffix: String, _ lines: (Segment) -> [String]) throws -> [String] {
            try parts.enumerated().map { index, part in
                let text =
                    runLine("r", ",\"part\":\"launch-\(index)\"")
                    + part.flatMap(lines).map { $0 + "\n" }.joined()
                return suffix.hasSuffix("gz")
                    ? try folder.write(gzip(text), as: "\(index)-\(suffix)")
                    : try folder.write(text, as: "\(index)-\(suffix)")
            }
        }
        let compact = Ingest().read(try paths("compact.ndjson", \.compact))
        let simple = Ingest().read(try paths("simple.ndjson", \.simple).reversed())
        let compressed = Ingest().read(try paths("gz.ndjson.gz", \.compact).shuffled(using: &generator))
        #expect(compact.cells.count > 10, "seed \(seed)")
        #expect(compact.cells == simple.cells, "seed \(seed)")
        #expect(compact.cells == compressed.cells, "seed \(seed)")
        #expect(compact.pages == simple.pages, "seed \(seed)")
    }

    @Test func interleavedSegmentsStaySeparate() throws {
        let ticks = [0, 1, 0, 1].enumerated().map { index, segment in
            "{\"type\":\"frame\",\"page\":\"P\",\"scroll\":0,\"segment\":\(segment),"
                + "\"timestamp_ns\":\(index / 2 * 16_666_667 + segment * 900_000_000),\"duration_ns\":16666667}\n"
        }
        let measurements = try LogFolder.measurements(runLine() + ticks.joined())
        #expect(measurements.values("P", "dropped_frames") == [0])
        #expect(measurements.values("P", "fps_mean")?.map { Int($0) } == [59])
    }
}
