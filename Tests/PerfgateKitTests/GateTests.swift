import Foundation
import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// The gate from logs to a report.
struct GateTests {
    /// The path of a log of one page, measured on a device at an unknown time.
    private static func log(_ device: String, in folder: URL) throws -> String {
        let file = folder.appending(path: "\(device).ndjson")
        try """
        {"type":"run","schema":1,"run_id":"\(device)","device":"iPhone12,1","device_id":"\(device)"}
        {"type":"pps","page":"Home","iteration":0,"visit_id":"1","outcome":"loaded","duration_ms":800,"ttil_ms":500}

        """.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }

    /// If no log has a start time, quarantines end by the clock, on both sides.
    @Test(arguments: [("2020-01-01", 0), ("9999-01-01", 1)])
    func aQuarantineEndsForABaseWithoutATime(_ until: String, _ told: Int) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var gate = Gate()
        let day = try #require(CalendarDay(until))
        gate.policy.quarantine = [QuarantinedDevice(id: "base", until: day, reason: "swollen", from: .builtIn)]
        let report = try gate.report(
            on: [Self.log("candidate", in: folder)], against: .logs([Self.log("base", in: folder)]))
        #expect(report.comparisons.map(\.metric.id) == ["load_failures", "ttil"])
        #expect(report.diagnostics.count { $0.message.contains("quarantine until") } == told)
    }
}
