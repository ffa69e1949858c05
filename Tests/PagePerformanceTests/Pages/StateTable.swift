import Foundation
import Testing

/// A table of the article on states: each cell names the state after a signal.
struct StateTable {
    struct Cell: CustomTestStringConvertible, Sendable {
        var state: String
        var word: String
        var next: String
        /// Whether the cell is bold: the signal emits an event, or logs a time.
        var logs: Bool

        var testDescription: String { "\(state), \(word) → \(next)\(logs ? ", logged" : "")" }
    }

    var states: [String]
    var words: [String]
    var cells: [Cell]

    /// Reads the table below a heading.
    init(below heading: String) throws {
        let article = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/PagePerformance/PagePerformance.docc/PageStates.md")
        let lines = try String(contentsOf: article, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let section = lines.drop { $0 != "## \(heading)" }.dropFirst().prefix { !$0.hasPrefix("## ") }
        let rows = section.filter { $0.hasPrefix("|") }.map { line in
            line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
        try #require(rows.count > 2, "no table below \(heading)")
        words = Array(rows[0].dropFirst())
        states = rows[2...].map { $0[0] }
        cells = []
        for row in rows[2...] {
            try #require(row.count == rows[0].count, "\(row)")
            for (word, text) in zip(words, row.dropFirst()) {
                let next = text.replacing("**", with: "")
                try #require(states.contains(next), "\(text) is no state")
                cells.append(Cell(state: row[0], word: word, next: next, logs: next != text))
            }
        }
    }
}
