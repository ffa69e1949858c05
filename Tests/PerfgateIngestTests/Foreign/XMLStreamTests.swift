import Foundation
import Testing

@testable import PerfgateIngest

@Suite struct XMLStreamTests {
    private let folder: LogFolder

    init() throws { folder = try LogFolder() }

    private func count(_ bytes: Data, limit: Int = 1 << 30) throws -> Int {
        let stream = try XMLStream(path: try folder.write(bytes, as: "a.xml"), limit: limit)
        var count = 0
        while let event = try stream.next() { if case .start("b", _) = event { count += 1 } }
        return count
    }

    /// Several blocks of 1 MiB, plain and compressed.
    @Test func aFileIsReadAsItsBytes() throws {
        let text = "<a>" + String(repeating: "<b c='1'>&amp;</b><!-- = > -->\n", count: 40_000) + "</a>"
        #expect(try count(Data(text.utf8)) == 40_000)
        #expect(try count(gzip(text)) == 40_000)
    }

    @Test func aFileOverItsLimitIsRefused() throws {
        let text = Data("<a><b/></a>".utf8)
        #expect(try count(text, limit: text.count) == 1)
        #expect(throws: IngestError.tooLarge(limit: text.count - 1)) { try count(text, limit: text.count - 1) }
        #expect(throws: IngestError.truncatedGzip) {
            try count(gzip("<a>" + String(repeating: "<b/>", count: 500_000) + "</a>").dropLast(20))
        }
    }

    /// The count goes on where a block ends: in a tag, in a quote, and in a mark of a comment's start or end.
    @Test(arguments: ["<b ", "<b c='", "<!", "<!-", "<!-- -", "<!-- --", "<![CDATA[ ]", "<? ?", "<"])
    func anElementThatCrossesBlocksHasItsAttributesCounted(_ start: String) throws {
        let rest = [
            "<b ": "/>", "<b c='": "=>!--'/>", "<!": "-- ' -->", "<!-": "- ' -->", "<!-- -": "->", "<!-- --": ">",
            "<![CDATA[ ]": "]>", "<? ?": ">", "<": "b/>",
        ]
        let before = "<a>\n"
        let padding = String(repeating: " ", count: ByteStream.chunkSize - before.utf8.count - start.utf8.count)
        func document(_ attributes: Int) -> Data {
            let element = "<b \((0..<attributes).map { "a\($0)='>'" }.joined(separator: " "))/>"
            return Data((before + padding + start + (rest[start] ?? "") + "\n" + element + "</a>").utf8)
        }
        // `<?` without a name is no XML, but counted all the same.
        if start != "<? ?" { #expect(try count(document(1_000)) >= 1) }
        let error = #expect(throws: IngestError.self) { try count(document(1_001)) }
        #expect(error == .malformed(line: 3, problem: "an element has more than 1000 attributes"))
    }
}
