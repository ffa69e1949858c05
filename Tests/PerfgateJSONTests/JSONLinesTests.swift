import PerfgateJSON
import Testing
import SeededRandom

struct JSONLinesTests {
    /// A splitter's results, in a comparable form.
    struct Given: Equatable {
        var lines: [String] = []
        var count = 0
        var blankCount = 0
    }

    /// Splits `bytes` in chunks of `size`.
    private func split(_ bytes: [UInt8], chunk size: Int, limit: Int) -> Given {
        var lines = JSONLines(limit: limit)
        var given = Given()
        let note: (JSONLine) -> Void = { line in
            let end = line.isTerminated ? "" : " cut"
            switch line.content {
            case .bytes(let bytes): given.lines.append("\(line.number) \(String(decoding: bytes, as: UTF8.self))\(end)")
            case .tooLong(let count): given.lines.append("\(line.number) too long: \(count)\(end)")
            }
        }
        bytes.withUnsafeBytes { buffer in
            for start in stride(from: 0, to: buffer.count, by: size) {
                lines.append(UnsafeRawBufferPointer(rebasing: buffer[start..<min(start + size, buffer.count)]), note)
            }
        }
        lines.finish(note)
        given.count = lines.count
        given.blankCount = lines.count - given.lines.count
        return given
    }

    @Test(
        arguments: [
            ("", [], 0, 0), ("\n", [], 1, 1), ("a", ["1 a cut"], 1, 0), ("a\n", ["1 a"], 1, 0),
            ("a\r\n", ["1 a"], 1, 0),
            ("a\r", ["1 a cut"], 1, 0), ("\r\n", [], 1, 1), (" \t\r\n\n  ", [], 3, 3),
            ("a\n\nb", ["1 a", "3 b cut"], 3, 1),
            ("a\rb\r\r\n", ["1 a\rb\r"], 1, 0), ("0123456789\n", ["1 0123456789"], 1, 0),
            ("0123456789x\n", ["1 too long: 11"], 1, 0),
            ("0123456789\r\n", ["1 too long: 11"], 1, 0), ("0123456789xyz", ["1 too long: 13 cut"], 1, 0),
            ("a\0b\n", ["1 a\0b"], 1, 0),
            ("é\u{2028}é\n", ["1 é\u{2028}é"], 1, 0),
        ] as [(String, [String], Int, Int)])
    func splitsAtEveryChunkSize(text: String, lines: [String], count: Int, blankCount: Int) {
        for size in 1...max(1, text.utf8.count) {
            let given = split(Array(text.utf8), chunk: size, limit: 10)
            #expect(given == Given(lines: lines, count: count, blankCount: blankCount), "chunks of \(size)")
        }
    }

    @Test func aHostileDocumentIsTheSameAtEveryChunkSize() {
        let long = String(repeating: "x", count: 40)
        let text =
            "{\"a\":1}\n\r\n\n  \n\(long)\n{\"é\":\"漢字\"}\r\n\r\r\n\(long)\(long)\r\n\0\n\t{}\n\n\(long)\nend without a line feed \r"
        let bytes = Array(text.utf8)
        let whole = split(bytes, chunk: bytes.count, limit: 39)
        #expect(whole.lines.count == 8 && whole.count == 13 && whole.blankCount == 5)
        for size in 1...bytes.count {
            #expect(split(bytes, chunk: size, limit: 39) == whole, "chunks of \(size)")
        }
    }

    @Test(arguments: [30, 31])
    func randomTextsSplitAsTheStandardLibraryDoes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let bytes = (0..<generator.below(120)).map { _ in generator.pick(Array("ab \t\r\n\n".utf8)) }
            var expected = Given()
            var rest = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            if rest.last?.isEmpty == true { rest.removeLast() }
            for (index, line) in rest.enumerated() {
                let isCut = index == rest.count - 1 && bytes.last != UInt8(ascii: "\n")
                let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
                if line.allSatisfy({ " \t\r".utf8.contains($0) }) {
                    expected.blankCount += 1
                } else {
                    expected.lines.append("\(index + 1) \(String(decoding: text, as: UTF8.self))\(isCut ? " cut" : "")")
                }
            }
            expected.count = rest.count
            let size = 1 + generator.below(20)
            #expect(split(bytes, chunk: size, limit: 200) == expected, "seed \(seed), chunks of \(size)")
        }
    }

    @Test func aLineWithinAChunkIsLentWhereItLies() {
        let bytes = Array("first\nsecond\nthird".utf8)
        bytes.withUnsafeBytes { buffer in
            var lines = JSONLines()
            var offsets: [Int] = []
            lines.append(buffer) { line in
                if case .bytes(let lent) = line.content, let base = buffer.baseAddress, let start = lent.baseAddress {
                    offsets.append(start - base)
                }
            }
            #expect(offsets == [0, 6])
        }
    }

    @Test(arguments: [256 << 20, 1 << 20])
    func aLineOfAHundredMegabytesIsGivenOrDropped(limit: Int) {
        let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        var lines = JSONLines(limit: limit)
        var lengths: [Int] = []
        let note: (JSONLine) -> Void = { line in
            switch line.content {
            case .bytes(let bytes): lengths.append(bytes.count)
            case .tooLong(let count): lengths.append(-count)
            }
        }
        for _ in 0..<100 { chunk.withUnsafeBytes { lines.append($0, note) } }
        Array("\nnext\n".utf8).withUnsafeBytes { lines.append($0, note) }
        lines.finish(note)
        #expect(lengths == [limit > 100 << 20 ? 100 << 20 : -(100 << 20), 4])
    }

    @Test func anErrorOfTheClosuresStopsTheSplitting() {
        struct Stop: Error {}
        var lines = JSONLines()
        #expect(throws: Stop.self) {
            try Array("a\nb\n".utf8).withUnsafeBytes { buffer in
                try lines.append(buffer) { _ throws(Stop) in throw Stop() }
            }
        }
        #expect(lines.count == 1)
    }
}
