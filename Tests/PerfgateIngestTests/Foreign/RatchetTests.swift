import Foundation
import Testing

@testable import PerfgateIngest

/// How much of every sample is read: a change of these numbers is a change of what perfgate understands.
@Suite(.enabled(if: SampleFiles.arePresent))
struct RatchetTests {
    /// The records of a sample that are read, skipped for a reason, and not understood.
    struct Row: CustomTestStringConvertible {
        let file: String
        let read: Int
        let skipped: Int
        let notUnderstood: Int

        init(_ file: String, _ read: Int, _ skipped: Int = 0, _ notUnderstood: Int = 0) {
            self.file = file
            self.read = read
            self.skipped = skipped
            self.notUnderstood = notUnderstood
        }

        var testDescription: String { file }
    }

    static let rows: [Row] = [
        Row("xcresult-metrics/scrolling-slow-deceleration.metrics.json", 6),
        Row("xcresult-metrics/solidnative-scroll-hitch.metrics.json", 9),
        Row("xctrace-xml/hitches.xml", 11), Row("xctrace-xml/hang-risks.xml", 0),
        Row("xctrace-xml/display-vsyncs-interval.xml", 10),
    ]

    @Test(arguments: rows)
    func records(_ row: Row) throws {
        let bytes = try Data(contentsOf: URL(filePath: SampleFiles.path(row.file)))
        let tallies = try ForeignResult.of(bytes).tallies
        #expect(tallies.reduce(0) { $0 + $1.read } == row.read)
        #expect(tallies.reduce(0) { $0 + $1.skipped.count } == row.skipped)
        #expect(tallies.reduce(0) { $0 + $1.notUnderstood.count } == row.notUnderstood)
    }
}
