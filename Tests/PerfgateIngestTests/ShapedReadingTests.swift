import Foundation
import PerfgateJSON
import PerfgateModel
import SeededRandom
import Testing

@testable import PerfgateIngest

/// Lines read by learned skeletons give the results of the general JSON reader, including every diagnostic.
struct ShapedReadingTests {
    /// The result of a log with its complete lines read by skeletons.
    static func shaped(_ log: [UInt8], _ options: IngestOptions = IngestOptions()) -> Measurements {
        read(options) { reader in log.withUnsafeBytes { reader.read($0) } }
    }

    /// The result if every line crosses chunks, so no line is read by a skeleton.
    static func general(
        _ log: [UInt8], _ options: IngestOptions = IngestOptions(), path: String = "log"
    ) -> Measurements {
        read(options, path: path) { reader in
            var start = 0
            while start < log.count {
                let end = log[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? log.count
                let middle = min(start + max(1, (end - start) / 2), end)
                for part in [start..<middle, middle..<end] where !part.isEmpty {
                    log[part].withUnsafeBytes { reader.read($0) }
                }
                start = end
            }
        }
    }

    private static func read(
        _ options: IngestOptions, path: String = "log", _ feed: (LogReader) -> Void
    ) -> Measurements {
        let collector = LogCollector(options: options)
        let reader = LogReader(path: path, collector: collector)
        feed(reader)
        reader.finish()
        return LogAssembly(collector: collector).measurements()
    }

    /// The logs in the tests' folders.
    static let samples: [URL] = {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.compactMap {
            $0 as? URL
        }
        return (files ?? []).filter { ["ndjson", "jsonl"].contains($0.pathExtension) }.sorted { $0.path < $1.path }
    }()

    @Test func everySampleGivesTheSame() throws {
        #expect(Self.samples.count > 20)
        for file in Self.samples {
            let log = [UInt8](try Data(contentsOf: file))
            #expect(Self.shaped(log) == Self.general(log), "\(file.path)")
        }
    }

    /// Lines of every type, in several writers' styles.
    static let lines: [String] = [
        #"{"type":"pps","page":"P/1","iteration":2,"visit_id":"v-1","outcome":"loaded","duration_ms":1589.3,"ttfl_ms":132,"#
            + #""ttil_ms":1845.25,"sth_ms":[9.5,12],"mth_ms":[],"alt_ms":[960.3,0],"rclt":[{"ms":443.6,"outcome":"loaded","#
            + #""url":"https://a/b.webp"},{"ms":1,"outcome":"hidden"}],"candidates":{"ttil_v2_ms":428.3},"formula":"1","#
            + #""test":"T/testA"}"#,
        #"{"type": "pps", "page": "Страница", "iteration": 0, "ttil_ms": 12.75, "network": "lte", "note": {"a":[1,{}]}}"#,
        #"{"page":"Q","type":"pps","ttil_ms":1e3,"outcome":"error","alt_ms":[]}"#,
        #"{"type":"frames","page":"P","iteration":1,"scroll":3,"segment":4,"duration_ns":16666667,"timestamps_ns":"#
            + #"[1000000000,1016666667,1050000001],"targets_ns":[1016666667,1033333334,1066666668],"clock":"other"}"#,
        #"{"type":"frame","page":"P","scroll":0,"segment":0,"timestamp_ns":5000000000,"target_ns":5016666667}"#,
        #"{"type":"frame","page":"P","scroll":0,"segment":0,"timestamp_ns":5033333334,"duration_ns":16666667}"#,
        #"{"type":"scroll","page":"P","iteration":1,"scroll":3,"duration_ms":250.5}"#,
        #"{"type":"scroll","page":"P","iteration":1,"scroll":4,"duration_ms":250.5,"frames":14,"frames_ms":250.5,"#
            + #""hitch_ms":16.25,"sth_ms":16.25}"#,
        #"{"type":"pps","page":"P","iteration":1,"low_power_mode":false,"network":"wifi","visit_id":"v-9","checkpoint":true,"#
            + #""ttfl_ms":132,"rclt":[{"ms":443.6,"outcome":"loaded"}]}"#,
        #"{"type":"frame_drop","page":"P","scroll":1,"frames_dropped":2}"#,
        #"{"type":"screen","page":"P","duration_ms":9000,"hitch_ms":12}"#,
        #"{"type":"metric","page":"P","metric":"cpu_time","unit":"ms","values":[1,2.5]}"#,
        #"{"type":"state","cpu_percent":12.5,"thermal_state":"fair"}"#,
        #"{"type":"run","schema":1,"run_id":"r-2","app":"a","build":"Release","device":"d","os":"o","max_fps":60}"#,
        #"{"type":"end","run_id":"r-2"}"#, "", "  ", #"{"type":"pps","pagee":"P","ttil_ms":1}"#,
    ]

    @Test(arguments: 0..<12) func mutatedLinesGiveTheSame(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        for round in 0..<12 {
            var log = Array((round % 3 == 0 ? "" : runLine()).utf8)
            for _ in 0..<60 {
                var line = Array((Self.lines.randomElement(using: &generator) ?? "").utf8)
                for _ in 0..<[0, 0, 0, 1, 1, 2].randomElement(using: &generator)! { Self.mutate(&line, &generator) }
                log += line + Array((Int.random(in: 0..<20, using: &generator) == 0 ? "\r\n" : "\n").utf8)
            }
            if round % 5 == 0 { log.removeLast(Int.random(in: 1...9, using: &generator)) }
            var options = IngestOptions()
            if round % 4 == 0 { options.conditions = [IngestOptions.Condition(field: "network", value: "lte")] }
            if round % 4 == 1 { options.badLines = 3 }
            if round % 4 == 2 { options.defaultPage = "Somewhere" }
            let (shaped, general) = (Self.shaped(log, options), Self.general(log, options))
            #expect(shaped == general, "seed \(seed), round \(round): \(String(decoding: log, as: UTF8.self))")
        }
    }

    private static let values = [
        "null", "true", "-1", "-0", "0.5", "007", "1e2", "1E-2", "12345678901234567890", "1.", ".5", "\"\"", "\"12\"",
        "\"a\\u0062\"", "\"\\ud800\"", "[]", "{}", "[1,2", "[-3]", "\"loaded\"", "\"pps\"", "\"e\u{301}\"",
        "99999999.9",
        "1234567.8", "0.1234567", "1e999",
    ]

    /// Changes a line as writers, disks and people do.
    private static func mutate(_ line: inout [UInt8], _ generator: inout SeededGenerator) {
        guard line.count > 4 else { return line.append(UInt8.random(in: 0...255, using: &generator)) }
        let place = Int.random(in: 0..<line.count, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: line[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: line.removeSubrange(place...)
        case 2: line.remove(at: place)
        case 3: line.insert(contentsOf: line[place..<min(place + 12, line.count)], at: place)
        case 4: line.insert(UInt8(ascii: " "), at: place)
        case 5, 6:
            // Another value after one of the colons.
            let colons = line.indices.filter { line[$0] == UInt8(ascii: ":") }
            guard let colon = colons.randomElement(using: &generator) else { return }
            let end = line[colon...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") } ?? line.count
            line.replaceSubrange((colon + 1)..<end, with: (values.randomElement(using: &generator) ?? "").utf8)
        default:
            // The members in another order, possibly with a duplicate.
            var members = String(decoding: line, as: UTF8.self).dropFirst().dropLast().components(separatedBy: ",\"")
            members.shuffle(using: &generator)
            if Bool.random(using: &generator), let first = members.first { members.append(first) }
            line = Array(("{\"" + members.joined(separator: ",\"").drop { $0 == "\"" } + "}").utf8)
        }
        line.removeAll { $0 == UInt8(ascii: "\n") }
    }

    /// Several chunks, runs and contexts in one file, plain and compressed: cores read them in any order. The fuzzer
    /// found that a list that continues on the next line was read as one line.
    @Test(arguments: ["\"alt_ms\":[0,216.1\n]", "\"alt_ms\":\n[0,216.1]", "\"own\":{\"a\":1\n},\"alt_ms\":[0]"])
    func aValueThatGoesOnInTheNextLineIsNone(broken: String) {
        func line(_ list: String) -> String {
            "{\"type\":\"pps\",\"page\":\"Search\",\"iteration\":3,\(list),\"formula\":\"1\"}\n"
        }
        let whole = line(broken.replacing("\n", with: ""))
        let log = [UInt8]((whole + whole + line(broken) + whole).utf8)
        let read = Self.shaped(log)
        #expect(read == Self.general(log))
        #expect(read.diagnostics.contains { $0.code == .badLine })
    }

    @Test func chunksReadInAnyOrderGiveTheSame() throws {
        var generator = SeededGenerator(seed: 7)
        var text = ""
        for number in 0..<12_000 {
            if number % 2_500 == 0 { text += runLine("r\(number)") }
            if number % 1_701 == 0 { text += "not JSON\n" }
            if number % 1_301 == 0 { text += #"{"type":"pps","page":"P","ttl_ms":1}"# + "\n" }
            let line = Self.lines[[0, 1, 3, 6].randomElement(using: &generator)!]
            text +=
                line.replacingOccurrences(of: "v-1", with: "v-\(number % 700)")
                .replacingOccurrences(of: "P/1", with: "P/\(number % 13)") + "\n"
        }
        #expect(text.utf8.count > 2 * ByteStream.chunkSize)
        let folder = try LogFolder()
        for path in [try folder.write(text), try folder.write(gzip(text), as: "log.ndjson.gz")] {
            let read = Ingest().read([path])
            #expect(read == Self.general(Array(text.utf8), path: path))
            #expect(read.runs.count == 5 && read.codes.contains(.badLine) && read.codes.contains(.misspeltKey))
        }
    }

    @Test func anUnknownKeyIsReportedWithTheFirstLineThatHasIt() throws {
        let line = #"{"type":"pps","page":"P","ttil_ms":1,"ttl_ms":5}"# + "\n"
        let log = Array((runLine() + StreamTests.visit + line + line + line).utf8)
        let told = Self.shaped(log).diagnostics.filter { $0.code == .misspeltKey }
        #expect(told.map(\.line) == [3])
    }
}
