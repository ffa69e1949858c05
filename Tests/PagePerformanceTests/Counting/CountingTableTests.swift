import Foundation
import Testing

@testable import PagePerformance

/// The table in *Counting frames* matches the counters.
struct CountingTableTests {
    /// A row of the table: one frame, and its result by each counting.
    struct Row: CustomStringConvertible, Sendable {
        let cells: [String]

        var description: String { cells.joined(separator: " | ") }
        var maxFPS: Int { Int(cells[0]) ?? 0 }
        var due: UInt64 { Self.nanoseconds(cells[1]) }
        var stayed: UInt64 { Self.nanoseconds(cells[2]) }

        private static func nanoseconds(_ text: String) -> UInt64 {
            UInt64(((Double(text) ?? 0) * 1_000_000).rounded())
        }

        /// The frame itself, between frames on time.
        var ticks: [FrameTick] {
            let intervals = [due, stayed, due, due]
            let duration = UInt64((1_000_000_000 / Double(maxFPS)).rounded())
            var now: UInt64 = 1_000_000_000
            return ([0] + intervals).map { interval in
                now += interval
                return TickStream.tick(now, expected: due, duration: duration)
            }
        }
    }

    static let rows: [Row] = {
        let article = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/PagePerformance/PagePerformance.docc/Counting.md")
        guard let text = try? String(contentsOf: article, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return cells.count == 12 && Int(cells[0]) != nil ? Row(cells: cells) : nil
        }
    }()

    @Test func theArticleHasItsTable() {
        #expect(Self.rows.count == 13)
    }

    @Test(arguments: rows)
    func droppedFrames(_ row: Row) {
        let counted = FrameCounting.allCases.map { counting in
            var counter = ScrollCounter(counting: counting, maxFPS: row.maxFPS)
            return "\(row.ticks.map { counter.advance(to: $0) }[2])"
        }
        #expect(counted == Array(row.cells[3...4]))
    }

    @Test(arguments: rows)
    func hitchesAndHangs(_ row: Row) throws {
        let records = try FrameCounting.allCases.map { counting in
            var counter = ScreenCounter(counting: counting, maxFPS: row.maxFPS)
            for tick in row.ticks { counter.advance(to: tick) }
            return try #require(counter.record(screen: "Search"))
        }
        let counted = records.map(\.hitch) + records.map(\.hang)
        #expect(counted.map(Self.milliseconds) == Array(row.cells[5...8]))
    }

    @Test(arguments: rows)
    func scrollThreadHangs(_ row: Row) throws {
        let pair = try #require(FramePair(from: row.ticks[1], to: row.ticks[2]))
        let published = PublishedThreadHang.allCases.map { $0.hang(interval: pair.interval, maxFPS: row.maxFPS) }
        #expect(([pair.threadHang] + published).map(Self.milliseconds) == Array(row.cells[9...11]))
    }

    private static func milliseconds(_ time: Nanoseconds) -> String {
        String(format: "%.1f", Milliseconds(time).value)
    }
}
