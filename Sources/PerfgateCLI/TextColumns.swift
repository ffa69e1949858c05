import PerfgateReport

/// Rows of text whose columns stand under each other; all but the last are padded.
struct TextColumns {
    /// The rows so far.
    private(set) var rows: [[String]] = []

    /// Adds a row; untrusted text is cleaned.
    mutating func add(_ cells: [String]) {
        rows.append(cells.map { CleanText.line($0, most: 120) })
    }

    /// The lines, indented by so many spaces.
    func lines(indent: Int = 2) -> [String] {
        var widths: [Int] = []
        for row in rows {
            for (index, cell) in row.enumerated() {
                if index == widths.count { widths.append(0) }
                widths[index] = max(widths[index], cell.count)
            }
        }
        return rows.map { row in
            let cells = row.enumerated().map { index, cell in
                index == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[index] - cell.count)
            }
            let line = String(repeating: " ", count: indent) + cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
