import Foundation
import Testing

/// A file with a renderer's output that a person last reviewed.
struct MarkdownGolden {
    let name: String

    private var url: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens/\(name)")
    }

    /// Fails if the text differs; with `PERFGATE_RECORD=1` rewrites the file and fails, so that can't go unnoticed.
    func expect(_ text: String) throws {
        if ProcessInfo.processInfo.environment["PERFGATE_RECORD"] == "1" {
            try text.write(to: url, atomically: true, encoding: .utf8)
            Issue.record("recorded \(name); run again without PERFGATE_RECORD")
        }
        let expected = try String(contentsOf: url, encoding: .utf8)
        let difference = zip(text.split(separator: "\n"), expected.split(separator: "\n")).first { $0 != $1 }
        #expect(
            text == expected,
            "\(name) differs; first line: \(difference.map { "\($0)" } ?? "the end"), see PERFGATE_RECORD")
    }
}
