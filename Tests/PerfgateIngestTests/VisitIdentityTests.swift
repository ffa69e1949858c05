import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Visits are equal if page, iteration and identifier are.
struct VisitIdentityTests {
    static func visit(_ id: String, _ value: Double, page: String = "P", iteration: Int = 0) -> String {
        #"{"type":"pps","page":"\#(page)","iteration":\#(iteration),"visit_id":"\#(id)","ttil_ms":\#(value)}"# + "\n"
    }

    @Test func anEmptyIdentifierIsIgnored() throws {
        let lines = (0..<5).map { Self.visit("", 500 + Double($0)) }
        let measurements = try LogFolder.measurements(runLine() + lines.joined())
        #expect(measurements.values("P", "ttil") == [500, 501, 502, 503, 504])
    }

    @Test func aVisitOfAnotherPageReplacesNothing() throws {
        let measurements = try LogFolder.measurements(
            runLine() + Self.visit("v", 500) + Self.visit("v", 900, page: "Q") + Self.visit("v", 600))
        #expect(measurements.values("P", "ttil") == [600])
        #expect(measurements.values("Q", "ttil") == [900])
    }

    @Test func aVisitOfAnotherIterationReplacesNothing() throws {
        let measurements = try LogFolder.measurements(
            runLine() + Self.visit("v", 500) + Self.visit("v", 900, iteration: 1))
        #expect(measurements.values("P", "ttil") == [500, 900])
    }

    @Test func aLaterPartReplacesOnlyVisitsOfTheSamePageAndIteration() throws {
        let folder = try LogFolder()
        let first = Self.visit("v", 500) + Self.visit("v", 510, iteration: 1) + Self.visit("v", 520, page: "Q")
        let paths = [
            try folder.write(runLine("r", #","part":"launch-1""#) + first, as: "a.ndjson"),
            try folder.write(
                runLine("r", #","part":"launch-2""#) + Self.visit("v", 700, iteration: 1), as: "b.ndjson"),
        ]
        #expect(Ingest().read(paths).values("P", "ttil") == [500, 700])
        #expect(Ingest().read(paths).values("Q", "ttil") == [520])
        #expect(Ingest().read(paths.reversed()) == Ingest().read(paths))
    }
}
